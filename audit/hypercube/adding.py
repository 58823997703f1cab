"""Exact sums of whole numbers by group, without sorting."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LimitError

Ints = NDArray[np.int64]

_EXACT = 2**53
"""Up to this sums of floats are exact, whatever their order: `bincount` adds floats."""
_MOST = 2**62
_HALF = 26
"""Bits of the lower half of a number; 2^27 of them add up exactly."""


def sums(group: Ints, values: Ints, groups: int) -> Ints:
    """int64 (groups): the sum of the values of each group.

    group: int64 (values), from 0 on.

    Raises
    ------
    LimitError: sums beyond 2^62.
    """
    size = float(np.abs(values).sum(dtype=np.float64))
    if size < _EXACT:
        return np.bincount(group, values, groups).astype(np.int64)
    if size >= _MOST or len(values) >= 2 ** (53 - _HALF):
        raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
    low = np.bincount(group, values & (2**_HALF - 1), groups).astype(np.int64)
    return low + (np.bincount(group, values >> _HALF, groups).astype(np.int64) << _HALF)


def counted(group: Ints, groups: int) -> Ints:
    """int64 (groups): how many entries each group has."""
    return np.bincount(group, minlength=groups).astype(np.int64, copy=False)
