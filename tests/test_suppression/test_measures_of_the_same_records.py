"""Several measures of the same records: whoever is alone in a cell is alone in it whatever is measured."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.audit.plans.read import plan_from_document
from tableseal.audit.plans.releases import release_of
from tableseal.audit.rules.facts import Facts, completed
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
    """CONVENTION 47: of all measures, and nobody else is in a cell that is said to hold only them."""
    contributors, cells = contributors_of(released(records))
    facts = Facts(contributors.release, cells).every_contribution
    assert facts is not None
    who = [set(facts.contributor[a:b].tolist()) for a, b in zip(facts.start[:-1], facts.start[1:], strict=True)]
    for s in np.flatnonzero(contributors.number > 0).tolist():
        held = set(contributors.held_by(s).tolist())
        assert set(np.flatnonzero((cells.codes == cells.codes[s]).all(axis=1)).tolist()) <= held
        assert all(who[c] <= who[s] for c in held)


def test_other_numbers_than_records_tell_nothing() -> None:
    """Where a table says of one measure that others answered, its cells hold others."""
    release = released([("v", "A", 1, 0), ("w", "B", 2, 2), ("x", "C", 1, 1)])
    contributors, cells = contributors_of(release)
    alone = int(np.flatnonzero((contributors.number == 1) & (cells.measure == 0))[0])
    same = np.flatnonzero((cells.codes == cells.codes[alone]).all(axis=1))
    assert set(contributors.held_by(alone).tolist()) >= set(same.tolist())
    units = cells.frequency.units.copy()
    units[same[1]] = 2
    other = replace(cells, frequency=replace(cells.frequency, units=units))
    again = Contributors(release, other, *[np.arange(len(cells))] * 3, nonnegative=True)
    assert same[1] not in again.held_by(alone)
