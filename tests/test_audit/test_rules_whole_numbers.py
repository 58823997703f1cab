"""Whole numbers of rules never wrap around: Python's own integers say what must come out."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tableseal.audit.errors import LimitError
from tableseal.audit.rules.exact import as_units, ceil_quotient, combine, percentage
from tableseal.audit.rules.weights import Weights, rounded_half_up, weighted_sum

BEYOND = 2**62
"""Amounts from here on are refused."""
SIZES = st.integers(0, 61).map(lambda power: 2**power) | st.integers(0, BEYOND - 1)
AMOUNTS = st.builds(lambda sign, size: sign * size, st.sampled_from([-1, 1]), SIZES)
POSITIVE = SIZES.map(lambda size: max(size, 1))


def column(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), max_size=4), AMOUNTS, AMOUNTS)
@example([(2**61, 2**61)], 1, 1)
@example([(2**61, 2**61)], 2, 2)
def test_sums_of_multiples(pairs: list[tuple[int, int]], one: int, two: int) -> None:
    found = combine((one, column([a for a, _ in pairs])), (two, column([b for _, b in pairs])))
    assert found.tolist() == [one * a + two * b for a, b in pairs]


@given(st.lists(AMOUNTS, max_size=4), POSITIVE)
def test_quotients_are_rounded_up(amounts: list[int], divisor: int) -> None:
    for by in (divisor, divisor * BEYOND):
        assert ceil_quotient(column(amounts), by).tolist() == [ceil(Fraction(a, by)) for a in amounts]


@given(st.fractions(0, 10**6), st.lists(SIZES, max_size=4))
def test_percentages_are_exact_or_refused(percent: Fraction, sizes: list[int]) -> None:
    expected = [ceil(percent * size / 100) for size in sizes]
    if max(expected, default=0) >= BEYOND:
        with pytest.raises(LimitError):
            percentage(percent, column(sizes))
        return
    assert percentage(percent, column(sizes)).tolist() == expected


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_limit_of_amounts_is_where_it_is_said_to_be(sign: int) -> None:
    assert as_units(column([sign * (BEYOND - 1)])).tolist() == [sign * (BEYOND - 1)]
    with pytest.raises(LimitError):
        as_units(column([sign * BEYOND]))


@given(st.lists(st.tuples(AMOUNTS, SIZES, st.integers(0, 2)), max_size=5), POSITIVE)
@example([(2**31, 2**30, 0)] * 5, 1)  # 5 * 2^61, beyond 64 bits
def test_weighted_sums(parts: list[tuple[int, int, int]], scale: int) -> None:
    # CONVENTION 147
    amounts, weights, groups = (column([part[k] for part in parts]) for k in range(3))
    found = weighted_sum(amounts, Weights(weights, scale), groups, 3)
    assert found.scale == scale
    assert found.parts.tolist() == [sum(a * w for a, w, g in parts if g == group) for group in range(3)]


@given(st.lists(AMOUNTS, max_size=5), POSITIVE, st.integers(0, 3))
@example([BEYOND - 1], 3, 0)
@example([1], BEYOND, 0)
def test_halves_are_rounded_up(parts: list[int], scale: int, powers: int) -> None:
    for by in (scale, scale << powers):
        found = rounded_half_up(Weights(column(parts), by))
        assert found.tolist() == [floor(Fraction(part, by) + Fraction(1, 2)) for part in parts]
