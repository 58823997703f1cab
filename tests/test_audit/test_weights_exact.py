"""Sums of weights beside fractions, up to where whole numbers of 64 bits end and beyond."""

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tableseal.audit.rules.weights import Weights, exact_weights, rounded_half_up, weighted_sum

LARGE = st.one_of(st.integers(-3, 3), st.integers(-(2**31), 2**31), st.integers(-(2**62), 2**62))
WEIGHT = st.one_of(
    st.integers(0, 5).map(float),
    st.integers(0, 10**6).map(lambda n: n / 1000),
    st.floats(0, 1e18, allow_subnormal=False),
)
RECORDS = st.lists(st.tuples(LARGE, WEIGHT, st.integers(0, 2)), max_size=6)


@settings(max_examples=300)
@given(RECORDS)
@example([(2**61, 1.0, 0), (2**61, 1.0, 0), (2**61, 1.0, 0)])  # each fits, the sum does not
@example([(2**40, float(2**30), 1), (2**40, float(2**30), 1)])
@example([(1, 1e-300, 0), (2**62, 1.0, 0)])
def test_sums_are_those_of_fractions(records: list[tuple[int, float, int]]) -> None:
    amount = np.array([a for a, _, _ in records], np.int64)
    weight = np.array([w for _, w, _ in records], np.float64)
    group = np.array([g for _, _, g in records], np.int64)
    exact = exact_weights(weight)
    assert [Fraction(int(p), exact.scale) for p in exact.parts.tolist()] == [Fraction(repr(w)) for w in weight.tolist()]
    sums = weighted_sum(amount, exact, group, 3)
    wanted = [sum((a * Fraction(repr(w)) for a, w, own in records if own == g), Fraction(0)) for g in range(3)]
    assert [Fraction(int(p), sums.scale) for p in sums.parts.tolist()] == wanted
    assert [int(n) for n in rounded_half_up(sums).tolist()] == [floor(x + Fraction(1, 2)) for x in wanted]
    for count in (1, 3, 10**6):
        assert sums.below(count).tolist() == [x < count for x in wanted]
    assert sums.positive.tolist() == [x > 0 for x in wanted]


EDGES = st.integers(-3, 3).flatmap(lambda d: st.sampled_from([2**59, 2**60, 2**61, 2**62]).map(lambda n: n + d))


@given(st.lists(EDGES, min_size=1, max_size=3), st.one_of(st.integers(1, 10), EDGES))
def test_rounding_holds_at_the_edge_of_64_bits(parts: list[int], scale: int) -> None:
    found = rounded_half_up(Weights(np.array(parts, np.int64), scale))
    assert [int(n) for n in found.tolist()] == [floor(Fraction(p, scale) + Fraction(1, 2)) for p in parts]
