"""Sums of counts that were perturbed by an invariant matrix: what may stand behind them."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.suppression.protections.perturbation.chain import Counts
from tableseal.suppression.protections.perturbation.possible import possible
from tableseal.suppression.protections.perturbation.sums import stratum_sums

Ints = NDArray[np.int64]

SHOWN = st.lists(st.integers(0, 3), min_size=2, max_size=6)
INSIDE = st.lists(st.integers(0, 1), min_size=6, max_size=6)
PAIRS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


@given(SHOWN, INSIDE, PAIRS, st.booleans())
@settings(max_examples=25, deadline=None)
def test_sums_over_all_orders_of_the_shown_counts(
    shown: list[int], inside: list[int], more: set[tuple[int, int]], fixed: bool
) -> None:
    """CONVENTION 820: smallest and largest sum over all true counts that are the shown ones in another order, each next
    to what it may have become."""
    near = {k: {k} | {b for a, b in more if a == k} | {a for a, b in more if b == k} for k in range(4)}
    n = len(shown)
    form = np.array([inside[:n], [1] * n])
    moves = np.ones(n, np.bool_)
    if fixed:
        shown, moves = [0, *shown[1:]], moves & (np.arange(n) > 0)
    free = [k for k, one in zip(shown, moves, strict=True) if one]
    sums = set()
    for true in set(permutations(free)):
        if all(b in near[k] for k, b in zip(free, true, strict=True)):
            whole = np.zeros(n, np.int64)
            whole[moves] = true
            sums.add(tuple((form @ whole).tolist()))
    found = stratum_sums(csr_array(form), np.array(shown), np.zeros(n, np.int64), {0: near}, moves, quotas=True)
    check(found, sums)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=4), INSIDE)
@settings(max_examples=25, deadline=None)
def test_sums_over_all_counts_among_which_the_shown_ones_occur(shown: list[int], inside: list[int]) -> None:
    """CONVENTION 910: with independent draws every shown count is the true one of some cell; others may be, too."""
    matrix = Counts.spread(Fraction(1, 2), 1)
    near = possible(Counter(shown), matrix, "independent", made_invariant=True)
    n = len(shown)
    form = np.array([inside[:n], [1] * n])
    sums = {
        tuple((form @ np.array(true)).tolist())
        for true in product(*(sorted(near[k]) for k in shown))
        if set(shown) <= set(true)
    }
    every = np.ones(n, np.bool_)
    check(stratum_sums(csr_array(form), np.array(shown), np.zeros(n, np.int64), {0: near}, every, quotas=False), sums)


def check(found: tuple[Ints, Ints, NDArray[np.bool_]], sums: set[tuple[int, ...]]) -> None:
    low, high, wider = found
    assert not wider.any()
    assert low.tolist() == [min(one[c] for one in sums) for c in range(2)]
    assert high.tolist() == [max(one[c] for one in sums) for c in range(2)]
