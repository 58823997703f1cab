"""Reconstruction of small areas, against all tables of inner cells there are."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io import release_from_document
from tableseal.audit.reconstruction import reconstruct as module
from tableseal.audit.reconstruction.reconstruct import Effort, Reconstructed, reconstruct
from tableseal.audit.reconstruction.tables import AreaTables, area_tables

AREAS = ("A", "B")
CODES = {"sex": ("F", "M"), "age": ("0", "1", "2"), "race": ("x", "y")}
TREES: dict[str, Any] = {"sex": {"F": [], "M": []}, "age": {"young": ["0", "1"], "2": []}, "race": {"x": [], "y": []}}
SPANNING = [
    ("sex",),
    ("age",),
    ("age@1",),
    ("sex", "age"),
    ("sex", "age@1"),
    ("age", "race"),
    ("sex", "race"),
    ("race",),
]

Person = tuple[str, str, str, str]


def document(persons: list[Person], tables: list[tuple[str, ...]]) -> dict[str, Any]:
    """Margins as tables that list their inner cells alone."""
    made = []
    for k, by in enumerate(tables):
        names = [name.removesuffix("@1") for name in by]
        counts: dict[tuple[str, ...], int] = {}
        for area, *codes in persons:
            own = dict(zip(CODES, codes, strict=True))
            cell = (area, *(broad(own[n.removesuffix("@1")]) if "@" in n else own[n] for n in by))
            counts[cell] = counts.get(cell, 0) + 1
        every = product(AREAS, *(("young", "2") if "@" in name else CODES[name] for name in by))
        rows = [(cell, counts.get(cell, 0)) for cell in every]
        columns = {name: [cell[at] for cell, _ in rows] for at, name in enumerate(["area", *names])}
        made.append({"name": f"t{k}", "cells": {**columns, "value": [count for _, count in rows]}})
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "area": {"total": "T", "codes": list(AREAS)},
            **{name: {"total": "T", "tree": tree} for name, tree in TREES.items()},
        },
        "tables": made,
    }


def broad(age: str) -> str:
    return "young" if age in ("0", "1", "young") else "2"


def tables_of(persons: list[Person], by: list[tuple[str, ...]]) -> AreaTables:
    return area_tables(release_from_document(document(persons, by)), "area", Place("release"))


def by_hand(persons: list[Person], by: list[tuple[str, ...]], area: str) -> tuple[int, int, bool]:
    """Tables of inner cells that fit, records that are certain, and whether there is one table."""
    own = [person[1:] for person in persons if person[0] == area]
    names = sorted({name.removesuffix("@1") for table in by for name in table})
    fine = {name for table in by for name in table if "@" not in name}

    def inner(person: tuple[str, ...]) -> tuple[str, ...]:
        codes = dict(zip(CODES, person, strict=True))
        return tuple(codes[name] if name in fine else broad(codes[name]) for name in names)

    def margins(cells: list[tuple[str, ...]]) -> list[dict[tuple[str, ...], int]]:
        found = []
        for table in by:
            counts: dict[tuple[str, ...], int] = {}
            for cell in cells:
                codes = dict(zip(names, cell, strict=True))
                key = tuple(broad(codes["age"]) if "@" in name else codes[name] for name in table)
                counts[key] = counts.get(key, 0) + 1
            found.append(counts)
        return found

    wanted = margins([inner(person) for person in own])
    kinds = [CODES[name] if name in fine else ("young", "2") for name in names]
    cells = list(product(*kinds))
    fitting = [counts for counts in spread(len(own), len(cells)) if margins(multiset(cells, counts)) == wanted]
    certain = sum(min(counts[k] for counts in fitting) for k in range(len(cells)))
    return len(fitting), certain, len(fitting) == 1


def multiset(cells: list[tuple[str, ...]], counts: tuple[int, ...]) -> list[tuple[str, ...]]:
    return [cell for cell, count in zip(cells, counts, strict=True) for _ in range(count)]


def spread(number: int, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to put so many persons into so many cells."""
    if cells == 1:
        yield (number,)
        return
    for first in range(number + 1):
        for rest in spread(number - first, cells - 1):
            yield (first, *rest)


