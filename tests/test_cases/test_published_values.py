"""Values printed in papers, and values computed for them by hand or by listing tables, through the audit.

Sources: Oganian & Domingo-Ferrer 2003 (od_*), Smith & Elliot 2007 (se_*); the others were found by search and checked
by brute force. One file a value in tests/data/published.
"""

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tableseal.audit.errors import AdditivityError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report, ReportCell

FOLDER = Path(__file__).parent.parent / "data" / "published"
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
FULLY_LISTED = {"absent": {"leaves": "not_released", "totals": "not_released"}, "status": "status"}


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    """The cases of some kinds, named after their file and source."""
    chosen = [c for c in CASES.values() if c["kind"] in kinds]
    return pytest.mark.parametrize("case", chosen, ids=lambda c: f"{c['id']}: {c['source'][:40]}")


def variable(size: int) -> dict[str, Any]:
    return {"total": "T", "codes": [str(i + 1) for i in range(size)]}


def table(
    name: str, values: np.ndarray, axes: Sequence[str], *, over: str, margins: bool, hide: Iterable[str] = ()
) -> Any:
    """The sums of a base table over the variables in `over` (one letter each); hidden cells are named like AS12."""
    kept = [axes.index(letter) for letter in over]
    summed = values.sum(axis=tuple(i for i in range(len(axes)) if i not in kept))
    summed = np.transpose(summed, np.argsort(np.argsort(kept)))
    cells: dict[str, list[Any]] = {letter: [] for letter in over} | {"value": [], "status": []}
    for place in product(*(range(-1 if margins else 0, n) for n in summed.shape)):
        codes = ["T" if p < 0 else str(p + 1) for p in place]
        name_of_cell = over + "".join(codes)
        hidden = name_of_cell in set(hide)
        for letter, code in zip(over, codes, strict=True):
            cells[letter].append(code)
        part = summed[tuple(slice(None) if p < 0 else p for p in place)]
        cells["value"].append(None if hidden else int(np.sum(part)))
        cells["status"].append("primary" if hidden else "published")
    return {"name": name, "cells": cells, **FULLY_LISTED}


def asked(name: str, values: np.ndarray, axes: Sequence[str], places: Iterable[Sequence[int]]) -> Any:
    """Base cells that are not released but whose bounds are wanted."""
    rows = [[str(p + 1) for p in place] for place in places]
    cells = {letter: [row[i] for row in rows] for i, letter in enumerate(axes)}
    cells |= {"value": [None] * len(rows), "status": ["withheld"] * len(rows)}
    return {"name": name, "cells": cells, **FULLY_LISTED}


def document(variables: dict[str, Any], tables: Sequence[Any], **more: Any) -> dict[str, Any]:
    return {"tableseal": "1", "kind": "count", "variables": variables, "tables": list(tables), **more}


def run(release: dict[str, Any], **options: Any) -> Report:
    return audit(release_from_document(release), **options).report


def found(report: Report, name: str) -> list[ReportCell]:
    return [cell for cell in report.cells if name in (cell.table, *cell.also_in)]


# Rank of released systems (Oganian & Domingo-Ferrer 2003, section 4.5 and Propositions 1 to 3)


def released(case: dict[str, Any], tables: Iterable[str], *, margins: bool, hide: Sequence[str] = ()) -> Report:
    shape = tuple(case["input"][letter] for letter in "nmt")
    values = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    made = [table(over, values, "ASR", over=over, margins=margins, hide=hide) for over in tables]
    return run(document(dict(zip("ASR", map(variable, shape), strict=True)), made))


@of_kind("constraint_rank")
@pytest.mark.parametrize("margins", [False, True])
def test_rank_of_released_tables(case: dict[str, Any], margins: bool) -> None:
    """Margins are sums of what is released already: they add no rank."""
    report = released(case, case["input"]["released"].split("+"), margins=margins)
    assert report.summary.rank == case["expected"]


def steps(case: dict[str, Any], tables: Sequence[str], hide: Sequence[str], *, margins: bool) -> list[int]:
    """By how much each further withheld cell lowers the rank."""
    ranks = [released(case, tables, margins=margins, hide=hide[:k]).summary.rank for k in range(len(hide) + 1)]
    return [a - b for a, b in pairwise(ranks)]


