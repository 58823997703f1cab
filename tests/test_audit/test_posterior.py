"""Entropy risk and the intervals behind rounded values, against published figures."""

import doctest
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableseal.audit.attackers import estimates
from tableseal.audit.measures.risk import posterior
from tableseal.audit.measures.risk.posterior import disclosure_risk, entropy_bits
from tableseal.audit.model import Rounding, rounding
from tableseal.audit.model.rounding import rounding_interval


def interval(value: int, base: int, method: Any, nonnegative: bool = True) -> tuple[int, int]:
    low, high = rounding_interval(np.array([value]), Rounding(base, method), nonnegative)
    return int(low[0]), int(high[0])


@pytest.mark.parametrize(
    ("values", "risk"),
    [
        (407, 0.11535508912795225),  # Oganian & Domingo-Ferrer 2003, Table 1 (printed 0.115)
        (650, 0.10701715890149324),  # the same, Table 2, size 4 (printed .1070)
        (1276, 0.09692352505761574),  # size 6 (printed .0969)
        (2383, 0.0891),  # size 7, as printed
        (3468, 0.0850),  # size 8, as printed
        (8180, 0.0769),  # total, as printed
        (2, 1.0),
        (4, 0.5),
        (3, 0.6309297535714575),
    ],
)
def test_risk_is_the_reciprocal_of_the_entropy(values: int, risk: float) -> None:
    assert disclosure_risk(values) == pytest.approx(risk, abs=5e-5 if round(risk, 4) == risk else 1e-9)


def test_one_value_is_exact_disclosure_and_no_limit_is_no_risk() -> None:
    # CONVENTION 160
    assert (entropy_bits(1), disclosure_risk(1)) == (0.0, None)
    assert (entropy_bits(None), disclosure_risk(None)) == (None, 0.0)


@pytest.mark.parametrize("exponent", [53, 64, 2000, 100_000])
def test_huge_numbers_of_values(exponent: int) -> None:
    assert entropy_bits(2**exponent) == float(exponent)
    assert disclosure_risk(2**exponent) == 1.0 / exponent


def test_no_possible_value_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one possible value, not 0"):
        disclosure_risk(0)


@given(st.integers(2, 10**30))
def test_more_values_never_more_risk(values: int) -> None:
    here, more = disclosure_risk(values), disclosure_risk(values + 1)
    assert here is not None
    assert more is not None
    assert here >= more
    assert entropy_bits(values) == log2(values)


@pytest.mark.parametrize(
    ("value", "base", "ends", "risk"),
    [
        # Oganian & Domingo-Ferrer 2003, section 4.2, with non-negative values
        (3, 3, (2, 4), 0.6309297535714575),
        (0, 4, (0, 1), 1.0),
        (8, 4, (6, 9), 0.5),
        (0, 5, (0, 2), 0.6309297535714575),
    ],
)
def test_conventional_rounding(value: int, base: int, ends: tuple[int, int], risk: float) -> None:
    # CONVENTION 33
    low, high = interval(value, base, "conventional")
    assert (low, high) == ends
    assert disclosure_risk(high - low + 1) == pytest.approx(risk, abs=1e-9)


def test_smith_elliot_figures_2_1_to_2_4() -> None:
    rounded = np.array([0, 3, 0, 3, 0, 0, 3, 3, 0])
    lower, upper = rounding_interval(rounded, Rounding(3, "conventional"), nonnegative=True)
    assert lower.tolist() == [0, 2, 0, 2, 0, 0, 2, 2, 0]
    assert upper.tolist() == [1, 4, 1, 4, 1, 1, 4, 4, 1]


@pytest.mark.parametrize(
    ("method", "ends"),
    [("random", (6, 14)), ("controlled", (6, 14)), ("up", (6, 10)), ("down", (10, 14))],
)
def test_other_methods(method: str, ends: tuple[int, int]) -> None:
    # CONVENTION 33
    assert interval(10, 5, method) == ends


def test_cut_at_zero_only_if_everyone_knows_it() -> None:
    # CONVENTION 33
    assert interval(0, 5, "random") == (0, 4)
    assert interval(0, 5, "random", nonnegative=False) == (-4, 4)
    assert interval(-5, 4, "conventional", nonnegative=False) == (-7, -4)


@given(st.integers(-500, 500), st.integers(1, 12))
def test_interval_is_what_rounds_to_the_published_value(multiple: int, base: int) -> None:
    # CONVENTION 33
    """Brute force: exactly these whole values round to the multiple (ties up), up or down."""
    published = multiple * base
    near = range(published - 2 * base, published + 2 * base + 1)
    conventional = [x for x in near if (Fraction(x, base) + Fraction(1, 2)).__floor__() * base == published]
    assert interval(published, base, "conventional", False) == (conventional[0], conventional[-1])
    up = [x for x in near if -(-x // base) * base == published]
    assert interval(published, base, "up", False) == (up[0], up[-1])
    down = [x for x in near if x // base * base == published]
    assert interval(published, base, "down", False) == (down[0], down[-1])
    random = [x for x in near if published in (x // base * base, -(-x // base) * base)]
    assert interval(published, base, "random", False) == (random[0], random[-1])


@pytest.mark.parametrize("module", [posterior, estimates, rounding])
def test_examples_in_the_documentation(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
