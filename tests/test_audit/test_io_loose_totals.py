"""Totals that nothing adds up are no plain SAFE, wherever they are said; and what is said of totals that fail."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import report, table

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release
from tableseal.audit.model import SUMS_UNCHECKED
from tableseal.audit.report.called import called

THRESHOLD = {"primary": [{"threshold": 5}]}


def judged(codes: list[str], values: list[int | None], **changes: Any) -> tuple[str, list[str]]:
    found = report(table(codes, values), variables={"a": {"codes": codes}}, policy=THRESHOLD, **changes)
    return called(found), [note.text for note in found.notes if note.code == SUMS_UNCHECKED]


@pytest.mark.parametrize(
    ("codes", "values"),
    [
        (["k", "l", "Total"], [None, 17, 19]),
        (["k", "l", "_T"], [None, 17, 19]),
        (["k", "l", "Insgesamt"], [7, 17, 25]),  # a number is mistyped
        (["k", "l", "Everybody"], [7, 17, 24]),
    ],
)
def test_a_total_that_nothing_adds_up_is_no_plain_safe(codes: list[str], values: list[int | None]) -> None:
    # CONVENTION 660
    word, (text,) = judged(codes, values)
    assert word == "safe as listed"
    assert f'"{codes[-1]}"' in text


@pytest.mark.parametrize(
    ("codes", "values"),
    [
        (["2023", "2024", "2025"], [7, 17, 24]),
        (["k", "l", "m"], [7, 17, 25]),
        (["R", "S", "T"], [7, None, 25]),
        (["k", "l"], [7, 7]),
    ],
)
def test_what_is_no_total_is_safe(codes: list[str], values: list[int | None]) -> None:
    # CONVENTION 660
    assert judged(codes, values) == ("safe", [])


@given(st.lists(st.integers(5, 30), min_size=2, max_size=5), st.integers(0, 4))
def test_a_sum_beside_its_parts_is_never_plain_safe_without_being_added_up(parts: list[int], hidden: int) -> None:
    # CONVENTION 660
    codes = [*(f"c{k}" for k in range(len(parts))), "Alle"]
    assert judged(codes, [*parts, sum(parts)])[0] == "safe as listed"
    values = [None if k == hidden else value for k, value in enumerate(parts)]
    assert judged([*codes[:-1], "TOTAL"], [*values, sum(parts)])[0] == "safe as listed"


def infer(folder: Path, text: str) -> dict[str, Any]:
    (folder / "x.csv").write_text(text)
    return infer_document(folder / "x.csv")[0]


def test_a_total_that_is_not_the_sum_says_where_and_leads_to_no_way_around(tmp_path: Path) -> None:
    # CONVENTION 660
    text = "d,s,n\nk,f,*\nk,m,17\nk,Total,19\nl,f,14\nl,m,21\nl,Total,35\nTotal,f,16\nTotal,m,38\nTotal,Total,55\n"
    with pytest.raises(InputError) as refused:
        infer(tmp_path, text)
    message = str(refused.value)
    assert 'column "d": code "Total" is called a total but is not the sum of the other codes' in message
    assert 'column "n", row of s=Total: expected 54, found 55' in message
    assert "a number may be wrong); mend the number" in message
    assert "never added up" not in message


def test_where_the_values_are_a_guess_other_columns_are_named(tmp_path: Path) -> None:
    # CONVENTION 660
    with pytest.raises(InputError, match=r'column "frequency": expected 6, found 3.*value: patients'):
        infer(tmp_path, "d,patients,frequency\nk,17,3\nl,14,3\nTotal,31,3\n")


LABELS = "code,name,sex,n\nR1,North,F,2\nR1,North,M,17\nR2,South,F,14\nR2,South,M,21\n{0},{1},F,16\n{0},{1},M,38\n"


@pytest.mark.parametrize(
    ("codes", "kept"), [(("R0", "All land"), "code"), (("R0", "Total"), "name"), (("Total", "Total"), "code")]
)
def test_names_of_codes_are_left_out(tmp_path: Path, codes: tuple[str, str], kept: str) -> None:
    # CONVENTION 660
    found = infer(tmp_path, LABELS.format(*codes))
    assert list(found["variables"]) == [kept, "sex"]
    assert found["variables"][kept]["total"] == codes[kept == "name"]
    notes = read_release(tmp_path / "x.csv").notes
    assert [note.count for note in notes if note.code == "assumed_label"] == [1]


def test_columns_that_do_not_stand_one_to_one_are_kept(tmp_path: Path) -> None:
    # CONVENTION 660
    assert list(infer(tmp_path, "a,b,n\nk,x,2\nk,y,3\nl,x,4\nl,y,5\n")["variables"]) == ["a", "b"]
