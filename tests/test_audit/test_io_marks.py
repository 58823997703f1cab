"""Marks in value columns: read as what the release says, or named; never a zero or an absent row without a word."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import (
    canonical_document,
    canonical_json,
    infer_document,
    read_release,
    release_from_document,
    write_document,
)
from tableseal.audit.io.document import MarkWord
from tableseal.audit.io.statuses.usual_marks import _KNOWN, _OPEN, usual_mark
from tableseal.audit.model import Release, Status

quiet = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS: list[str] = list(MarkWord.__args__)
RANGES = ["<10", "< 10", "≤9", "<=9", "1-9", "1–9", "1 to 9", ">9", "10+", "≥10", "fewer than 10", "9 or less"]
MARKS = [*_KNOWN, *_OPEN, *RANGES]
meanings = st.sampled_from(WORDS) | st.sampled_from([[0, 9], [1, 9], [None, 9], [10, None], ["2", "2"]])


def release(values: list[Any], marks: dict[str, Any] | None = None, **table: Any) -> Release:
    cells = {"a": ["T", "k", "l", "m"], "value": values, **table.pop("cells", {})}
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}},
        "tables": [{"name": "t", "cells": cells, **({} if marks is None else {"marks": marks}), **table}],
    }
    return release_from_document(document, source="r.yaml")


def refusal(*arguments: Any, **table: Any) -> str:
    with pytest.raises(InputError) as error:
        release(*arguments, **table)
    return str(error.value)


@given(
    mark=st.sampled_from(MARKS)
    | st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=5),
    meaning=meanings,
    row=st.integers(0, 3),
)
def test_a_mark_is_what_the_release_says_it_is(mark: str, meaning: Any, row: int) -> None:
    # CONVENTION 542, 543
    values: list[Any] = ["94", "40", "50", "4"]
    values[row] = f" {mark} "
    if mark in ("94", "40", "50", "4"):
        return
    found = release(values, {mark: meaning}).tables[0]
    assert [found.value.get(r) for r in range(4) if r != row] == [
        v for v, r in zip([94, 40, 50, 4], range(4), strict=True) if r != row
    ]
    bounds = (found.lower.get(row), found.upper.get(row))
    if isinstance(meaning, list):
        assert (Status(found.status[row]), found.value.get(row)) == (Status.WITHHELD, None)
        assert bounds == tuple(None if end is None else int(end) for end in meaning)
    else:
        assert bounds == (None, None)
        assert Status(found.status[row]).word == ("published" if meaning == "zero" else meaning)
        assert found.value.get(row) == (0 if meaning == "zero" else None)
    again = release(values, {mark: meaning})
    assert canonical_json(release_from_document(canonical_document(again))) == canonical_json(again)


@given(mark=st.sampled_from(MARKS), row=st.integers(0, 3))
def test_a_mark_that_the_release_does_not_explain_is_named_with_its_place(mark: str, row: int) -> None:
    # CONVENTION 542
    values: list[Any] = ["94", "40", "50", "4"]
    values[row] = mark
    message = refusal(values)
    for mention in (f'row {row + 1}, column "value"', f'"{mark}"', "`marks: {"):
        assert mention in message


@pytest.mark.parametrize(
    ("status", "meaning", "expected"),
    [
        ("", "withheld", "withheld"), ("primary", "withheld", "primary"), ("secondary", "withheld", "secondary"),
        ("missing", "withheld", "withheld"), ("secondary", "primary", "primary"), ("withheld", "missing", "withheld"),
        ("secondary", [0, 9], "secondary"), ("missing", "zero", "missing"),
        ("structural_zero", "zero", "structural_zero"),
        ("must_publish", "zero", "must_publish"), ("frozen", "withheld", None), ("must_publish", [0, 9], None),
        ("structural_zero", "withheld", None), ("primary", "structural_zero", None),
    ],
)  # fmt: skip
def test_a_mark_beside_a_status(status: str, meaning: Any, expected: str | None) -> None:
    # CONVENTION 543
    cells = {"s": ["", status, "", ""]}
    if expected is None:
        message = refusal([94, "~", 50, 4], {"~": meaning}, cells=cells, status="s")
        assert 'row 2, column "value": found "~"' in message
        assert status in message
        return
    found = release([94, "~", 50, 4], {"~": meaning}, cells=cells, status="s").tables[0]
    assert Status(found.status[1]).word == expected


def test_ranges_are_rounded_inward_and_meet_the_columns_of_bounds() -> None:
    # CONVENTION 543
    cells = {"lo": [None, 3, None, None], "hi": [None, None, 7, None]}
    found = release(
        [94, "1-9", "1-9", "x"], {"1-9": ["0.5", "9.5"], "x": [5, None]}, cells=cells, lower="lo", upper="hi"
    ).tables[0]
    assert [found.lower.get(r) for r in range(4)] == [None, 3, 1, 5]
    assert [found.upper.get(r) for r in range(4)] == [None, 9, 7, None]
    assert "no value in common" in refusal(
        [94, "1-9", 50, 4], {"1-9": [1, 2]}, cells={"lo": [None, 3, None, None]}, lower="lo"
    )
    assert "no multiple of the unit" in refusal([94, "1-9", 50, 4], {"1-9": ["0.2", "0.8"]})


@pytest.mark.parametrize(
    ("marks", "mentions"),
    [
        ({"": "zero"}, ["empty entry is no mark"]),
        ({"*": "withheld", " *": "zero"}, ['"*" is given twice']),
        ({"*": [9, 1]}, ["begins above its end"]),
        ({"*": [None, None]}, ["without ends"]),
        ({"*": "hidden"}, ['found "hidden"', "withheld, primary"]),
        ({"*": "published"}, ['found "published"', "structural_zero"]),
        ({"*": [1]}, ["marks"]),
        ({"*": {"from": 1}}, ["marks"]),
    ],
)  # fmt: skip
def test_marks_that_say_nothing(marks: dict[str, Any], mentions: list[str]) -> None:
    # CONVENTION 542
    message = refusal([94, "*", 50, 4], marks)
    for mention in mentions:
        assert mention in message


def test_values_of_withheld_rows_are_not_shown() -> None:
    # CONVENTION 112
    message = refusal([94, "4 711 or so", 50, 4], cells={"s": ["", "primary", "", ""]}, status="s")
    assert "711" not in message


bare = st.lists(
    st.sampled_from(["*", "c", "..", "-", "<10", "1-9", "NA", ":", "?", "3-", "5", "0", ""]), min_size=4, max_size=4
)


@quiet
@given(entries=bare)
def test_bare_files_take_a_mark_for_what_it_is_or_name_it(tmp_path: Path, entries: list[str]) -> None:
    # CONVENTION 544
    entries = ["90", *entries]
    path = tmp_path / "x.csv"
    path.write_text("a,n\n" + "".join(f"{code},{entry}\n" for code, entry in zip("Tklmo", entries, strict=True)))
    try:
        found = read_release(path)
    except InputError as error:
        text = str(error)
        assert text.startswith("x.csv")
        assert 'column "' in text or "columns" in text
        return
    table = found.tables[0]
    assert len(table.status) == 5
    for row, entry in enumerate(entries):
        number = entry if entry.isdigit() else None
        assert table.value.get(row) == (None if number is None else int(number))
        if number is None:
            assert Status(table.status[row]) is Status.WITHHELD
            assert not entry or any(f'"{entry}"' in note.text for note in found.notes)
    document, _ = infer_document(path)
    (tmp_path / "r.yaml").write_text(write_document(document))
    assert canonical_json(read_release(tmp_path / "r.yaml")) == canonical_json(found)


@pytest.mark.parametrize("mark", [*_OPEN, "?!"])
def test_what_may_be_a_zero_is_asked(tmp_path: Path, mark: str) -> None:
    # CONVENTION 544
    (tmp_path / "x.csv").write_text(f"a,n\nT,9\nk,4\nl,5\nm,{mark}\n")
    with pytest.raises(InputError, match=r'x\.csv row 4 \(line 5\), column "n": ') as error:
        read_release(tmp_path / "x.csv")
    assert f'"{mark}"' in str(error.value)
    assert "`marks: {" in str(error.value)


@pytest.mark.parametrize(
    ("text", "least", "expected"),
    [
        ("<10", 0, (0, 9)), ("<10", 1, (1, 9)), ("<10", None, (None, 9)), ("≤ 4", 0, (0, 4)), ("1-9", 0, (1, 9)),
        ("10+", 0, (10, None)), (">10", 0, (11, None)), ("≥10", 0, (10, None)), ("5 or fewer", 0, (0, 5)),
        ("9-1", 0, None), ("1-9-2", 0, None), ("09-Jan", 0, None),
    ],
)  # fmt: skip
def test_ranges_in_words(text: str, least: int | None, expected: tuple[int | None, int | None] | None) -> None:
    # CONVENTION 545
    found = usual_mark(text, least=None if least is None else Fraction(least))
    assert (found and found.meaning) == expected
    half = usual_mark("<10", Fraction(1, 2))
    assert half is not None
    assert half.meaning == (0, Fraction(19, 2))


@pytest.mark.parametrize(("zero", "least"), [("3", 0), ("0", 1)])
def test_where_zeros_are_shown_a_mark_below_is_no_zero(tmp_path: Path, zero: str, least: int) -> None:
    # CONVENTION 545
    (tmp_path / "x.csv").write_text(f"a,n\nT,30\nk,<10\nl,<10\nm,{zero}\n")
    assert infer_document(tmp_path / "x.csv")[0]["tables"][0]["marks"] == {"<10": [least, 9]}


def test_a_classification_that_looks_like_numbers_with_marks_stays_one(tmp_path: Path) -> None:
    # CONVENTION 544
    rows = ["0,F,4", "0,M,7", "1-4,F,*", "1-4,M,11", "5+,F,2", "5+,M,3"]
    sizes = "size,sex,deaths\n" + "\n".join(rows)
    (tmp_path / "x.csv").write_text(sizes)
    document, _ = infer_document(tmp_path / "x.csv")
    assert document["tables"][0]["value"] == "deaths"
    assert document["variables"]["size"] == {"codes": ["0", "1-4", "5+"]}
