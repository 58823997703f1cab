"""Random numbers that sums are told apart by: always the same ones."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SMALL = 10_000
"""Numbers that are kept: making a generator takes longer than an audit of a small table may spend on it."""


def marks(seed: int, *shape: int, low: int = -(2**62), high: int = 2**62) -> NDArray[np.int64]:
    """int64 of this shape, low <= number < high, not to be written to. The same seed, shape and ends: the same ones."""
    return (_kept if np.prod(shape) <= SMALL else _made)(seed, shape, low, high)


def _made(seed: int, shape: tuple[int, ...], low: int, high: int) -> NDArray[np.int64]:
    result = np.random.default_rng(seed).integers(low, high, shape)
    result.setflags(write=False)
    return result


_kept = lru_cache(maxsize=256)(_made)


def alike(sums: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sets whose sums of marks are equal, as groups in the order in which they first appear.

    sums: int64 (sets x 2). Returns the first set of each group, and the group of each set.
    """
    if len(sums) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    order = np.lexsort((sums[:, 1], sums[:, 0]))
    moved = sums[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (moved[1:] != moved[:-1]).any(axis=1)
    first = order[new]  # the sort is stable: the first of each group stands first
    by_appearance = first.argsort()
    place = np.empty(len(first), np.int64)
    place[by_appearance] = np.arange(len(first))
    group = np.empty(len(order), np.int64)
    group[order] = place[new.cumsum() - 1]
    return first[by_appearance], group
