"""Counts of releases, changed by cell keys: the same cell is changed alike wherever it stands."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_key_data import ons_long_form, records
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import canonical_document, release_from_document
from tableseal.audit.io.record_keys import keys_of_identifiers
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.suppression.protections.cell_keys.changed import ChangedCounts, changed_counts
from tableseal.suppression.protections.cell_keys.of_release import keys_of_cells
from tableseal.suppression.protections.cell_keys.settings import CellKeySettings

SECRET = "a secret of enough letters"
CODES = {"sex": ["F", "M"], "area": ["N1", "N2", "S1"], "age": ["young", "old"]}
TREES = {"N": ["N1", "N2"], "S": ["S1"]}
USUAL = CellKeySettings(range=3, variance=Fraction(3, 2), never=1)

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
    people_keys = keys_of_identifiers([p[0] for p in people], SECRET, Place())
    own = {"pid": [p[0] for p in people]} | {n: [p[k] for p in people] for k, n in enumerate(CODES, start=1)}
    variables = {n: {"total": "T", "codes": codes} for n, codes in CODES.items() if n != "area"}
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": variables | {"area": {"total": "T", "tree": TREES}},
        "tables": [{"name": "_".join(names), "cells": counted(people, names)} for names in tables],
        "microdata": {"cells": own | {"k": list(people_keys)}, "id": "pid", "key": "k"},
    } | more


def changed(release: Release, changes: CellKeySettings = USUAL) -> tuple[dict[Any, int], ChangedCounts]:
    cells, _ = merge_cells(release)
    counts = cells.lower.units
    found = changed_counts(release, cells, counts, np.zeros(len(counts), np.bool_), changes, Limits())
    names = [tuple(sorted(release.cell_codes(row).items())) for row in cells.codes]
    return dict(zip(names, found.shown.tolist(), strict=True)), found


persons = st.lists(st.tuples(*(st.sampled_from(codes) for codes in CODES.values())), min_size=1, max_size=40).map(
    lambda entries: [(f"p{k}", *entry) for k, entry in enumerate(entries)]
)


@settings(max_examples=10, deadline=None)
@given(persons, st.randoms(use_true_random=False))
def test_a_cell_is_changed_alike_in_every_table_order_and_release(people: list[Person], random: Any) -> None:
    """CONVENTION 740 and 747: linked tables, another order of records, rows and tables, and one table alone."""
    tables = [["sex", "area"], ["area", "age"]]
    first, _ = changed(release_from_document(document(people, tables)))
    other = list(people)
    random.shuffle(other)
    again = document(other, tables[::-1])
    for table in again["tables"]:
        order = list(range(len(table["cells"]["value"])))
        random.shuffle(order)
        table["cells"] = {name: [column[k] for k in order] for name, column in table["cells"].items()}
    second, _ = changed(release_from_document(again))
    assert first == second
    alone, _ = changed(release_from_document(document(people, [["area"]])))
    assert alone.items() <= first.items()


@settings(max_examples=10, deadline=None)
@given(persons, st.data())
def test_who_is_not_in_a_cell_changes_nothing(people: list[Person], data: st.DataObject) -> None:
    """CONVENTION 740: after records are deleted, cells without any of them are changed as before."""
    gone = data.draw(st.sampled_from(people))
    rest = [p for p in people if p != gone]
    if not rest:
        return
    before, _ = changed(release_from_document(document(people, [["sex", "area"]])))
    after, _ = changed(release_from_document(document(rest, [["sex", "area"]])))
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
    for changes in (USUAL, replace(USUAL, range=6, additive=True)):
        shown, found = changed(release, changes)
        assert (np.abs(found.shown - counts) <= found.stated.range).all()
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
    """CONVENTION 747: whole keys with a modulus; the canonical form keeps both."""
    told = document(PEOPLE, [["sex", "area"]])
    told["microdata"]["cells"]["k"] = [str(17 * k % 256) for k in range(12)]
    release = release_from_document(told)
    first, _ = changed(release, replace(USUAL, modulus=256))
    cells, _ = merge_cells(release)
    keys = keys_of_cells(release, cells, cells.lower.units, modulus=256)
    order = np.argsort(cells.listing_table, kind="stable")
    del told["microdata"]
    told["tables"][0]["cells"]["ck"] = [str(k) for k in keys.key[cells.listing_cell[order]].tolist()]
    told["tables"][0]["cell_key"] = "ck"
    tabled = release_from_document(told)
    second, _ = changed(tabled, replace(USUAL, modulus=256))
    assert first == second
    for one in (release, tabled):
        assert canonical_document(release_from_document(canonical_document(one))) == canonical_document(one)


def test_keys_from_a_file_with_a_secret(tmp_path: Path) -> None:
    """CONVENTION 740: only the keys are kept."""
    (tmp_path / "secret.txt").write_text(f"{SECRET}\n")
    told = document(PEOPLE, [["sex", "area"]])
    keys = tuple(told["microdata"]["cells"].pop("k"))
    told["microdata"] |= {"key": None, "secret_file": "secret.txt"}
    release = release_from_document(told, folder=tmp_path)
    assert release.microdata is not None
    assert release.microdata.key == keys
    assert SECRET not in str(canonical_document(release))
    assert [path.name for path in release.files] == ["secret.txt"]
    (tmp_path / "secret.txt").write_text("short")
    with pytest.raises(
        InputError, match=r"secret_file: expected a file with a secret of at least 16 characters"
    ) as error:
        release_from_document(told, folder=tmp_path)
    assert "short" not in str(error.value)
    told["microdata"] |= {"id": None}
    with pytest.raises(InputError, match="secret_file: keys are made of `id` and a secret"):
        release_from_document(told, folder=tmp_path)


def test_a_threshold_withholds_what_is_below_it() -> None:
    release = release_from_document(document(PEOPLE, [["sex", "area"]]))
    _, found = changed(release, replace(USUAL, withhold_below=4))
    assert (found.known == (found.shown >= 4)).all()
    assert found.most_withheld == 4 - 1 + 3


def ons_release() -> dict[str, Any]:
    """The ONS records with their own perturbation table: all 40 cells of var1 = 1 that are given."""
    rows, expected = records("ons_records.csv"), records("ons_expected.csv")
    names = ["var1", "var5", "var8"]
    cells = {name: [row[name] for row in expected] for name in names}
    cells["value"] = [row["pre_sdc_count"] for row in expected]
    columns = {name: [row[name] for row in rows] for name in [*names, "record_key"]}
    table = ons_long_form()
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {name: {"codes": sorted({row[name] for row in rows})} for name in names},
        "tables": [{"name": "t", "cells": cells, "absent": {"leaves": "not_released"}}],
        "microdata": {"cells": columns, "key": "record_key"},
        "ptable": {"cells": {name: list(entries) for name, entries in table.data.items()}},
    }


def test_a_release_with_a_perturbation_table_of_its_own() -> None:
    """All 40 given cells (data/perturbation/cellkey_expected.csv) through the release; what is stated follows from the
    table: nothing moves by more than 9, and 1 to 9 are never published."""
    release = release_from_document(ons_release())
    shown, found = changed(release, CellKeySettings(modulus=256, unbiased_from=10**6, withhold_below=10))
    for row in records("ons_expected.csv"):
        cell = tuple(sorted((name, row[name]) for name in ("var1", "var5", "var8")))
        assert shown[cell] == int(row["pre_sdc_count"]) + int(row["pvalue"])
    assert sorted(n for n, known in zip(found.shown, found.known, strict=True) if known) == sorted(
        int(row["count"]) for row in records("ons_expected.csv") if row["count"]
    )
    assert (found.stated.range, found.stated.never) == (9, 9)


def refusal(told: dict[str, Any], changes: CellKeySettings = USUAL) -> str:
    with pytest.raises(InputError) as error:
        changed(release_from_document(told), changes)
    return str(error.value)


def test_releases_that_cannot_be_changed() -> None:
    """CONVENTION 741, 747 and 1016."""
    told = document(PEOPLE, [["sex", "area"]])
    told["tables"][0]["cells"]["value"][0] += 1
    told["tables"][0]["absent"] = {"leaves": "not_released", "totals": "not_released"}
    message = refusal(told)
    assert 'sex=F, age=T, area=N1 in table "sex_area": its count is not the number of its records' in message
    coarse = document(PEOPLE, [["sex", "area"]])
    coarse["microdata"]["cells"]["area"][0] = "N"
    assert "open whether some records belong to it" in refusal(coarse)
    holes = document(PEOPLE, [["sex", "area"]])
    holes["microdata"]["cells"]["k"] = ["1"] * 5 + [""] * 7
    assert "7 of 12 records have no key; more than half" in refusal(holes, replace(USUAL, modulus=256))
    holes["microdata"]["cells"]["k"] = ["1"] * 6 + [""] * 6
    assert "row 7: has no key (6 of 12 records have none)" in refusal(holes, replace(USUAL, modulus=256))
    _, found = changed(release_from_document(holes), replace(USUAL, modulus=256, missing_keys=True))
    assert [note.count for note in found.notes] == [6]
    none = document(PEOPLE, [["sex", "area"]])
    none["microdata"]["key"] = None
    assert "cell keys need keys" in refusal(none)
    magnitude = document(PEOPLE, [["sex", "area"]], kind="magnitude")
    assert "measure value is no count" in refusal(magnitude)


def ptable(text: str) -> dict[str, Any]:
    """A release with whole keys below 4, two persons in two areas, and a table in the long form."""
    told = document([("p0", "F", "N1", "old"), ("p1", "F", "S1", "old")], [["area"]])
    told["microdata"]["cells"]["k"] = ["0", "1"]
    entries = [entry.split(":") for entry in text.split()]
    rows = [(count, str(key), change) for count, changes in entries for key, change in enumerate(changes.split(","))]
    told["ptable"] = {"cells": {name: [r[k] for r in rows] for k, name in enumerate(("pcv", "ckey", "pvalue"))}}
    return told


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("1:-1,0,0,2 2:0,0,0,0", CellKeySettings(), "value 1: found changes of 0.25 in the mean"),
        ("1:-1,-1,0,2 2:0,0,0,0", CellKeySettings(range=1), "a change by 2, expected at most 1"),
        ("1:-1,-1,0,2 2:0,0,0,0", CellKeySettings(never=1), "a result of 1, expected no result from 1 to 1"),
        (
            "1:-1,-1,0,2 2:0,0,0,0",
            CellKeySettings(variance=Fraction(1)),
            "variance: the release has a perturbation table",
        ),
        ("1:-1,-1,0,2 2:0,0,0,0", CellKeySettings(modulus=8), "has changes for 4 keys; expected one for each of 8"),
        ("1:-1,-1,1,1 2:-3,1,1,1", CellKeySettings(), "value 2: found a change by -3, expected no result below zero"),
    ],
)
def test_tables_that_cannot_be_used(text: str, changes: CellKeySettings, message: str) -> None:
    """CONVENTION 743."""
    assert message in refusal(ptable(text), replace(changes, modulus=changes.modulus or 4))


def test_settings_that_are_missing_or_do_not_go_together() -> None:
    told = document(PEOPLE, [["area"]])
    assert "needs range, or the release a perturbation table" in refusal(told, CellKeySettings())
    assert "needs variance" in refusal(told, CellKeySettings(range=3))
    with pytest.raises(InputError, match="withhold_below: what is withheld cannot add up"):
        CellKeySettings(withhold_below=3, additive=True)
    with pytest.raises(InputError, match="unbiased_from: expected 0 or more"):
        CellKeySettings(unbiased_from=-1)


def test_where_nothing_adds_up_the_least_range_is_told() -> None:
    """CONVENTION 746: two areas of one person each: 1 becomes 0 within 1, and their total of 2 becomes 3."""
    told = ptable("1:-1,-1,-1,-1 2:1,1,1,1")
    changes = CellKeySettings(modulus=4, unbiased_from=9, never=1, additive=True)
    assert changed(release_from_document(told), changes)[1].additive is not None
    message = refusal(told, replace(changes, never=2))
    assert message == "range: no table that adds up is within 1 of the true counts; the least range with one is 2."


def test_what_is_stated_publicly() -> None:
    """CONVENTION 744: the share that stays is not told of additive tables, in which it is another."""
    release = release_from_document(document(PEOPLE, [["sex", "area"]]))
    changes = replace(USUAL, unchanged=Fraction(3, 10))
    stated = changed(release, changes)[1].stated
    assert (stated.range, stated.never, stated.unchanged) == (3, 1, Fraction(3, 10))
    assert changed(release, replace(changes, additive=True))[1].stated.unchanged is None
