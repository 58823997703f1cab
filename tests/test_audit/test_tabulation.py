"""Tables made of microdata, against a slow reference that looks at every record for every cell."""

from fractions import Fraction
from itertools import product
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document
from tableseal.audit.model import Labels, Release
from tableseal.audit.pipeline import audit
from tableseal.audit.tabulation import holdings, largest
from tableseal.audit.tabulation.tabulate import with_contributors

TREE = {"N": {"N1": [], "N2": []}, "S": {"S1": {"S11": [], "S12": []}}, "W": []}
ABOVE = {
    "N1": ("N1", "N", "T"),
    "N2": ("N2", "N", "T"),
    "S11": ("S11", "S1", "S", "T"),
    "S12": ("S12", "S1", "S", "T"),
    "W": ("W", "T"),
}
"""Ragged: W ends just below the total."""
SIZES = {"a": ("a", "all"), "b": ("b", "all")}

RECORD = st.tuples(
    st.sampled_from(sorted(ABOVE)),
    st.sampled_from(sorted(SIZES)),
    st.integers(-20, 60),
    st.sampled_from(["0", "0.5", "1", "1.4", "3.25", "61234.12345678901", "0.00001234567890123456"]),
    st.sampled_from(["", "", "", "H", "G"]),
    st.sampled_from(["", "u1", "u2"]),
)
RECORDS = st.lists(RECORD, min_size=1, max_size=14)


def document(records: list[Any], *, weighted: bool, table: dict[str, Any] | None = None) -> dict[str, Any]:
    names = ("region", "size", "money", "w", "group", "unit")
    return {
        "tableseal": 1,
        "measures": {"money": {"kind": "magnitude"}, "persons": {"kind": "count"}},
        "variables": {"region": {"total": "T", "tree": TREE}, "size": {"total": "all", "codes": ["a", "b"]}},
        "tables": [{"name": "t", "measure": "money", "by": ["region", "size"], **(table or {})}],
        "microdata": {
            "cells": {name: [record[at] for record in records] for at, name in enumerate(names)},
            "values": {"money": "money"},
            "id": "unit",
            "holding": "group",
            **({"weight": "w"} if weighted else {}),
        },
        "intruder": {"nonnegative": False},
    }


def cells_of(release: Release, at: int = 0) -> dict[tuple[str, ...], int]:
    table = release.tables[at]
    return {
        tuple(release.cell_codes(row).values()): value
        for row, value in zip(table.codes, table.value.units.tolist(), strict=True)
    }


def of_cell(records: list[Any], region: str, size: str) -> list[Any]:
    return [(k, r) for k, r in enumerate(records) if region in ABOVE[r[0]] and size in SIZES[r[1]]]


REGIONS, ALL_SIZES = ("T", "N", "S", "W", "N1", "N2", "S1", "S11", "S12"), ("all", "a", "b")


@settings(max_examples=60, deadline=None)
@given(RECORDS)
def test_values_are_sums_over_the_records_of_each_cell(records: list[Any]) -> None:
    """CONVENTION 790."""
    found = cells_of(release_from_document(document(records, weighted=False)))
    expected = {
        (region, size): sum(r[2] for _, r in own)
        for region, size in product(REGIONS, ALL_SIZES)
        if (own := of_cell(records, region, size))
    }
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(RECORDS)
def test_counts_are_numbers_of_records(records: list[Any]) -> None:
    found = cells_of(release_from_document(document(records, weighted=False, table={"measure": "persons"})))
    assert found == {
        (region, size): len(own)
        for region, size in product(REGIONS, ALL_SIZES)
        if (own := of_cell(records, region, size))
    }


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.booleans(), st.integers(1, 4))
def test_contributors_count_once_in_every_cell(records: list[Any], weighted: bool, ranks: int) -> None:
    """CONVENTION 793."""
    release = release_from_document(document(records, weighted=weighted))
    assert release.microdata is not None
    table = with_contributors(release.tables[0], release.microdata, release.variables, release.measures["money"], ranks)
    assert table.frequency is not None
    assert (table.weighted is not None) == weighted
    for row, codes in enumerate(table.codes):
        own = of_cell(records, *release.cell_codes(codes).values())
        behind: dict[Any, list[Any]] = {}
        for k, r in own:
            behind.setdefault(("h", r[4]) if r[4] else ("u", r[5]) if r[5] else k, []).append(r)
        weight = {who: min(Fraction(r[3]) if weighted else Fraction(1) for r in each) for who, each in behind.items()}
        answered = {who: any(Fraction(r[3]) > 0 or not weighted for r in each) for who, each in behind.items()}
        assert table.frequency.get(row) == sum(answered.values())
        if table.weighted is not None:
            assert table.weighted.units[row] == floor(sum(weight.values(), Fraction(0)) * 10**6 + Fraction(1, 2))
        amounts = sorted((sum(r[2] for r in each) for each in behind.values()), key=lambda a: (-abs(a), -a))
        listed = [column.get(row) for column in table.contributors]
        assert listed == [*amounts[:ranks], *[None] * (ranks - len(amounts))]


