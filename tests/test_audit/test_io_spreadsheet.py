"""CSV for people: no text runs in a spreadsheet, numbers stay numbers."""

import csv
from fractions import Fraction
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.io.spreadsheet import csv_text, harmless

FORMULA = "=+-@\t\r\n＝＋－＠"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("http://x")'])
def test_what_begins_like_a_formula_does_not_run(text: str) -> None:
    # CONVENTION 467
    assert harmless(text) == "'" + text


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=2)
    )
)
def test_no_entry_of_any_text_begins_like_a_formula(rows: list[list[str]]) -> None:
    read = list(csv.reader(StringIO(csv_text(["=a", "b"], rows), newline="")))
    assert read[0] == ["'=a", "b"]
    assert len(read) == len(rows) + 1
    for entries, row in zip(read[1:], rows, strict=True):
        for entry, text in zip(entries, row, strict=True):
            assert entry[:1] not in tuple(FORMULA)
            assert entry in (text, "'" + text)


def test_numbers_stay_numbers() -> None:
    assert csv_text(["a"], [[-5], [Fraction(-1, 4)], [2.5], [None]]) == 'a\r\n-5\r\n-0.25\r\n2.5\r\n""\r\n'
