"""The French business survey, verified without the engine.

The withheld cells are unknowns; every sum of a classification in one table is an equation between them. scipy's linear
programming gives their bounds. Tables that are not published could only narrow them further; here they do not.
"""

import csv
import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.api.cases import cases_folder, load_case
from tableseal.audit.io import read_release
from tableseal.audit.plans.read import read_plan
from tableseal.audit.plans.releases import release_of

NAMES = ("ACTIVITY", "NUTS", "SIZE", "CJ")
FOUR = ("turnover_act_size", "turnover_act_cj", "turnover_nuts_size", "turnover_nuts_cj")
EAST = "turnover_act_nuts_size"
Key = tuple[str, ...]


@dataclass(frozen=True)
class System:
    """Equations `matrix @ x = right` over the withheld cells `unknown`; values are in units."""

    values: Mapping[Key, int]
    unknown: tuple[Key, ...]
    matrix: csr_array
    right: NDArray[np.float64]


def read(name: str) -> list[dict[str, str]]:
    with (cases_folder() / "french_business" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def classifications() -> list[dict[str, set[str]]]:
    """Code -> codes directly below it, for each of NAMES."""
    below: list[dict[str, set[str]]] = [defaultdict(set) for _ in NAMES]
    for v, file in ((0, "activity_corr_table"), (1, "nuts23_fr_corr_table")):
        for row in read(file):
            path = ["Total", *row.values()]
            for parent, code in itertools.pairwise(path):
                if code != parent:
                    below[v][parent].add(code)
    below[1]["Total_EAST"] = {"FR41", "FR42", "FR43"}
    below[2]["Total"] = {"tr1", "tr2", "tr3"}
    below[3]["Total"] = {"LL", "PA", "SP"}
    return below


def build(tables: tuple[str, ...], column: str, unit: int, *, dominance: bool) -> System:
    below = classifications()
    values: dict[Key, int] = {}
    unknown: dict[Key, int] = {}
    equations: list[tuple[Key, list[Key]]] = []
    for table in tables:
        rows = read(table)
        keys = [tuple(row.get(name, "Total") for name in NAMES) for row in rows]
        for key, row in zip(keys, rows, strict=True):
            values[key] = round(float(row[column]) * unit)
            largest = round(float(row["MAX"]) * unit)
            sensitive = 0 < int(row["N_OBS"]) < 3 or (dominance and largest * 100 > 85 * values[key])
            if sensitive:
                unknown.setdefault(key, len(unknown))
        equations += sums(rows, keys, below)
    terms: list[tuple[int, int, int]] = []
    right: list[float] = []
    seen: set[tuple[int, frozenset[tuple[int, int]]]] = set()
    for total, parts in equations:
        row_terms = [(unknown[k], s) for k, s in [(total, 1), *((p, -1) for p in parts)] if k in unknown]
        known = sum(values.get(p, 0) for p in parts if p not in unknown)
        known -= 0 if total in unknown else values.get(total, 0)
        if not row_terms:
            assert known == 0, f"{total} does not add up"
            continue
        if (known, frozenset(row_terms)) in seen:
            continue
        seen.add((known, frozenset(row_terms)))
        terms += [(len(right), u, s) for u, s in row_terms]
        right.append(known)
    r, u, s = zip(*terms, strict=True)
    return System(values, tuple(unknown), csr_array((s, (r, u)), shape=(len(right), len(unknown))), np.array(right))


def sums(rows: list[dict[str, str]], keys: list[Key], below: list[dict[str, set[str]]]) -> list[tuple[Key, list[Key]]]:
    """(total, parts) for every code of a table that has codes below it."""
    axes: list[list[str]] = []
    for v, name in enumerate(NAMES):
        codes = {key[v] for key in keys}
        if name in rows[0]:
            codes |= {child for code in codes for child in below[v].get(code, ())}
        axes.append(sorted(codes))
    return [
        (key, [(*key[:v], child, *key[v + 1 :]) for child in below[v][key[v]]])
        for key in itertools.product(*axes)
        for v, name in enumerate(NAMES)
        if name in rows[0] and below[v].get(key[v])
    ]


def intervals(system: System) -> dict[Key, tuple[float, float]]:
    """Bounds of every unknown: by subtraction where one equation suffices, else by linear programming."""
    solved = by_subtraction(system)
    found = {system.unknown[u]: (value, value) for u, value in solved.items()}
    known = np.array(sorted(solved), dtype=np.int64)
    right = system.right - system.matrix[:, known] @ np.array([solved[u] for u in known.tolist()])
    left = np.setdiff1d(np.arange(len(system.unknown)), known)
    matrix = system.matrix[:, left]
    _, label = connected_components(abs(matrix).T @ abs(matrix))
    for component in range(label.max() + 1):
        columns = np.flatnonzero(label == component)
        rows = np.flatnonzero(abs(matrix[:, columns]).sum(axis=1))
        equations = matrix[rows][:, columns]
        scale = max(1.0, float(np.abs(right[rows]).max()) / 1e6)
        for k, column in enumerate(columns):
            cost = np.eye(len(columns))[k]
            ends = [s * linprog(s * cost, A_eq=equations, b_eq=right[rows] / scale).fun * scale for s in (1, -1)]
            found[system.unknown[left[column]]] = (ends[0], ends[1])
    return found


def by_subtraction(system: System) -> dict[int, float]:
    """Unknown -> value, for those that follow from equations with one unknown left."""
    rows = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in system.matrix]
    solved: dict[int, float] = {}
    before = -1
    while len(solved) > before:
        before = len(solved)
        for row, total in zip(rows, system.right.tolist(), strict=True):
            open_terms = [u for u in row if u not in solved]
            if len(open_terms) == 1:
                rest = total - sum(c * solved[u] for u, c in row.items() if u in solved)
                solved[open_terms[0]] = rest / row[open_terms[0]]
    return solved