@settings(max_examples=40, deadline=None)
@given(RECORDS)
def test_weighted_tables_add_up_and_are_near_the_weighted_sums(records: list[Any]) -> None:
    """CONVENTION 792."""
    release = release_from_document(document(records, weighted=True, table={"measure": "persons"}))
    found = cells_of(release)
    for region, size in found:
        exact = sum((Fraction(r[3]) for _, r in of_cell(records, region, size)), Fraction(0))
        combinations = len({(r[0], r[1]) for _, r in of_cell(records, region, size)})
        assert abs(found[region, size] - exact) <= combinations
    total = sum((Fraction(r[3]) for r in records), Fraction(0))
    assert found["T", "all"] == floor(total + Fraction(1, 2))
    for size in ALL_SIZES:
        assert found.get(("T", size), 0) == sum(found.get((region, size), 0) for region in ("N", "S", "W"))


@settings(max_examples=30, deadline=None)
@given(RECORDS, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_records_never_matters(records: list[Any], chance: Any, weighted: bool) -> None:
    """CONVENTION 790."""
    other = list(records)
    chance.shuffle(other)
    one, two = (release_from_document(document(r, weighted=weighted)) for r in (records, other))
    assert cells_of(one) == cells_of(two)


def test_contributors_in_one_pass_compiled_and_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    regions, sizes = sorted(ABOVE), sorted(SIZES)
    records = [
        (
            regions[rng.integers(5)],
            sizes[rng.integers(2)],
            int(rng.integers(-20, 20)),
            repr(float(rng.uniform(100, 9_000))),  # their sum is beyond 64 bits
            f"H{rng.integers(40)}",
            "",
        )
        for _ in range(300)
    ]
    release = release_from_document(document(records, weighted=True))
    assert release.microdata is not None

    def found() -> Any:
        assert release.microdata is not None
        table = with_contributors(release.tables[0], release.microdata, release.variables, release.measures["money"], 3)
        assert table.frequency is not None
        assert table.weighted is not None
        return (
            table.frequency.units.tolist(),
            table.weighted.units.tolist(),
            [column.units.tolist() for column in table.contributors],
        )

    whole = found()
    monkeypatch.setattr(holdings, "worth_compiling", lambda *_: True)
    assert found() == whole
    monkeypatch.setattr(holdings, "MOST_KEYS", 0)
    assert found() == whole
    monkeypatch.setattr(largest, "_BLOCK", 17)
    assert found() == whole
    monkeypatch.setattr(largest, "_FITS", 1)
    assert found() == whole


@pytest.mark.parametrize(
    ("levels", "regions"),
    [
        ({}, {"T", "N", "S", "W", "N1", "N2", "S1", "S11", "S12"}),
        ({"region": 1}, {"T", "N", "S", "W"}),
        ({"region": "2"}, {"T", "N", "S", "W", "N1", "N2", "S1"}),
        ({"region": 3}, {"T", "N", "S", "W", "N1", "N2", "S1", "S11", "S12"}),
    ],
)
def test_levels_by_number(levels: dict[str, Any], regions: set[str]) -> None:
    """CONVENTION 791."""
    records = [(region, "a", 1, "1", "", "") for region in ABOVE]
    release = release_from_document(document(records, weighted=False, table={"levels": levels}))
    assert {region for region, _ in cells_of(release)} == regions


def test_levels_by_name_keep_what_ends_above(tmp_path: Any) -> None:
    (tmp_path / "act.csv").write_text("A1,A2,A3\nM,M1,M11\nM,M1,M12\nM,M2,M2\nX,X,X\nY,,\n")
    written = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"act": {"total": "T", "levels": ["A1", "A2", "A3"], "file": "act.csv"}},
        "tables": [{"name": "t", "by": ["act"], "levels": {"act": "A2"}}],
        "microdata": {"cells": {"act": ["M11", "M12", "M2", "X", "Y"]}},
    }
    found = cells_of(release_from_document(written, folder=tmp_path))
    assert found == {("T",): 5, ("M",): 3, ("M1",): 2, ("M2",): 1, ("X",): 1, ("Y",): 1}
    written["tables"][0]["levels"] = {"act": "A4"}  # type: ignore[index]
    levels = r'found "A4", expected a level of "act" \(A1, A2, A3\), or a number from 1 to 3'
    with pytest.raises(InputError, match=levels):
        release_from_document(written, folder=tmp_path)


