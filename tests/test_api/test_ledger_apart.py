"""Earlier tables that nothing relates to a new release are not judged again, and nothing is lost by that."""

from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.io import release_from_document
from tableseal.audit.model import Policy, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.publications import Publication, assess, publish
from tableseal.audit.publications.known import NEW, Shelf
from tableseal.audit.report import Report

YEARS, REGIONS, SEXES = ("1", "2"), ("a", "b", "c"), ("F", "M")
BY = {"region": (*REGIONS, "T"), "sex": (*SEXES, "T")}
EQUATION = (("z", -1), ("x", 1), ("y", 1))

Units = Mapping[tuple[str, str, str, str], int]
"""(measure, year, region, sex) -> true value."""


def drawn(random: Random) -> Units:
    keys = [(m, y, r, s) for m in ("x", "y", "z") for y in YEARS for r in REGIONS for s in SEXES]
    units = {key: random.choice([0, 1, 2, 5, 9]) for key in keys}
    for _, y, r, s in keys:
        units["z", y, r, s] = units["x", y, r, s] + units["y", y, r, s]
    return units


def value(units: Units, measure: str, year: str, cell: Mapping[str, str]) -> int:
    return sum(
        found
        for (m, y, r, s), found in units.items()
        if m == measure and y == year and cell.get("region", "T") in (r, "T") and cell.get("sex", "T") in (s, "T")
    )


def released(units: Units, random: Random, tables: list[tuple[str, str, str]], *, linked: bool = False) -> Release:
    """Tables (measure, year, variable), some of whose cells are withheld; linked: z = x + y is said of all years."""
    said = []
    for measure, year, by in tables:
        cells = [{by: code} for code in BY[by]]
        held = [random.random() < 0.6 and code != "T" for code in BY[by]]
        said.append(
            {
                "name": f"{measure}_{year}_{by}",
                "measure": measure,
                "where": {"year": year},
                "cells": {
                    by: list(BY[by]),
                    "value": [value(units, measure, year, cell) for cell in cells],
                    "s": ["primary" if one else "" for one in held],
                },
                "status": "s",
            }
        )
    links = [
        {
            "terms": [[c, {"measure": m, "year": year}] for m, c in (("z", -1), ("x", 1), ("y", 1))],
            "lower": 0,
            "upper": 0,
        }
        for year in YEARS
    ]
    return release_from_document(
        {
            "tableseal": 1,
            "measures": {name: {"kind": "count"} for name in "xyz"},
            "variables": {
                "year": {"codes": list(YEARS)},
                "region": {"total": "T", "codes": list(REGIONS)},
                "sex": {"total": "T", "codes": list(SEXES)},
            },
            "tables": said,
        }
        | ({"links": links} if linked else {})
    )


def verdicts(report: Report) -> dict[Any, str]:
    return {(cell.measure, cell.cell): cell.verdict for cell in report.cells}


some_tables = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from(YEARS), st.sampled_from(sorted(BY))),
    min_size=1,
    max_size=3,
    unique=True,
)


@settings(max_examples=60, deadline=None)
@given(some_tables, some_tables, st.booleans(), st.integers(0, 10**6))
def test_nothing_is_lost(old: list[Any], new: list[Any], linked: bool, seed: int) -> None:
    """CONVENTION 487: what is judged is judged as beside everything, and what is left out as when it went out."""
    random = Random(seed)
    units = drawn(random)
    first = released(units, random, old)
    second = released(units, random, [one for one in new if one not in old] or [("x", "2", "sex")], linked=linked)
    out = publish(Publication("p"), first)
    found = assess(out, second)
    shelf = Shelf(out, second)
    everything = verdicts(audit(shelf.release([*shelf.tables(1), *shelf.tables(NEW)], None)).report)
    judged, alone = verdicts(found.report), verdicts(audit(first).report)
    for cell, verdict in everything.items():
        assert judged.get(cell, alone.get(cell)) == verdict
    left = set(out.entries[0].tables()) - set(found.audited)
    assert sum(note.count for note in found.report.notes if note.code == "apart") == len(left)


def years(**more: Any) -> tuple[Release, Release]:
    units = drawn(Random(1))
    one, two = (released(units, Random(year), [("x", year, "region"), ("x", year, "sex")], **more) for year in YEARS)
    return one, two


def test_another_year_is_not_judged_again() -> None:
    one, two = years()
    found = assess(publish(Publication("p"), one), two)
    assert {table.entry for table in found.audited} == {NEW}
    assert "2 earlier tables" in next(note.text for note in found.report.notes if note.code == "apart")


def test_what_went_out_all_the_same_is() -> None:
    """CONVENTION 487: nobody found it safe then."""
    one, two = years()
    found = assess(publish(Publication("p"), one, despite="asked for"), two)
    assert {table.entry for table in found.audited} == {1, NEW}


def test_other_rules_judge_everything() -> None:
    """CONVENTION 487"""
    one, two = years()
    found = assess(publish(Publication("p"), one), two, policy=Policy())
    assert {table.entry for table in found.audited} == {1, NEW}
