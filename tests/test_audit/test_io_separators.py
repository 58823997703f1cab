"""Numbers as people write them: decimal commas, separators of thousands."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError
from tableseal.audit.io import infer_document, read_release, release_from_document, write_document
from tableseal.audit.model import Release

BLANKS = " \u00a0\u202f\u2009"
PAIRS = [(".", ","), (",", "."), *((blank, sign) for blank in (*BLANKS, "'", "’") for sign in ".,")]


def written(number: Fraction, thousands: str, sign: str) -> str:
    whole, tenth = divmod(abs(number) * 10, 10)
    text = f"{int(whole):,}".replace(",", thousands)
    return f"{'-' if number < 0 else ''}{text}{sign}{int(tenth)}"


def release(values: list[Any], **table: Any) -> Release:
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "unit": "0.1",
        "variables": {"a": {"codes": [str(n) for n in range(len(values))]}},
        "intruder": {"nonnegative": False},
        "tables": [{"name": "t", "cells": {"a": list(range(len(values))), "value": values}, **table}],
    }
    return release_from_document(document, source="r.yaml")


def refusal(values: list[Any], **table: Any) -> str:
    with pytest.raises(InputError) as error:
        release(values, **table)
    return str(error.value)


tenths = st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=5)


@given(tenths=tenths, pair=st.sampled_from(PAIRS))
def test_what_is_said_is_read_exactly(tenths: list[int], pair: tuple[str, str]) -> None:
    # CONVENTION 546
    thousands, sign = pair
    said = " " if thousands in BLANKS else "'" if thousands in "'’" else thousands
    texts = [written(Fraction(number, 10), thousands, sign) for number in tenths]
    found = release(texts, thousands=said, decimal=sign)
    assert found.tables[0].value.units.tolist() == tenths
    if said in ".,":
        assert release(texts, thousands=said).tables[0].value.units.tolist() == tenths


@pytest.mark.parametrize(
    ("value", "table", "mentions"),
    [
        ("1.23", {"thousands": "."}, ['row 1, column "value": found "1.23"']),
        ("12.34.567", {"thousands": "."}, ['found "12.34.567"']),
        ("1,234", {}, ["`thousands: \",\"`", "`decimal: \",\"`"]),
        ("1,234.5", {}, ["`thousands`"]),
        ("1 234", {}, ['found "1 234"']),
        ("1.234", {"thousands": ".", "decimal": "."}, ["the same sign"]),
        ("1.234", {}, ["`thousands: \".\"`", "`decimal: \".\"`"]),
        ("1", {"thousands": "_"}, ['found "_"']),
    ],
)  # fmt: skip
def test_what_is_not_said_is_not_guessed(value: str, table: dict[str, Any], mentions: list[str]) -> None:
    # CONVENTION 105, 546, 547
    message = refusal([value], **table)
    for mention in mentions:
        assert mention in message


def test_a_point_is_decimal_where_the_numbers_show_it() -> None:
    # CONVENTION 547
    assert release(["1.200", "0.5"]).tables[0].value.units.tolist() == [12, 5]
    assert release(["1.200"], decimal=".").tables[0].value.units.tolist() == [12]
    assert release(["1.234"], thousands=".").tables[0].value.units.tolist() == [12340]


@pytest.mark.parametrize(
    ("numbers", "said", "units"),
    [
        (["1.235.000,8", "1.235.000", "0", "0,8"], {"decimal": ",", "thousands": "."}, [12350008, 12350000, 0, 8]),
        (["1 235 000", "1 234 567", "433", "0"], {"thousands": " "}, [1235000, 1234567, 433, 0]),
        (["1,235,000", "1,234,567", "433", "0"], {"decimal": ".", "thousands": ","}, [1235000, 1234567, 433, 0]),
        (["1'235.5", "1'000.5", "235", "0"], {"decimal": ".", "thousands": "'"}, [12355, 10005, 2350, 0]),
        (["1\u202f235,5", "1\u202f000,5", "235", "*"], {"decimal": ",", "thousands": " "}, [12355, 10005, 2350, 0]),
    ],
)  # fmt: skip
def test_bare_files_are_read_where_only_one_reading_fits(
    tmp_path: Path, numbers: list[str], said: dict[str, str], units: list[int]
) -> None:
    # CONVENTION 547
    rows = "".join(f"{code};{number}\n" for code, number in zip("Tklm", numbers, strict=True))
    (tmp_path / "x.csv").write_text(f"a;n\n{rows}", "utf-8")
    document, _ = infer_document(tmp_path / "x.csv")
    table = document["tables"][0]
    assert {key: table[key] for key in ("decimal", "thousands") if key in table} == said
    found = read_release(tmp_path / "x.csv")
    assert found.tables[0].value.units.tolist() == units
    (tmp_path / "r.yaml").write_text(write_document(document), "utf-8")
    assert read_release(tmp_path / "r.yaml").tables[0].value.units.tolist() == units


@pytest.mark.parametrize("number", ["1.234", "1,234"])
def test_bare_files_that_can_be_read_in_two_ways_are_refused(tmp_path: Path, number: str) -> None:
    # CONVENTION 547
    (tmp_path / "x.csv").write_text(f"a;n\nT;{number}\nk;234\nl;1000\n")
    with pytest.raises(InputError, match=r'row 1 \(line 2\), column "n": found "1[.,]234".*`thousands: "[.,]"`'):
        infer_document(tmp_path / "x.csv")


def test_microdata_say_it_too() -> None:
    # CONVENTION 546
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {"a": {"total": "T", "codes": ["k"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "k"], "value": [1234, 1234]}}],
        "microdata": {"cells": {"a": ["k", "k"], "x": ["1.000", "234"]}, "values": {"value": "x"}, "thousands": "."},
    }
    microdata = release_from_document(document).microdata
    assert microdata is not None
    assert microdata.values["value"].units.tolist() == [1000, 234]
