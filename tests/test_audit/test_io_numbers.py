"""Text -> exact multiples of the unit."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import Round, decimal_sign, decimal_text, decimals_of, places, rational, read_amounts
from tableseal.audit.model import Amounts


def amounts(entries: list[str | None], unit: str = "1", **options: object) -> list[int | None]:
    columns = Columns.of(Place("x.csv"), {"n": entries})
    found, _ = read_amounts(columns, "n", rational(unit), role="the value", **options)  # type: ignore[arg-type]
    return [found.get(row) for row in range(len(found))]


def test_exact_beyond_binary_floating_point() -> None:
    big = ["9007199254740992", "9007199254740993", str(2**60), str(-(2**60))]
    assert amounts(big) == [int(text) for text in big]
    assert amounts(["0.1", "0.3", "-0.5", "-0.05"], "0.01") == [10, 30, -50, -5]
    assert amounts(["900719925474.0993"], "0.0001") == [9007199254740993]


def test_notations_and_gaps() -> None:
    assert amounts(["1e3", "+7", ".5", "5.", " 8 ", "", None, "  "], "0.5") == [2000, 14, 1, 10, 16, None, None, None]
    assert amounts(["3000", "-2000"], "1000") == [3, -2]
    assert amounts(["0,5", "12"], "0.1", sign=",") == [5, 120]


def test_noise_vanishes_and_the_rest_is_counted() -> None:
    # CONVENTION 106
    columns = Columns.of(Place("x.csv"), {"n": ["2305598.5354999998", "1.23", "0.99999999", "1e-8"]})
    found, off = read_amounts(columns, "n", Fraction(1, 10000), role="the value")
    assert found.units.tolist() == [23055985355, 12300, 10000, 0]
    assert not off.any()
    found, off = read_amounts(columns, "n", Fraction(1), role="the value")
    assert found.units.tolist() == [2305599, 1, 1, 0]
    assert off.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    "text",
    ["n/a", "..", "1 234", "1_000", "0x10", "nan", "inf", "12%", "1.2.3", "--1", "1e9999", "١٢", "1/2", "9" * 500],
)
def test_what_is_no_number_is_located(text: str) -> None:
    with pytest.raises(InputError) as error:
        amounts(["1", text])
    assert 'x.csv row 2, column "n": found' in str(error.value)
    assert "expected a number" in str(error.value)


def test_confidential_entries_are_not_shown() -> None:
    # CONVENTION 112
    for entry, shown in (("12x", False), ("**", True)):
        with pytest.raises(InputError) as error:
            amounts([entry], secret=np.array([True]))
        assert (entry in str(error.value)) == shown


def test_the_limit() -> None:
    # CONVENTION 101
    with pytest.raises(InputError, match=r'row 2, column "n": the number is larger than 2\*\*60 times the unit'):
        amounts(["1", str(2**60 + 1)])


@pytest.mark.parametrize(
    ("entries", "sign"),
    [
        (["1,5", "1234"], ","),
        (["0,123"], ","),
        (["1,234", "2,5"], ","),
        (["1.5", None, ""], "."),
        (["12"], "."),
    ],
)
def test_the_decimal_sign_is_seen(entries: list[str | None], sign: str) -> None:
    # CONVENTION 105
    assert decimal_sign(Columns.of(Place("x.csv"), {"n": entries}), ["n"], None, False) == sign


@pytest.mark.parametrize(
    ("entries", "mention"),
    [(["1,234"], "decimal comma or one with a separator"), (["1,234.5"], "without"), (["1,234,567"], "without")],
)
def test_separators_of_thousands_are_not_guessed(entries: list[str | None], mention: str) -> None:
    # CONVENTION 105
    with pytest.raises(InputError) as error:
        decimal_sign(Columns.of(Place("x.csv"), {"n": entries}), ["n"], None, False)
    assert 'row 1, column "n"' in str(error.value)
    assert mention in str(error.value)
    assert decimal_sign(Columns.of(Place("x.csv"), {"n": entries}), ["n"], ",", False) == ","


def test_both_signs_in_one_column() -> None:
    with pytest.raises(InputError, match="row 2"):
        amounts(["1,5", "1.5"], sign=",")


numbers = st.fractions(min_value=-(10**12), max_value=10**12).map(lambda f: Fraction(round(f * 10**6), 10**6))
units = st.sampled_from([Fraction(u) for u in ("1", "1/10", "1/10000", "5", "1/4", "1000")])
reference = {"nearest": lambda q: floor(q + Fraction(1, 2)), "up": ceil, "down": floor}


@given(st.lists(numbers, min_size=1, max_size=8), units, st.sampled_from(["nearest", "up", "down"]))
def test_every_number_is_rounded_exactly(values: list[Fraction], unit: Fraction, rounding: Round) -> None:
    # CONVENTION 106, 107
    columns = Columns.of(Place("x.csv"), {"n": [decimal_text(value) for value in values]})
    found, off = read_amounts(columns, "n", unit, role="the value", rounding=rounding)
    assert found.units.tolist() == [reference[rounding](value / unit) for value in values]
    nearest = [reference["nearest"](value / unit) for value in values]
    assert off.tolist() == [abs(v / unit - n) > Fraction(1, 1000) for v, n in zip(values, nearest, strict=True)]


@given(numbers)
def test_decimal_text_reads_back(value: Fraction) -> None:
    assert rational(decimal_text(value)) == value


@given(st.lists(st.none() | st.integers(-(2**60), 2**60), min_size=1), units)
def test_decimals_read_back(values: list[int | None], unit: Fraction) -> None:
    entries = decimals_of(Amounts.of(values), unit)
    assert amounts([None if entry is None else str(entry) for entry in entries], decimal_text(unit)) == values


def test_places() -> None:
    texts = ("1", "0.1", "1/8", "1000", "1/20")
    assert [places(Fraction(text)) for text in texts] == [0, 1, 3, 0, 2]
    assert places(Fraction(1, 3)) is None
    assert decimal_text(Fraction(-1, 3)) == "-1/3"
