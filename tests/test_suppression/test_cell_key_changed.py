"""Counts of releases, changed by cell keys: the same cell is changed alike wherever it stands."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, release_from_document
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.suppression.protections.cell_keys.changed import ChangedCounts, Changes, changed_counts
from tableseal.suppression.protections.cell_keys.entropy import Wanted
from tableseal.suppression.protections.cell_keys.of_release import CellKeys, keys_of_cells
from tableseal.suppression.protections.cell_keys.ptable import table_of

SECRET = "a secret of enough letters"
CODES = {"sex": ["F", "M"], "area": ["N1", "N2", "S1"], "age": ["young", "old"]}
TREES = {"N": ["N1", "N2"], "S": ["S1"]}
WANTED = Wanted(range=3, variance=1.5, never=1)

Person = tuple[str, str, str, str]
"""Identifier, sex, area, age."""


def counted(people: list[Person], names: list[str]) -> dict[str, list[Any]]:
    """All cells with margins of a table, one row each."""
    at = {"sex": 1, "area": 2, "age": 3}
    rows: list[list[str]] = [[]]
    for name in names:
        more = [*TREES] if name == "area" else []
        rows = [[*row, code] for row in rows for code in [*CODES[name], *more, "T"]]

    def inside(person: Person, name: str, code: str) -> bool:
        own = person[at[name]]
        return code in ("T", own) or own in TREES.get(code, ())

    value = [sum(all(inside(p, n, c) for n, c in zip(names, row, strict=True)) for p in people) for row in rows]
    return {name: [row[k] for row in rows] for k, name in enumerate(names)} | {"value": value}


def document(people: list[Person], tables: list[list[str]], **more: Any) -> dict[str, Any]:
    records = {"pid": [p[0] for p in people]} | {n: [p[k] for p in people] for k, n in enumerate(CODES, start=1)}
    variables = {n: {"total": "T", "codes": codes} for n, codes in CODES.items() if n != "area"}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": variables | {"area": {"total": "T", "tree": TREES}},
        "tables": [{"name": "_".join(names), "cells": counted(people, names)} for names in tables],
        "microdata": {"cells": records, "id": "pid"},
    } | more


def changed(release: Release, changes: Changes, **of_keys: Any) -> tuple[dict[Any, int], ChangedCounts, CellKeys]:
    cells, _ = merge_cells(release)
    counts = cells.lower.units
    keys = keys_of_cells(release, cells, counts, **of_keys)
    found = changed_counts(release, cells, counts, np.zeros(len(counts), np.bool_), keys, changes, Limits())
    names = [tuple(sorted(release.cell_codes(row).items())) for row in cells.codes]
    return dict(zip(names, found.shown.tolist(), strict=True)), found, keys


persons = st.lists(st.tuples(*(st.sampled_from(codes) for codes in CODES.values())), min_size=1, max_size=40).map(
    lambda entries: [(f"p{k}", *entry) for k, entry in enumerate(entries)]
)


@settings(max_examples=10, deadline=None)
@given(persons, st.randoms(use_true_random=False))
def test_a_cell_is_changed_alike_in_every_table_order_and_release(people: list[Person], random: Any) -> None:
    """CONVENTION 740 and 747: linked tables, another order of records, rows and tables, and one table alone."""
    tables = [["sex", "area"], ["area", "age"]]
    first, _, _ = changed(release_from_document(document(people, tables)), Changes(WANTED), secret=SECRET)
    other = list(people)
    random.shuffle(other)
    again = document(other, tables[::-1])
    for table in again["tables"]:
        order = list(range(len(table["cells"]["value"])))
        random.shuffle(order)
        table["cells"] = {name: [column[k] for k in order] for name, column in table["cells"].items()}
    second, _, _ = changed(release_from_document(again), Changes(WANTED), secret=SECRET)
    assert first == second
    alone, _, _ = changed(release_from_document(document(people, [["area"]])), Changes(WANTED), secret=SECRET)
    assert alone.items() <= first.items()


@settings(max_examples=10, deadline=None)
@given(persons, st.data())
def test_who_is_not_in_a_cell_changes_nothing(people: list[Person], data: st.DataObject) -> None:
    """CONVENTION 740: after records are deleted, cells without any of them are changed as before."""
    gone = data.draw(st.sampled_from(people))
    rest = [p for p in people if p != gone]
    if not rest:
        return
    before, _, _ = changed(release_from_document(document(people, [["sex", "area"]])), Changes(WANTED), secret=SECRET)
    after, _, _ = changed(release_from_document(document(rest, [["sex", "area"]])), Changes(WANTED), secret=SECRET)
    for cell, shown in after.items():
        codes = dict(cell)
        elsewhere = codes["area"] not in (gone[2], "T") and gone[2] not in TREES.get(codes["area"], [])
        if elsewhere or codes["sex"] not in (gone[1], "T"):
            assert before[cell] == shown


@settings(max_examples=10, deadline=None)
@given(persons)
def test_counts_keep_what_is_stated(people: list[Person]) -> None:
    """CONVENTION 743 and 746: range, zeros, gaps; and the additive table adds up over linked tables."""
    release = release_from_document(document(people, [["sex", "area"], ["area", "age"]]))
    cells, _ = merge_cells(release)
    counts = cells.lower.units
    for changes in (Changes(WANTED), Changes(replace(WANTED, range=6), additive=True)):
        shown, found, _ = changed(release, changes, secret=SECRET)
        assert (np.abs(found.shown - counts) <= changes.wanted.range).all()
        assert not (found.shown[counts == 0]).any()
        assert not (found.shown == 1).any()
    assert found.additive is not None
    assert found.additive.bound <= found.additive.distortion
    value = {tuple(code for _, code in cell): n for cell, n in shown.items()}  # age, area, sex
    for area in [*CODES["area"], *TREES, "T"]:
        assert (
            value["T", area, "T"]
            == sum(value["T", area, s] for s in "FM")
            == sum(value[a, area, "T"] for a in ("old", "young"))
        )
    for sex in [*"FM", "T"]:
        assert value["T", "N", sex] == value["T", "N1", sex] + value["T", "N2", sex]
        assert value["T", "T", sex] == value["T", "N", sex] + value["T", "S", sex]


PEOPLE: list[Person] = [(f"p{k}", "FM"[k % 2], ["N1", "N2", "S1"][k % 3], ["young", "old"][k % 2]) for k in range(12)]


def test_keys_of_records_and_of_cells_give_the_same() -> None:
    given_keys = [str(17 * k % 256) for k in range(12)]
    told = document(PEOPLE, [["sex", "area"]])
    told["microdata"]["cells"]["k"] = given_keys
    told["microdata"]["key"] = "k"
    release = release_from_document(told)
    first, _, keys = changed(release, Changes(WANTED), modulus=256)
    cells, _ = merge_cells(release)
    order = np.argsort(cells.listing_table, kind="stable")
    del told["microdata"]
    told["tables"][0]["cells"]["ck"] = [str(k) for k in keys.key[cells.listing_cell[order]].tolist()]
    told["tables"][0]["cell_key"] = "ck"
    tabled = release_from_document(told)
    second, _, _ = changed(tabled, Changes(WANTED), modulus=256)
    assert first == second
    assert canonical_document(release_from_document(canonical_document(tabled))) == canonical_document(tabled)
    assert canonical_document(release_from_document(canonical_document(release))) == canonical_document(release)


def test_a_threshold_withholds_what_is_below_it() -> None:
    release = release_from_document(document(PEOPLE, [["sex", "area"]]))
    _, found, _ = changed(release, Changes(WANTED, threshold=4), secret=SECRET)
    assert (found.known == (found.shown >= 4)).all()
    assert found.most_withheld == 4 - 1 + 3


USUAL = Changes(WANTED)


def refusal(told: dict[str, Any], changes: Changes = USUAL, **of_keys: Any) -> str:
    with pytest.raises(InputError) as error:
        changed(release_from_document(told), changes, **of_keys)
    return str(error.value)


def test_releases_that_cannot_be_changed() -> None:
    """CONVENTION 741 and 747."""
    told = document(PEOPLE, [["sex", "area"]])
    assert "cell keys need keys" in refusal(told)
    assert "at least 16 characters" in refusal(told, secret="short")
    told["tables"][0]["cells"]["value"][0] += 1
    told["tables"][0]["absent"] = {"leaves": "not_released", "totals": "not_released"}
    message = refusal(told, secret=SECRET)
    assert 'sex=F, age=T, area=N1 in table "sex_area": its count is not the number of its records' in message
    coarse = document(PEOPLE, [["sex", "area"]])
    coarse["microdata"]["cells"]["area"][0] = "N"
    assert "open whether some records belong to it" in refusal(coarse, secret=SECRET)
    holes = document(PEOPLE, [["sex", "area"]])
    holes["microdata"] |= {"key": "k"}
    holes["microdata"]["cells"]["k"] = ["1"] * 5 + [""] * 7
    assert "7 of 12 records have no key; more than half" in refusal(holes, modulus=256)
    assert "have keys of their own" in refusal(holes, modulus=256, secret=SECRET)


def test_tables_that_cannot_be_used() -> None:
    zero = (0, [(255, 0)])
    biased = table_of([zero, (1, [(127, -1), (255, 2)])], 256)
    told = document(PEOPLE, [["sex", "area"]])
    told["microdata"] |= {"key": "k"}
    told["microdata"]["cells"]["k"] = [str(k) for k in range(12)]
    assert "the table is biased" in refusal(told, Changes(Wanted(2, 1.0), own=biased), modulus=256)
    assert "a change by 2, expected at most 1" in refusal(told, Changes(Wanted(1, 1.0), own=biased), modulus=256)
    fair = table_of([zero, (1, [(127, -1), (255, 1)])], 256)
    assert "for keys below 256, and these are below 512" in refusal(
        told, Changes(Wanted(1, 1.0), own=fair), modulus=512
    )
    assert "cannot add up" in refusal(told, Changes(WANTED, threshold=3, additive=True), modulus=256)


def test_where_nothing_adds_up_the_least_range_is_told() -> None:
    """Two areas of one person each: within 1, 1 becomes 0 and their total of 2 becomes 3."""
    people: list[Person] = [("p0", "F", "N1", "old"), ("p1", "F", "S1", "old")]
    told = document(people, [["area"]])
    wanted = Wanted(range=2, variance=1.05, never=1)
    shown, _, _ = changed(release_from_document(told), Changes(wanted, additive=True), secret=SECRET)
    assert shown
    own = table_of([(0, [(9, 0)]), (1, [(9, -1)]), (2, [(9, 1)])], 10)
    narrow = Changes(Wanted(1, 1.0, never=2), own=own, unbiased_from=None, additive=True)
    told["microdata"] |= {"key": "k"}
    told["microdata"]["cells"]["k"] = ["0", "1"]
    message = refusal(told, narrow, modulus=10)
    assert message == "range: no table that adds up is within 1 of the true counts; the least range with one is 2."


def test_what_is_stated_publicly() -> None:
    """CONVENTION 744: the share that stays is not told of additive tables, in which it is another."""
    changes = Changes(Wanted(3, 1.5, never=1, unchanged=0.3))
    assert (changes.stated.range, changes.stated.never, changes.stated.unchanged) == (3, 1, Fraction(3, 10))
    assert replace(changes, additive=True).stated.unchanged is None
