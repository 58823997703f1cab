"""SAP against published values and values found by listing tables: one file a value in tests/data/sap.

Sources stand in the files: Smith & Elliot 2007 (definition in 2.3, algorithms in 2.3.1 and 2.3.2, Table 2.3).
"""

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sap_brute import feasible_tables, margins, sap_by_inclusion_exclusion, sap_by_listing

from tableseal.audit.measures.sap.attack import attack, with_total
from tableseal.audit.measures.sap.closed_form import rounded_table_and_total
from tableseal.audit.measures.sap.curve import curve_of_tight
from tableseal.audit.measures.sap.definitions import resolved_sap, static_sap
from tableseal.audit.measures.sap.matrix_attack import bounds_if_rounded
from tableseal.audit.measures.sap.result import Sap
from tableseal.audit.measures.sap.simulation import SimulatedTables, simulate_rounded_total
from tableseal.audit.model import Rounding

FOLDER = Path(__file__).parent.parent / "data" / "sap"
CASES = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]


def of_kind(kind: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case["id"])


def fractions(found: Sap) -> list[str]:
    assert found.exact is not None
    return [str(value) for value in found.exact]


def every_size(counts: np.ndarray) -> tuple[int, ...]:
    return tuple(range(int(counts.sum()) + 1))


def test_every_file_is_used() -> None:
    kinds = {"SAP", "SAP_exact_margins", "SAP_rounded_table_and_total", "SAP_banded_simulation"}
    assert {case["kind"] for case in CASES} == kinds
    assert len(CASES) == 31


@of_kind("SAP")
def test_tight_upper_bounds(case: dict[str, Any]) -> None:
    counts, high = (np.array(case["input"][key]) for key in ("counts", "upper"))
    problem = attack(counts, high=high)
    sizes = every_size(counts)
    assert fractions(static_sap(problem, sizes)) == case["expected"]
    assert fractions(resolved_sap(problem, sizes)) == case["expected"]
    tight, total = counts[counts == high].tolist(), int(counts.sum())
    assert fractions(curve_of_tight(tight, total, sizes, "resolved")) == case["expected"]
    assert [str(v) for v in sap_by_inclusion_exclusion(counts[counts == high].tolist(), counts.sum())] == case[
        "expected"
    ]


@of_kind("SAP_exact_margins")
def test_exact_margins(case: dict[str, Any]) -> None:
    counts = np.array(case["input"]["counts"])
    rows = margins(case["input"]["shape"])
    sums = rows @ counts
    problem = attack(counts, rows=rows, row_low=sums, row_high=sums)
    tables = feasible_tables(problem.low, problem.high, rows, sums, sums)
    assert tables.max(axis=0).tolist() == case["expected"]["upper"]
    sizes = every_size(counts)
    assert fractions(static_sap(problem, sizes)) == case["expected"]["SAP_static"]
    assert fractions(resolved_sap(problem, sizes)) == case["expected"]["SAP_resolved"]
    everywhere = [True] * len(counts)
    listed = sap_by_listing(counts, tables, np.arange(len(counts)), everywhere, everywhere)
    assert [str(v) for v in listed] == case["expected"]["SAP_resolved"]


@of_kind("SAP_rounded_table_and_total")
def test_rounded_table_and_total(case: dict[str, Any]) -> None:
    counts, base, expected = np.array(case["input"]["counts"]), case["input"]["base"], case["expected"]
    low, high = bounds_if_rounded(counts, Rounding(base, "conventional"))
    total_low, total_high = (
        int(bound[0]) for bound in bounds_if_rounded(np.array([counts.sum()]), Rounding(base, "conventional"))
    )
    assert np.minimum(high, total_high - low.sum() + low).tolist() == expected["upper"]
    problem = with_total(attack(counts, low, high), total_low, total_high)
    sizes = every_size(counts)
    assert fractions(static_sap(problem, sizes)) == expected["SAP_static"]
    assert fractions(resolved_sap(problem, sizes)) == expected["SAP_resolved"]
    closed = rounded_table_and_total(counts, low, high, total_high, sizes)
    assert fractions(closed) == expected["SAP_resolved"]
    printed = rounded_table_and_total(counts, low, high, total_high, sizes, as_printed=True)
    assert fractions(printed) == expected["paper_algorithm"]


def test_the_printed_formula_of_the_rounded_total() -> None:
    """C(S, n - T + S) / C(T, n) for n from T - S on, where the total is at its upper bound and no count is."""
    counts, total = np.array([2, 2, 3, 3]), 10
    low, high = bounds_if_rounded(counts, Rounding(3, "conventional"))
    units_at_lower = int(counts[counts == low].sum())
    found = rounded_table_and_total(counts, low, high, total, every_size(counts)).exact
    assert found is not None
    for n, value in enumerate(found):
        chosen = n - total + units_at_lower
        assert value * comb(total, n) == (comb(units_at_lower, chosen) if chosen >= 0 else 0)


@pytest.fixture(scope="module")
def simulated() -> SimulatedTables:
    return simulate_rounded_total(tables=1200, cells=12, mean=2, base=5, largest=20, repetitions=4, seed=20071217)


@of_kind("SAP_banded_simulation")
def test_table_2_3(case: dict[str, Any], simulated: SimulatedTables) -> None:
    n, expected = case["input"]["n"], case["expected"]
    assert simulated.chance(n, expected["published"]) > 0.001
    assert simulated.chance(n, [round(v) for v in expected["expected_mean_of_1200"]]) > 0.001
    wrong = np.roll(expected["published"], 1).tolist()
    assert simulated.chance(n, wrong) < 0.001
    assert simulated.means[n].sum() == pytest.approx(1200)
