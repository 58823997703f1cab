"""Sums of counts that were perturbed by quotas: what may stand behind them."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tableseal.suppression.protections.perturbation.sums import quota_sums


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=6),
    st.lists(st.integers(0, 1), min_size=6, max_size=6),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
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
    found = quota_sums(csr_array(form), np.array(shown), np.zeros(n, np.int64), {0: near}, moves)
    assert found is not None
    low, high = found
    assert low.tolist() == [min(one[c] for one in sums) for c in range(2)]
    assert high.tolist() == [max(one[c] for one in sums) for c in range(2)]
