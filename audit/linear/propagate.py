"""Bounds on single columns from one row at a time, to a fixpoint: vectorised, in exact integers.

With `integer` the bounds are rounded inward (the shuttle); without, outward, so that they hold for every real table
and can stand beside linear programming bounds.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.linear.integers import NO_LOWER, NO_UPPER

ROUNDS = 200

Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]


class InfeasibleError(Exception):
    """Some column has no value left. Internal: callers turn it into a readable conflict."""


def propagate(
    matrix: csr_array,
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    column_lower: NDArray[np.int64],
    column_upper: NDArray[np.int64],
    *,
    integer: bool,
    rounds: int = ROUNDS,
) -> Bounds:
    """Tighten column bounds with every row and direction until nothing changes.

    Parameters
    ----------
    matrix: int64 (rows x columns); lower, upper: row bounds; column_lower, column_upper: what is known at the start;
        sentinels NO_LOWER / NO_UPPER.

    Raises
    ------
    InfeasibleError: a lower bound passed an upper bound.
    """
    low, high = column_lower.copy(), column_upper.copy()
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    column, entry = matrix.indices.astype(np.int64), matrix.data
    positive = entry > 0
    has_low, has_high = lower[row] != NO_LOWER, upper[row] != NO_UPPER
    size = np.abs(entry)
    for _ in range(rounds):
        # Contribution of each entry to the least and the greatest value of its row.
        at_least = np.where(positive, low[column], high[column])
        at_most = np.where(positive, high[column], low[column])
        down = _others(entry, at_least, row, matrix.shape[0])
        up = _others(entry, at_most, row, matrix.shape[0])
        # entry * x <= upper - (least of the others), entry * x >= lower - (greatest of the others)
        usable = has_high & (down != NO_LOWER)
        room = np.where(usable, upper[row] - down, 0)
        need_ok = has_low & (up != NO_LOWER)
        need = np.where(need_ok, lower[row] - up, 0)
        new_low, new_high = low.copy(), high.copy()
        _tighten(new_high, column, np.where(usable & positive, _down(room, size, integer), NO_UPPER), np.minimum)
        _tighten(new_low, column, np.where(usable & ~positive, _up(-room, size, integer), NO_LOWER), np.maximum)
        _tighten(new_low, column, np.where(need_ok & positive, _up(need, size, integer), NO_LOWER), np.maximum)
        _tighten(new_high, column, np.where(need_ok & ~positive, _down(-need, size, integer), NO_UPPER), np.minimum)
        if (new_low > new_high).any():
            raise InfeasibleError
        if (new_low == low).all() and (new_high == high).all():
            break
        low, high = new_low, new_high
    return low, high


def _others(entry: NDArray[np.int64], bound: NDArray[np.int64], row: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Sum of entry * bound over the other entries of the row; NO_LOWER where one of the others has no bound."""
    missing = np.abs(bound) >= NO_UPPER
    part = np.where(missing, 0, entry * np.where(missing, 0, bound))
    # Sums of bounds of released values stay far below 2^62; a wide one is dropped rather than trusted.
    wide = np.bincount(row, np.abs(part.astype(np.float64)), rows) >= float(2**61)
    total = np.zeros(rows, dtype=np.int64)
    np.add.at(total, row, part)
    gaps = np.bincount(row, missing, rows)
    others_missing = gaps[row] - missing > 0
    return np.where(others_missing | wide[row], NO_LOWER, total[row] - part)


def _down(value: NDArray[np.int64], size: NDArray[np.int64], integer: bool) -> NDArray[np.int64]:
    """Upper bound value / size: rounded down for integers, up for reals."""
    return value // size if integer else -((-value) // size)


def _up(value: NDArray[np.int64], size: NDArray[np.int64], integer: bool) -> NDArray[np.int64]:
    return -((-value) // size) if integer else value // size


def _tighten(target: NDArray[np.int64], column: NDArray[np.int64], value: NDArray[np.int64], ufunc: np.ufunc) -> None:
    ufunc.at(target, column, value)


def form_bounds(forms: csr_array, low: NDArray[np.int64], high: NDArray[np.int64]) -> Bounds:
    """Bounds of non-negative combinations of columns from the columns' bounds alone. forms: (forms x columns), >= 0."""
    row = np.repeat(np.arange(forms.shape[0]), np.diff(forms.indptr))
    result = []
    for bound, none in ((low, NO_LOWER), (high, NO_UPPER)):
        value = bound[forms.indices]
        missing = np.abs(value) >= NO_UPPER
        total = np.zeros(forms.shape[0], dtype=np.int64)
        np.add.at(total, row, np.where(missing, 0, forms.data * np.where(missing, 0, value)))
        gaps = np.bincount(row, missing, forms.shape[0]) > 0
        result.append(np.where(gaps, none, total))
    return result[0], result[1]
