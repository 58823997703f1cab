"""Faults that a first user found, each as a test of its kind."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import audited as report
from small import one_variable

from tableseal.audit.bounds.component import End, TargetBounds
from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release
from tableseal.audit.model import Require
from tableseal.audit.pipeline import audit
from tableseal.audit.report.verdict import judge

Document = dict[str, Any]


INSIDERS: Document = {
    "tableseal": 1,
    "kind": "magnitude",
    "unit": 1,
    "variables": {"r": {"total": "T", "codes": ["N", "S", "W"]}},
    "tables": [
        {
            "name": "t",
            "cells": {
                "r": ["N", "S", "W", "T"],
                "value": [None, None, 40, 100],
                "s": ["primary", "primary", "published", "published"],
                "truth": [25, 35, 40, 100],
                "n": [1, 1, 9, 11],
                "top": [25, 35, 9, 35],
            },
            "status": "s",
            "truth": "truth",
            "frequency": "n",
            "contributors": ["top"],
        }
    ],
}


def test_a_time_limit_never_turns_an_unsafe_release_safe():
    # CONVENTION 45
    assert report(INSIDERS).verdict == "unsafe"
    assert report(INSIDERS, time_limit=0).verdict != "safe"


def test_linear_bounds_leave_insiders_open_where_no_whole_table_is_in_hand():
    assert report(INSIDERS, bounds="lp").verdict != "safe"
    assert report(INSIDERS, bounds="shuttle").verdict != "safe"


@pytest.mark.parametrize("required", [(5, 5), None])
def test_one_table_in_hand_protects_nothing_however_little_is_required(required):
    # CONVENTION 20
    end = End(lp=None, outer=0, attained=5, continuous=None)
    top = End(lp=None, outer=9, attained=5, continuous=None)
    bounds = TargetBounds(end, top, convex=True, seen=1)
    judged = judge(bounds, required, Require(), insider=False, insider_open=False)
    assert judged.verdict == "undecided"


def test_a_real_table_between_two_whole_values_protects_nothing():
    low = End(lp=Fraction(22, 10), outer=2, attained=None, continuous=Fraction(22, 10))
    high = End(lp=Fraction(39, 10), outer=4, attained=None, continuous=Fraction(39, 10))
    judged = judge(TargetBounds(low, high, convex=False, seen=0), None, Require(), insider=False, insider_open=False)
    assert judged.verdict == "undecided"


def test_microdata_and_columns_find_the_same_insider():
    # CONVENTION 40
    microdata = {
        "cells": {"r": ["N", "S", *["W"] * 9], "sales": [25, 35, 9, *[4] * 7, 3], "id": list("abcdefghijk")},
        "values": {"value": "sales"},
        "id": "id",
    }
    table = INSIDERS["tables"][0]
    bare = {k: v for k, v in table.items() if k not in ("frequency", "contributors", "truth")}
    bare["cells"] = {k: v for k, v in table["cells"].items() if k in ("r", "value", "s")}
    by_records = report(INSIDERS | {"tables": [bare], "microdata": microdata})
    by_columns = report(INSIDERS)
    assert [c.insider for c in by_records.cells] == [c.insider for c in by_columns.cells]
    assert any(c.insider for c in by_records.cells)


def test_what_insiders_cannot_be_audited_for_is_said():
    # CONVENTION 40: only the largest contribution is known, so the two largest cannot be set against each other
    table = INSIDERS["tables"][0]
    several = table | {"cells": table["cells"] | {"n": [4, 5, 9, 18]}}
    notes = [n.text for n in report(INSIDERS | {"tables": [several]}).notes if n.code == "insiders_not_audited"]
    assert len(notes) == 1
    assert "second largest" in notes[0]


def test_a_withheld_total_over_several_areas_is_explained():
    # forms of several columns share their first column with other areas
    variables = {
        "v0": {"total": "T", "codes": ["x0", "x1"]},
        "v1": {"total": "T", "codes": ["p", "q"]},
        "v2": {"total": "T", "tree": {"G0": ["y0", "y1"], "G1": ["y2", "y3"]}},
    }
    first = {
        "name": "t1",
        "absent": {"leaves": "not_released"},
        "cells": {
            "v0": ["x0", "x0", "x1", "x1", "T", "T", "T"],
            "v2": ["G0", "G1", "G0", "T", "y3", "G1", "T"],
            "value": [None, 25, 23, None, 20, 48, 87],
            "st": ["primary", "", "", "missing", "", "", ""],
        },
        "status": "st",
    }
    second = {"name": "t2", "absent": {"leaves": "not_released"}, "where": {"v1": "q"}}
    second["cells"] = {"v2": ["y1"], "value": [3]}
    found = report({"tableseal": 1, "kind": "count", "variables": variables, "tables": [first, second]})
    assert all(c.reveals is not None for c in found.cells if c.lower == c.upper)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"variables": {}}, "variables"),
        ({"links": [{"terms": [["1e30", {"d": "A"}]], "lower": 0}]}, "links"),
        ({"unit": "1e308", "kind": "magnitude"}, "unit"),
        ({"policy": {"primary": [{"dominance": {"n": "10000000000000000000000000", "k": 80}}]}}, "dominance"),
    ],
)
def test_numbers_beyond_all_reason_are_refused(change, named):
    # CONVENTION 112
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [1, 2, 3]})
    with pytest.raises(InputError, match=named):
        report(document | change)


def test_a_prior_never_tells_true_values_in_a_message():
    document = one_variable(
        ["A", "B", "C"],
        {"d": ["A", "B", "C", "T"], "value": [None, None, 1000, 1100], "truth": [777, 333, 1000, 1100]},
        truth="truth",
    )
    with pytest.raises(InputError) as caught:
        report(document | {"intruder": {"prior": 0.1}})
    for secret in ("777", "700", "699", "854", "855", "333", "299", "300", "366", "367"):
        assert secret not in str(caught.value)


def test_a_step_knows_nothing_of_later_tables():
    # CONVENTION 51
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [0, 0, 5]})
    document["tables"][0] |= {"name": "rounded", "rounding": {"base": 5, "method": "conventional"}}
    document["tables"].append({"name": "exact", "cells": {"d": ["T"], "value": [4]}})
    steps = {dict(c.cell)["d"]: c.steps for c in report(document, cumulative=True).cells}
    assert [(s.table, s.lower, s.upper) for s in steps["A"]] == [("rounded", 1, 2), ("exact", 2, 2)]


def test_a_step_does_not_take_for_non_empty_what_a_later_table_publishes():
    document = one_variable(
        ["A", "B"], {"d": ["A", "B", "T"], "value": [None, None, 1], "st": ["secondary", "primary", ""]}, status="st"
    )
    document["tables"].append(
        {"name": "later", "absent": {"leaves": "not_released"}, "cells": {"d": ["A"], "value": [0]}}
    )
    (cell, *_) = (c for c in report(document | {"intruder": {"nonempty": True}}, cumulative=True).cells if c.steps)
    assert [(s.table, s.lower, s.upper) for s in cell.steps] == [("t", 1, 1), ("later", 1, 1)]


def test_missing_cells_stay_out_of_the_what_if():
    # CONVENTION 50
    document = one_variable(
        ["A", "B", "C"],
        {
            "d": ["A", "B", "C", "T"],
            "value": [None, None, 90, 100],
            "truth": [2, 8, 90, 100],
            "st": ["missing", "missing", "published", "published"],
        },
        status="st",
        truth="truth",
    )
    found = report(document | {"policy": {"primary": [{"threshold": 3}]}}, withhold_primaries=True)
    assert {c.status for c in found.cells} == {"missing"}
    assert found.verdict == "safe"


def test_the_what_if_publishes_what_an_exact_table_withholds_whichever_comes_first():
    # CONVENTION 50
    cells = {"d": ["A", "B", "C", "T"], "value": [None, None, 4, 9], "truth": [3, 2, 4, 9]}
    cells["st"] = ["secondary", "primary", "published", "published"]
    document = one_variable(["A", "B", "C"], cells, status="st", truth="truth")
    rounded = {"name": "rounded", "rounding": {"base": 5, "method": "down"}, "absent": {"leaves": "not_released"}}
    rounded |= {"cells": {"d": ["A"], "value": [None], "st": ["secondary"]}, "status": "st"}
    (exact,) = document["tables"]
    for tables in ([exact, rounded], [rounded, exact]):
        found = report(document | {"tables": tables}, withhold_primaries=True)
        assert [(c.status, c.verdict) for c in found.cells] == [("primary", "exposed")], "2 = 9 - 3 - 4"
    rounded["cells"] = {"d": ["A"], "value": [None], "st": ["secondary"], "truth": [3]}
    others = {key: column[1:] for key, column in cells.items()}
    tables = [rounded | {"truth": "truth"}, exact | {"cells": others, "absent": {"leaves": "not_released"}}]
    with pytest.raises(InputError, match="rounded value is not given"):
        report(document | {"tables": tables}, withhold_primaries=True)


def test_a_published_secondary_of_the_what_if_is_no_finding():
    document = one_variable(
        ["A", "B", "C"],
        {
            "d": ["A", "B", "C", "T"],
            "value": [3, 4, 2, 9],
            "st": ["secondary", "published", "published", "published"],
        },
        status="st",
    )
    found = report(document | {"policy": {"primary": [{"threshold": 3}]}}, withhold_primaries=True)
    assert [dict(c.cell)["d"] for c in found.cells] == ["C"]


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(7)
    folder = Path(__file__).parents[2] / "cases" / "o03_table1"
    release = read_release(folder / "release.yaml")
    expected = audit(release).report
    for _ in range(5):
        shuffled = [_shuffled(t, rng.permutation(len(t.codes))) for t in release.tables]
        found = audit(_with_tables(release, shuffled)).report
        assert found.cells == expected.cells


def _with_tables(release: Any, tables: list[Any]) -> Any:
    from dataclasses import replace

    return replace(release, tables=tuple(tables))


def _shuffled(table: Any, order: Any) -> Any:
    from dataclasses import replace

    columns = ("value", "truth", "lower", "upper", "frequency", "protection_lower", "protection_upper")
    taken = {c: getattr(table, c).take(order) for c in columns if getattr(table, c) is not None}
    return replace(
        table,
        codes=table.codes[order],
        status=table.status[order],
        contributors=tuple(c.take(order) for c in table.contributors),
        rows=None,
        **taken,
    )


def test_rows_of_nothing_but_delimiters_are_blank(tmp_path):
    # CONVENTION 104: spreadsheets leave them at the end of a file
    data = tmp_path / "t.csv"
    data.write_text("d;value\nA;3\nB;4\nT;7\n;\n;\n")
    document, _ = infer_document(data)
    assert document["variables"]["d"]["codes"] == ["A", "B"]


def test_a_value_outside_its_own_bounds_names_one_row():
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [4, 3, 7], "lo": [5, None, None]}, lower="lo")
    with pytest.raises(InputError, match="the same row") as caught:
        report(document)
    assert "twice" not in str(caught.value)


def test_long_sums_of_zeros_are_counted_not_spelled():
    codes = [f"c{i}" for i in range(8)]
    cells = {"d": [*codes, "T"], "value": [None, 4, 0, 0, 0, 0, 0, 0, 7], "st": ["primary", *[""] * 8]}
    (cell,) = report(one_variable(codes, cells, status="st")).cells
    assert cell.reveals.text == "c0 = T - c1 (and 6 known zeros) = 7 - 4 = 3"
    assert len(cell.reveals.terms) == 8


def test_the_risk_of_a_step_never_falls():
    # CONVENTION 51
    document = one_variable(["A", "B"], {"d": ["A", "B", "T"], "value": [0, 51, 51]})
    document["tables"][0] |= {"name": "first", "rounding": {"base": 3, "method": "random"}}
    document["tables"].append({"name": "then", "cells": {"d": ["T"], "value": [52]}})
    for cell in report(document, cumulative=True).cells:
        risks = [float("inf") if step.risk is None else step.risk for step in cell.steps]
        assert risks == sorted(risks)


def test_secondary_cells_of_rounded_tables_stay_out_of_the_what_if():
    cells = {"d": ["A", "B", "T"], "value": [2, 37, 39], "st": ["primary", "secondary", ""]}
    document = one_variable(["A", "B"], cells, status="st", rounding={"base": 3, "method": "random"})
    document["tables"][0]["cells"]["truth"] = [2, 37, None]
    document["tables"][0]["truth"] = "truth"
    with pytest.raises(InputError, match="rounded"):
        report(document, withhold_primaries=True)


def rounded_or_guessed(kind: str) -> Document:
    """A table of 2 x 3 with its margins: all rounded to base 100, or all withheld and known to within a half."""
    inner = [[410, 130, 60], [90, 220, 340]]
    cells: dict[str, list[Any]] = {"r": [], "c": [], "value": [], "s": []}
    for r in (0, 1, None):
        for c in (0, 1, 2, None):
            rows = inner if r is None else [inner[r]]
            value = sum(sum(row) if c is None else row[c] for row in rows)
            shown = (value + 50) // 100 * 100 if kind == "rounded" else value
            line = "T" if r is None else f"r{r}", "T" if c is None else f"c{c}", shown
            for name, entry in zip(cells, (*line, "" if kind == "rounded" else "primary"), strict=True):
                cells[name].append(entry)
    table: Document = {"name": "t", "cells": cells, "status": "s"}
    if kind == "rounded":
        table["rounding"] = {"base": 100, "method": "conventional"}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "r": {"total": "T", "codes": ["r0", "r1"]},
            "c": {"total": "T", "codes": ["c0", "c1", "c2"]},
        },
        "tables": [table],
        "intruder": {"prior": "1/2"} if kind == "guessed" else {},
        "policy": {"primary": [], "require": {"risk": 0.2}},
    }


@pytest.mark.parametrize("kind", ["rounded", "guessed"])
def test_of_cells_known_one_by_one_every_value_in_between_is_seen_to_be_possible(kind: str):
    """What is known of single cells, and of totals besides, hides no network: nothing stays undecided."""
    found = report(rounded_or_guessed(kind))
    assert len(found.cells) == 12
    for cell in found.cells:
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.possible.at_least == cell.possible.at_most == cell.upper - cell.lower + 1
        assert cell.verdict == "protected"


@pytest.mark.parametrize("status", ["missing", "withheld"])
def test_a_link_that_says_nothing_does_no_harm(status: str):
    """A cell less itself is nought: true of every table, and the only statement of this release."""
    place = {"d": "k"}
    document = one_variable(["k", "l"], {"d": ["k"], "value": [None], "s": [status]}, status="s")
    document["tables"][0]["absent"] = {"leaves": "not_released"}
    document["links"] = [{"terms": [[1, place], [-1, place]], "lower": 0, "upper": 0}]
    (cell,) = report(document).cells
    assert (cell.lower, cell.upper) == (0, None)