PERSONS = st.lists(
    st.tuples(st.sampled_from(AREAS), *(st.sampled_from(codes) for codes in CODES.values())), min_size=1, max_size=4
)
TABLES = st.lists(st.sampled_from(SPANNING), min_size=1, max_size=3, unique=True)


@settings(max_examples=60, deadline=None)
@given(PERSONS, TABLES, st.sampled_from([Effort(10**6), Effort(10**6, 0), Effort(2), Effort(2, 1)]))
def test_areas_are_as_all_their_tables_say(persons: list[Person], by: list[tuple[str, ...]], effort: Effort) -> None:
    """CONVENTION 1040 and 1041: whether the search finds it, or programs after it was stopped."""
    for area, found in zip(AREAS, reconstruct(tables_of(persons, by), effort), strict=True):
        tables, certain, unique = by_hand(persons, by, area)
        assert found.units == sum(person[0] == area for person in persons)
        assert found.certain == (certain, certain)
        assert found.unique is unique
        if found.exact:
            assert found.tables == tables
        else:
            assert found.tables <= tables
        if effort == Effort(10**6):
            assert found.exact


def test_compiled_and_in_parallel_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    persons = [(str(random.choice(AREAS)), *(str(random.choice(codes)) for codes in CODES.values())) for _ in range(30)]
    tables = tables_of(persons, [("sex", "age"), ("race",), ("sex", "race")])  # type: ignore[arg-type]  # four texts
    plain = reconstruct(tables, Effort(50))
    monkeypatch.setattr(module, "WORTH_COMPILING", 0)
    monkeypatch.setattr(module, "TOGETHER", 1)
    assert reconstruct(tables, Effort(50)) == plain


def test_an_area_without_persons_and_one_person() -> None:
    first, other = reconstruct(tables_of([("A", "F", "0", "x")], [("sex", "age"), ("race",)]))
    assert first == Reconstructed(1, 1, 1, True, True, (1, 1), ((0, 1),))
    assert other == Reconstructed(0, 0, 1, True, True, (0, 0))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rounding": {"base": 3, "method": "random"}}, "rounded or changed"),
        ({"absent": {"leaves": "not_released"}}, "whole tables"),
        ({"where": {"race": "x"}}, "of a part of"),
        ({"status": {"column": "s", "map": {"c": "withheld"}}}, "is not published"),
    ],
)
def test_other_than_exact_whole_tables_are_refused(change: dict[str, Any], said: str) -> None:
    """CONVENTION 1040."""
    found = document([("A", "F", "0", "x")] * 3, [("sex", "age"), ("race",)])
    found["tables"][0] |= change
    if "status" in change:
        found["tables"][0]["cells"]["s"] = ["c", *[""] * 11]
    if "rounding" in change:
        found["tables"][0]["cells"]["value"] = [3, *[0] * 11]
    with pytest.raises(InputError, match=said):
        area_tables(release_from_document(found), "area", Place("release"))


def test_what_is_no_variable_or_no_table_of_areas_is_refused() -> None:
    release = release_from_document(document([("A", "F", "0", "x")], [("sex",)]))
    with pytest.raises(InputError, match='did you mean "area"'):
        area_tables(release, "aera", Place("release"))
    with pytest.raises(InputError, match="no table of counts"):
        area_tables(release, "race", Place("release"))


def test_tables_that_contradict_each_other_are_refused() -> None:
    found = document([("A", "F", "0", "x"), ("A", "M", "1", "y")], [("sex", "age"), ("race",), ("sex", "race")])
    values = found["tables"][1]["cells"]["value"]
    found["tables"][1]["cells"]["value"] = [2, 0, *values[2:]]
    with pytest.raises(InputError, match='area "A": no table'):
        reconstruct(area_tables(release_from_document(found), "area", Place("release")))
    found["tables"][1]["cells"]["value"] = [2, 1, *values[2:]]
    with pytest.raises(InputError, match="counts 2 in all"):
        reconstruct(area_tables(release_from_document(found), "area", Place("release")))


def test_areas_with_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableseal.audit.reconstruction.area.MOST", 3)
    with pytest.raises(LimitError, match="leave a variable out"):
        reconstruct(tables_of([("A", *p) for p in product(*CODES.values())], [("sex", "age"), ("race",)]))  # type: ignore[misc]
