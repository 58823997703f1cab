"""Measures that an equation relates: whoever is alone in a cell of the whole is alone in its parts."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.sums import sums_of
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Link, LinkTerm, Release
from tableseal.audit.plans.read import plan_from_document
from tableseal.audit.plans.releases import release_of
from tableseal.audit.rules.facts import Facts, completed
from tableseal.audit.tabulation.release import tabulated
from tableseal.suppression.suppress import suppress

MEASURES = ("investment", "machines", "buildings")
TREE = {"N": ["A", "B"], "S": ["C", "D"]}

Records = list[tuple[str, str, int, int]]
"""Firm, region, machines and buildings of each record."""


def released(records: Records) -> Release:
    """Regions by investment and its two parts."""
    columns = {
        "firm": [firm for firm, *_ in records],
        "region": [region for _, region, *_ in records],
        "machines": [m for *_, m, _ in records],
        "buildings": [b for *_, b in records],
        "investment": [m + b for *_, m, b in records],
    }
    plan: dict[str, Any] = {
        "tableseal-plan": 1,
        "measures": {name: {"kind": "magnitude"} for name in MEASURES},
        "variables": {"region": {"total": "T", "tree": TREE}},
        "equations": ["investment = machines + buildings"],
        "tables": [{"name": name, "measure": name, "by": ["region"]} for name in MEASURES],
        "microdata": {"cells": columns, "values": {name: name for name in MEASURES}, "id": "firm"},
        "policy": {"primary": [{"threshold": 3}]},
    }
    parsed = json.loads(json.dumps(plan), parse_int=str)
    read = plan_from_document(parsed, Path("plan.json"))
    return release_of(read, read.clusters[0])


def contributors_of(release: Release) -> tuple[Contributors, Cells]:
    cells = completed(release, merge_cells(release)[0])
    everywhere = np.arange(len(cells))
    return Contributors(release, cells, everywhere, everywhere, everywhere, nonnegative=True), cells


def test_who_is_alone_learns_nothing_of_its_own_zeros() -> None:
    """The only firm of A invests nothing. That its machines are nothing it has not found out from tables."""
    others = [(f"{region}{k}", region, 10 * k, 7 * k) for region in "BCD" for k in range(1, 6)]
    found = suppress(released([("A1", "A", 0, 0), *others]), method="heuristic")
    assert found.conflict is None
    assert found.report is not None
    assert found.report.verdict == "safe"
    assert {(cell.measure, dict(cell.cell)["region"]) for cell in found.report.cells if cell.sensitive} >= {
        ("machines", "A"),
        ("buildings", "A"),
    }


some_records = st.lists(
    st.tuples(st.sampled_from("vwxyz"), st.sampled_from("ABCD"), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=8,
    unique_by=lambda record: (record[0], record[1]),
)


@settings(max_examples=60, deadline=None)
@given(some_records)
def test_cells_of_the_same_codes_hold_the_same_contributors(records: Records) -> None:
    """CONVENTION 47: those of the whole and its parts, and nobody else is in a cell that is said to hold only them."""
    contributors, cells = contributors_of(released(records))
    facts = Facts(contributors.release, cells).every_contribution
    assert facts is not None
    who = [set(facts.contributor[a:b].tolist()) for a, b in zip(facts.start[:-1], facts.start[1:], strict=True)]
    for s in np.flatnonzero(contributors.number > 0).tolist():
        held = set(contributors.held_by(s).tolist())
        assert set(np.flatnonzero((cells.codes == cells.codes[s]).all(axis=1)).tolist()) <= held
        assert all(who[c] <= who[s] for c in held)


@settings(max_examples=60, deadline=None)
@given(some_records)
def test_cells_inside_each_other_are_the_same_looked_up_together_and_one_by_one(records: Records) -> None:
    contributors, cells = contributors_of(released(records))
    for s in range(len(cells)):
        one_by_one = np.flatnonzero(contributors.nested(s, np.arange(len(cells))))
        assert sorted(contributors.nested_with(s).tolist()) == one_by_one.tolist()


def test_records_are_not_needed() -> None:
    """What an equation says is enough: what is out keeps none."""
    release = tabulated(released([("v", "A", 0, 0), ("w", "B", 2, 2), ("x", "C", 1, 1)]))
    assert release.microdata is None
    contributors, cells = contributors_of(release)
    alone = int(np.flatnonzero((contributors.number == 1) & (cells.measure == 1))[0])
    same = np.flatnonzero((cells.codes == cells.codes[alone]).all(axis=1))
    assert len(same) == 3
    assert set(same.tolist()) <= set(contributors.held_by(alone).tolist())
    apart = replace(release, links=())
    contributors, cells = contributors_of(apart)
    assert set(cells.measure[contributors.held_by(alone)].tolist()) == {1}


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([(1, 0), (-1, 1)], []),
        ([(1, 0), (-1, 1), (-1, 2)], [(0, (1, 2))]),
        ([(-1, 0), (2, 1), (1, 2)], [(0, (1, 2))]),
        ([(1, 0), (1, 1), (1, 2)], []),
    ],
)
def test_what_is_a_sum(terms: list[tuple[int, int]], expected: list[Any]) -> None:
    """Of two cells with the same value others may stand behind each."""
    release = released([("v", "A", 1, 2), ("w", "B", 2, 2)])
    cells = completed(release, merge_cells(release)[0])
    place = {m: int(np.flatnonzero((cells.measure == m) & (cells.codes[:, 0] == 0))[0]) for m in range(3)}
    link = Link(tuple(LinkTerm(times, MEASURES[m], (0,)) for times, m in terms), Fraction(0), Fraction(0))
    want = [(place[whole], tuple(place[m] for m in parts)) for whole, parts in expected]
    assert sums_of(replace(release, links=(link,)), cells) == want
    assert sums_of(replace(release, links=(replace(link, upper=Fraction(1)),)), cells) == []