@pytest.mark.parametrize(
    ("run", "tables", "column", "unit", "withheld", "exposed"),
    [("turnover", FOUR, "TOT", 10_000, 260, 240), ("counts", (*FOUR, EAST), "N_OBS", 1, 1181, 1093)],
)
def test_exposures(run: str, tables: tuple[str, ...], column: str, unit: int, withheld: int, exposed: int) -> None:
    system = build(tables, column, unit, dominance=column == "TOT")
    truth = np.array([system.values[key] for key in system.unknown])
    assert np.array_equal(system.matrix @ truth, system.right)
    bounds = intervals(system)
    assert len(bounds) == withheld
    assert sum(high - low < 0.5 for low, high in bounds.values()) == exposed
    for expected in load_case("french_business").expected:
        if expected.run == run and expected.field == "interval" and expected.cell is not None:
            low, high = bounds[tuple(expected.cell.values())]
            assert expected.value == [pytest.approx(low / unit, abs=1e-4), pytest.approx(high / unit, abs=1e-4)]


def test_the_fifth_table_has_another_turnover() -> None:
    four = {row["NUTS"]: row for row in read("turnover_nuts_size") if row["SIZE"] == "Total"}
    east = {row["NUTS"]: row for row in read(EAST) if row["SIZE"] == row["ACTIVITY"] == "Total"}
    for code in ("FR41", "FR42", "FR43"):
        assert east[code]["N_OBS"] == four[code]["N_OBS"]
        assert round(float(east[code]["TOT"]), 4) != round(float(four[code]["TOT"]), 4)


def test_norwegian_sensitive_cells() -> None:
    """One count of the two tables is below four, none below three; no sum is, as all counts are positive."""
    counts = []
    for name in ("by_fylke", "by_kostragr"):
        with (cases_folder() / "norwegian_benefits" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            counts += [int(row["ant"]) for row in csv.DictReader(file)]
    assert min(counts) == 3
    assert counts.count(3) == 1


def test_exposures_can_be_checked_with_a_pocket_calculator() -> None:
    """Each equation of the turnover report, worked with the published values of the files, gives the true value."""
    from tableseal.audit.io import read_release
    from tableseal.audit.pipeline import audit

    release = read_release(cases_folder() / "french_business" / "turnover.yaml")
    report = audit(release, withhold_primaries=True).report
    values = build(FOUR, "TOT", 10_000, dominance=True).values
    exposed = [cell for cell in report.cells if cell.reveals is not None and cell.reveals.kind == "equation"]
    assert len(exposed) == 240
    for cell in exposed:
        assert cell.reveals is not None
        of = [(term.coefficient, tuple(code for _, code in term.of.cell)) for term in cell.reveals.terms]
        terms = [coefficient * values.get(codes, 0) for coefficient, codes in of]
        assert sum(terms) == values[tuple(code for _, code in cell.cell)], cell.reveals.text


def test_the_tables_are_a_plan() -> None:
    """Finished tables, two clusters; the release of the one is that of the case but for the names of its tables."""
    home = cases_folder() / "french_business"
    plan = read_plan(home / "plan.yaml")
    assert [(c.name, len(c.tables)) for c in plan.clusters] == [("turnover", 4), ("companies", 4)]
    found, direct = (
        release_of(plan, plan.clusters[0]),
        read_release(home / "turnover.yaml"),
    )
    for one, other in zip(found.tables, direct.tables, strict=True):
        assert one.codes.tolist() == other.codes.tolist()
        assert one.value.units.tolist() == other.value.units.tolist()
        assert [c.units.tolist() for c in one.contributors] == [c.units.tolist() for c in other.contributors]
    assert found.policy == direct.policy
