"""Delimited text of any delimiter -> columns."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.io.delimited import read_delimited, sniff


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_recognised(delimiter: str) -> None:
    # CONVENTION 104
    text = f'a{delimiter}n\n"Oak, Elm; x|y"{delimiter}3\n" 1"{delimiter}4\n'
    assert sniff(text) == delimiter
    assert read_delimited(text, "x.csv").data == {"a": ["Oak, Elm; x|y", " 1"], "n": ["3", "4"]}


def test_a_decimal_comma_is_no_delimiter() -> None:
    # CONVENTION 104
    assert sniff("a;v\nk;1,5\nl;2,5\n") == ";"
    assert sniff("name, short;v\nk;1,5\n") == ";"  # fits both; a comma may be a decimal comma
    assert sniff("a\nk\n") == ","


def test_blank_lines_and_line_ends() -> None:
    # CONVENTION 104
    columns = read_delimited('a,n\r\n\r\nk,1\r\n   \r\n"l\r\nm",2\r\n\r\n', "x.csv")
    assert columns.data == {"a": ["k", "l\nm"], "n": ["1", "2"]}
    assert str(columns.place(1, "n")) == 'x.csv row 2 (line 6), column "n"'
    assert read_delimited("a,n\rk,1", "x.csv").data == {"a": ["k"], "n": ["1"]}
    assert read_delimited("a,n\nk\u2028l,1", "x.csv").data["a"] == ["k\u2028l"]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("a,n\nk,1\nl,2,3\n", ["x.csv row 2 (line 3)", "found 3 fields", "expected 2"]),
        ("a,n\nk,1\n\nl\n", ["row 2 (line 4)", "found 1 field"]),
        ("a,a\nk,1\n", ['"a"', "twice"]),
        ("a,n\n", ["no rows", "a, n"]),
        (",\nk,1\n", ["names of the columns"]),
        ('a,n\n"k,1\nl,2\n', ["quotes do not fit"]),
        ('a,n\n"k"x,1\n', ["line 2", "quotes do not fit"]),
        ("a,n\n" + "k" * 2**21 + ",1\n", ["line 2", "longer than 1,048,576 characters"]),
    ],
)
def test_bad_text_is_located(text: str, mentions: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read_delimited(text, "x.csv")
    for mention in mentions:
        assert mention in str(error.value)


def test_a_ragged_row_far_down_is_numbered() -> None:
    # CONVENTION 104
    with pytest.raises(InputError, match=r"row 120001 \(line 120002\)"):
        read_delimited("a,n\n" + "k,1\n" * 120_000 + "k\n", "x.csv")


fields = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)


rows_of_something = st.tuples(fields, fields).filter(lambda row: any(field.strip() for field in row))


@given(st.lists(rows_of_something, min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_what_csv_writes_reads_back(rows: list[tuple[str, str]], delimiter: str) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    columns = read_delimited(file.getvalue(), "x.csv", delimiter=delimiter)
    assert list(zip(columns.data["a"], columns.data["b"], strict=True)) == rows


def test_names_of_columns_below_many_blank_lines() -> None:
    text = "\n  \n" * 500 + "a;b\n1;2\n"
    found = read_delimited(text, "t.csv")
    assert list(found.data) == ["a", "b"]
    assert found.lines.tolist() == [1002]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("region,\nN,5\nS,2\nT,7\n", "line 1: column 2 has no name in the first row, and there are numbers below it"),
        ("region,n,\nN,5,\nS,2,withheld\nT,7,\n", "line 1: column 3 has no name.*seem to say which cells are withheld"),
        ("region,n,\nN,5,\nS,,c\nT,7,\n", "line 1: column 3 has no name.*seem to say which cells are withheld"),
        (",region,n\npublished,N,5\nwithheld,S,2\npublished,T,7\n", "line 1: column 1 has no name"),
    ],
)
def test_a_column_without_a_name_hides_nothing(tmp_path: Path, text: str, said: str) -> None:
    # CONVENTION 649
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_release(tmp_path / "x.csv")


@pytest.mark.parametrize("text", [",region,n\n1,N,5\n2,S,2\n3,T,7\n", "region,n,\nN,5,\nS,2,\nT,7,\n"])
def test_numbers_of_rows_and_nothing_are_passed_over(tmp_path: Path, text: str) -> None:
    # CONVENTION 649
    (tmp_path / "x.csv").write_text(text)
    assert read_release(tmp_path / "x.csv").tables[0].value.units.tolist() == [5, 2, 7]