def test_groupings_that_cut_across_a_level_are_left_out() -> None:
    """CONVENTION 791."""
    written = {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "place": {"total": "T", "trees": [{"A": ["a1", "a2"], "B": ["b1", "b2"]}, {"coast": ["a1", "b1"]}]}
        },
        "tables": [{"name": "t", "by": ["place"], "levels": {"place": 1}}, {"name": "all", "by": ["place"]}],
        "microdata": {"cells": {"place": ["a1", "a2", "b1"]}},
    }
    release = release_from_document(written)
    assert cells_of(release) == {("T",): 3, ("A",): 2, ("B",): 1}
    assert cells_of(release, 1) == {("T",): 3, ("A",): 2, ("B",): 1, ("a1",): 1, ("a2",): 1, ("b1",): 1, ("coast",): 2}


def test_a_subpopulation_is_made_of_its_own_records() -> None:
    records = [("N1", "a", 5, "1", "", ""), ("S11", "a", 7, "1", "", ""), ("S12", "b", 2, "1", "", "")]
    release = release_from_document(document(records, weighted=False, table={"by": ["size"], "where": {"region": "S"}}))
    assert cells_of(release) == {("S", "all"): 9, ("S", "a"): 7, ("S", "b"): 2}


def test_the_report_is_that_of_the_same_table_written_down() -> None:
    """CONVENTION 790: of one table byte for byte."""
    rng = np.random.default_rng(11)
    regions, sizes = sorted(ABOVE), sorted(SIZES)
    records = [
        (regions[rng.integers(5)], sizes[rng.integers(2)], int(rng.integers(0, 99)), "1", "", f"u{k}")
        for k in range(40)
    ]
    made = document(records, weighted=False)
    made["intruder"] = {"nonnegative": True}
    made["policy"] = {"primary": [{"threshold": 3}, {"p_percent": 10}]}
    release = release_from_document(made)
    rows = [
        (*release.cell_codes(codes).values(), value)
        for codes, value in zip(release.tables[0].codes, release.tables[0].value.units.tolist(), strict=True)
    ]
    written = {
        **made,
        "tables": [
            {
                "name": "t",
                "measure": "money",
                "cells": {"region": [r[0] for r in rows], "size": [r[1] for r in rows], "value": [r[2] for r in rows]},
            }
        ],
    }
    other = release_from_document(written)
    assert canonical_json(other) == canonical_json(release)
    assert audit(other).report == audit(release).report


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"by": ["region", "age"]}, r'there is no variable "age"|"age"'),
        ({"by": ["region", "region"]}, r'the variable "region" stands twice'),
        ({"by": ["region"], "where": {"region": "N"}}, "is fixed by `where`"),
        ({"levels": {"sizes": 1}}, r'"sizes" is no variable of `by`'),
        ({"levels": {"region": 4}}, r'found "4", expected a number from 1 to 3'),
        ({"levels": {"region": 0}}, r'found "0", expected a number from 1 to 3'),
        ({"status": "s"}, r"made of the microdata has no `status`"),
        ({"measure": "persons", "where": {"size": "b"}, "by": ["region"]}, r'no record lies in the table "t"'),
    ],
)
def test_what_cannot_be_made_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        release_from_document(document([("N1", "a", 1, "1", "", "")], weighted=False, table=changes))


def test_records_that_lack_something_are_counted_and_the_first_are_named() -> None:
    """CONVENTION 794."""
    records = [
        ("N1", "a", 1, "1", "", ""),
        ("", "a", 1, "1", "", ""),
        ("N2", "", 1, "1", "", ""),
        ("", "b", 1, "1", "", ""),
    ]
    with pytest.raises(
        InputError, match=r'2 records have no code of "region" \(rows 2, 4\), which the table "t" needs'
    ):
        release_from_document(document(records, weighted=False))
    with pytest.raises(InputError, match=r'1 record has a code of "region" \(row 1\) that the table "t" breaks down'):
        release_from_document(document([("S1", "a", 1, "1", "", "")], weighted=False))
    with pytest.raises(InputError, match=r"1 record has no contribution \(row 2\) to money"):
        release_from_document(document([("N1", "a", 1, "1", "", ""), ("N1", "a", None, "1", "", "")], weighted=False))


def test_records_outside_a_subpopulation_need_no_code() -> None:
    records = [("N1", "a", 5, "1", "", ""), ("S11", "", 7, "1", "", "")]
    release = release_from_document(document(records, weighted=False, table={"by": ["size"], "where": {"region": "N"}}))
    assert cells_of(release) == {("N", "all"): 5, ("N", "a"): 5}


def test_no_microdata() -> None:
    written = document([("N1", "a", 1, "1", "", "")], weighted=False)
    del written["microdata"]
    with pytest.raises(InputError, match="`by` says what is made of `microdata`, and the release has none"):
        release_from_document(written)


def test_labels_are_a_sequence_of_texts() -> None:
    labels = Labels.of(["b", "", "b", "a"])
    assert list(labels) == ["b", "", "b", "a"]
    assert labels == ["b", "", "b", "a"]
    assert labels[1:] == ["", "b", "a"]
    assert labels.number.tolist() == [0, 1, 0, 2]
