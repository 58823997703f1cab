"""Directions, up or down, with which amounts that meet in the same sums cancel as far as they can.

Given are items, each with amounts in some sums. With direction s (1 or -1) of each item, the sums are N = sum of s
times amount, and what is to be small is the sum of N squared. One after another, the largest first, every item takes
the direction against what its sums have so far; then single directions are turned for as long as that helps. Turning
all directions that were to begin with turns all that are found: who draws them evenly is without bias.

Source of the notion: Massell and Funk 2007 (balanced noise: directions alternate by size within cells).
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

SWEEPS = 20
"""Passes over all items in which single directions are turned."""


def balanced(
    amounts: csr_array, to_begin_with: NDArray[np.int64], start: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """int64 (items), 1 or -1.

    Parameters
    ----------
    amounts: float64 csr (items x sums), weighted as the sums are. Items and sums in an order of their own, which
        settles ties, so that no order of files does.
    to_begin_with: int64 (items), 1 or -1, of items whose sums have nothing so far.
    start: float64 (sums), what is in them anyway.

    Examples
    --------
    >>> amounts = csr_array(np.array([[5.0, 0.0], [4.0, 0.0], [1.0, 3.0]]))
    >>> balanced(amounts, np.array([1, 1, 1])).tolist()
    [1, -1, -1]
    """
    sums = np.zeros(amounts.shape[1]) if start is None else start.astype(np.float64)
    found = to_begin_with.astype(np.int64)
    first, where, size = amounts.indptr.tolist(), amounts.indices, amounts.data
    own = np.array([float((size[a:b] ** 2).sum()) for a, b in pairwise(first)])
    order = np.argsort(-own, kind="stable").tolist()
    for item in order:
        at = slice(first[item], first[item + 1])
        before = float((sums[where[at]] * size[at]).sum())
        if before:
            found[item] = -1 if before > 0 else 1
        sums[where[at]] += found[item] * size[at]
    for _ in range(SWEEPS):
        turned = False
        for item in order:
            at = slice(first[item], first[item + 1])
            beside = found[item] * float((sums[where[at]] * size[at]).sum()) - own[item]
            if beside > 1e-9 * own[item]:  # turning it takes 4 times this off the sum of squares
                sums[where[at]] -= 2 * found[item] * size[at]
                found[item] = -found[item]
                turned = True
        if not turned:
            break
    return found