@of_kind("rank_decrease_sequence")
def test_rank_lost_by_withholding(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    tables = given.get("tables", ["AS", "AR", "SR"])
    if "suppress" in given:
        lost = steps(case, tables, given["suppress"], margins=given["marginals"])
        assert sum(lost) == expected["total"]
        assert lost == expected.get("steps", lost)
        return
    for pattern in ("same", "diff"):
        for margins, name in ((False, pattern), (True, f"{pattern}_with_marginals")):
            assert sum(steps(case, tables, given[f"suppress_{pattern}"], margins=margins)) == expected[name]


@of_kind("bounds_vs_rank")
def test_aligned_patterns_can_protect_less(case: dict[str, Any]) -> None:
    """The same loss of rank, but a narrower interval."""
    shape = tuple(case["input"]["shape"])
    values = np.array(case["input"]["z"]).reshape(shape)
    patterns = {
        "full": [],
        "aligned": CASES["od_opt_nomarg"]["input"]["suppress"],
        "non_aligned": CASES["od_12_marg"]["input"]["suppress"],
    }
    ranks = {}
    for name, hide in patterns.items():
        tables = [table(o, values, "ASR", over=o, margins=True, hide=hide) for o in ("AS", "AR", "SR")]
        tables.append(asked("base", values, "ASR", [[c - 1 for c in case["input"]["cell"]]]))
        report = run(document(dict(zip("ASR", map(variable, shape), strict=True)), tables))
        (cell,) = found(report, "base")
        assert [cell.lower, cell.upper] == case["expected"][name]
        ranks[name] = report.summary.rank
    assert ranks["full"] - ranks["aligned"] == case["expected"]["rank_decrease_aligned"]
    assert ranks["full"] - ranks["non_aligned"] == case["expected"]["rank_decrease_nonaligned"]


# Suppression, rounding and redesign (Oganian & Domingo-Ferrer 2003, sections 4.1 to 4.3)


@of_kind("suppression_bounds")
def test_suppressed_square(case: dict[str, Any]) -> None:
    """x1 x2 / x3 x4 between what the four equations say their rows and columns add up to."""
    rows = {"r": ["1", "1", "2", "2", "1", "2", "T", "T"], "c": ["1", "2", "1", "2", "T", "T", "1", "2"]}
    right = dict(case["input"]["equations"])
    margins = [right[k] for k in ("x1+x2", "x3+x4", "x1+x3", "x2+x4")]
    cells = rows | {"value": [None] * 4 + margins, "status": ["primary"] * 4 + ["published"] * 4}
    report = run(document({"r": variable(2), "c": variable(2)}, [{"name": "t", "cells": cells, **FULLY_LISTED}]))
    for k, cell in enumerate(report.cells, start=1):
        assert [cell.lower, cell.upper] == case["expected"][f"x{k}"]
        assert [*cell.attained] == case["expected"][f"x{k}"]
        assert cell.possible.at_least == cell.possible.at_most == case["expected"]["m"]
        assert cell.risk == pytest.approx(case["expected"]["DR"], abs=1e-9)


@of_kind("rounding_m")
def test_risk_of_a_rounded_cell(case: dict[str, Any]) -> None:
    base = case["input"]["base"]
    made = {
        "name": "t",
        "cells": {"v": ["1"], "value": [base * case["input"]["multiple"]]},
        "rounding": {"base": base, "method": "conventional"},
    }
    (cell,) = run(document({"v": {"codes": ["1"]}}, [made])).cells
    assert cell.possible.at_least == cell.possible.at_most == case["expected"]["m"]
    assert cell.risk == pytest.approx(case["expected"]["DR"], abs=case["tolerance"])


@of_kind("redesign_DR")
def test_risk_of_combined_categories(case: dict[str, Any]) -> None:
    combined = {"v": ["T", "1", "2"], "value": [case["input"]["combined_value"], None, None]}
    cells = combined | {"status": ["published", "primary", "withheld"]}
    for cell in run(document({"v": variable(2)}, [{"name": "t", "cells": cells, **FULLY_LISTED}])).cells:
        assert [cell.lower, cell.upper] == case["expected"]["bounds"]
        assert cell.possible.at_least == case["expected"]["m"]
        assert cell.risk == pytest.approx(case["expected"]["DR"], abs=case["tolerance"])


@of_kind("erratum")
def test_misprint_is_found(case: dict[str, Any]) -> None:
    """The column total as printed is refused, the corrected one is fine."""
    parts = [80, 641, 649, 78]

    def printed(total: int) -> dict[str, Any]:
        cells = {"v": ["1", "2", "3", "4", "T"], "value": [*parts, total], "status": ["published"] * 5}
        return document({"v": variable(4)}, [{"name": "t", "cells": cells, **FULLY_LISTED}])

    with pytest.raises(AdditivityError, match=str(case["expected"])) as error:
        run(printed(case["input"]["printed"]))
    assert str(case["input"]["printed"]) in str(error.value)
    assert not run(printed(case["expected"])).cells


# Linear, integer and shuttle bounds


def three_ways(release: dict[str, Any], name: str) -> dict[str, list[ReportCell]]:
    return {b: found(run(release, bounds=b), name) for b in ("shuttle", "lp", "integer")}


def ends(cell: ReportCell) -> list[Fraction | None]:
    return [cell.lower, cell.upper]


@pytest.mark.parametrize("name", ["shuttle_3x4x4", "shuttle_3x4x4_b"])
def test_three_methods_on_three_way_tables(name: str) -> None:
    case = CASES[name]
    values = np.array(case["input"]["z"]).reshape(case["input"]["shape"])
    place = np.unravel_index(case["input"]["cell_index"], values.shape)
    tables = [table(o, values, "ABC", over=o, margins=False) for o in ("AB", "AC", "BC")]
    tables.append(asked("base", values, "ABC", [[int(p) for p in place]]))
    release = document(dict(zip("ABC", map(variable, values.shape), strict=True)), tables)
    by_method = {method: cells[0] for method, cells in three_ways(release, "base").items()}
    assert ends(by_method["shuttle"]) == case["expected"]["shuttle"]
    assert [*map(float, by_method["integer"].lp or ())] == pytest.approx(case["expected"]["LP"], abs=1e-9)
    assert ends(by_method["integer"]) == case["expected"]["ILP"]


def test_rounded_projections() -> None:
    case = CASES["lp_ilp_2x2x2_round"]
    values, base = np.array(case["input"]["z"]).reshape(2, 2, 2), case["input"]["base"]
    tables = []
    for over in ("AB", "AC", "BC"):
        made = table(over, values, "ABC", over=over, margins=False)
        tables.append(made | {"rounding": {"base": base, "method": "conventional"}})
    total = {"name": "all", "cells": {"value": [int(values.sum())]}, "rounding": tables[0]["rounding"]}
    for made in (*tables, total):
        made["cells"]["value"] = [(v + base // 2) // base * base for v in made["cells"]["value"]]
    tables += [total, asked("base", values, "ABC", product(range(2), repeat=3))]
    by_method = three_ways(document({k: variable(2) for k in "ABC"}, tables), "base")
    assert [c.lower for c in by_method["integer"]] == case["expected"]["ILP_lower"]
    assert [c.upper for c in by_method["integer"]] == case["expected"]["ILP_upper"]
    assert float(by_method["integer"][4].lp[0]) == case["expected"]["LP_lower_cell4"]
    assert by_method["shuttle"][4].lower == case["expected"]["shuttle_lower_cell4"]


def test_two_odd_cycles() -> None:
    case = CASES["lp_ilp_triangles"]
    given = case["input"]
    codes = [str(i + 1) for i in range(len(given["z"]))]
    links = []
    for group in given["groups"]:
        rounded = (sum(given["z"][i] for i in group) + 1) // 3 * 3
        terms = [[1, {"v": codes[i]}] for i in group]
        links.append({"terms": terms, "lower": max(0, rounded - 1), "upper": rounded + 1})
    cells = {
        "v": ["T", *codes],
        "value": [given["exact_total"]] + [None] * 7,
        "status": ["published"] + ["withheld"] * 7,
    }
    release = document(
        {"v": {"total": "T", "codes": codes}}, [{"name": "t", "cells": cells, **FULLY_LISTED}], links=links
    )
    by_method = {method: cells[given["cell"]] for method, cells in three_ways(release, "t").items()}
    assert ends(by_method["shuttle"]) == case["expected"]["shuttle"]
    assert [*map(float, by_method["integer"].lp or ())] == pytest.approx(case["expected"]["LP"], abs=1e-9)
    assert ends(by_method["integer"]) == case["expected"]["ILP"]


@of_kind("rounding_trivial_bounds", "ilp_bounds")
def test_rounded_counts(case: dict[str, Any]) -> None:
    """Figures 2.1 to 2.6: alone, then with rounded margins."""
    values, base = np.array(case["input"]["counts"]).reshape(case["input"]["shape"]), case["input"]["base"]
    made = table("t", values, "RC", over="RC", margins=case["kind"] == "ilp_bounds")
    made["cells"]["value"] = [(v + base // 2) // base * base for v in made["cells"]["value"]]
    made["rounding"] = {"base": base, "method": "conventional"}
    report = run(document({"R": variable(3), "C": variable(3)}, [made]))
    inner = [cell for cell in report.cells if "T" not in dict(cell.cell).values()]
    assert [c.lower for c in inner] == case["expected"]["lower"]
    assert [c.upper for c in inner] == case["expected"]["upper"]
    if "rounded" in case["expected"]:
        assert made["cells"]["value"] == case["expected"]["rounded"]
    if "zeros_recovered" in case["expected"]:
        assert sum(c.lower == c.upper == 0 for c in inner) == case["expected"]["zeros_recovered"]


def test_every_file_is_used() -> None:
    by_name = {"shuttle_3x4x4", "shuttle_3x4x4_b", "lp_ilp_2x2x2_round", "lp_ilp_triangles"}
    kinds = {
        "constraint_rank",
        "rank_decrease_sequence",
        "bounds_vs_rank",
        "suppression_bounds",
        "rounding_m",
        "redesign_DR",
        "erratum",
        "rounding_trivial_bounds",
        "ilp_bounds",
    }
    assert {name for name, case in CASES.items() if case["kind"] not in kinds} == by_name
