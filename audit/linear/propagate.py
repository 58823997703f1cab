"""Bounds on single columns from one row at a time, to a fixpoint: vectorised, in exact integers.

With `integer` the bounds are rounded inward (the shuttle); without, outward, so that they hold for every real table
and can stand beside linear programming bounds.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.linear.integers import NO_LOWER, NO_UPPER

ROUNDS = 200

FAR = 2**55
"""Propagated bounds beyond this are dropped; released values of that size keep the bounds they came with."""

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
    for _ in range(ROUNDS):
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
        np.minimum.at(new_high, column, np.where(usable & positive, _down(room, size, integer), NO_UPPER))
        np.maximum.at(new_low, column, np.where(usable & ~positive, _up(-room, size, integer), NO_LOWER))
        np.maximum.at(new_low, column, np.where(need_ok & positive, _up(need, size, integer), NO_LOWER))
        np.minimum.at(new_high, column, np.where(need_ok & ~positive, _down(-need, size, integer), NO_UPPER))
        if (new_low > new_high).any():
            raise InfeasibleError
        if (new_low == low).all() and (new_high == high).all():
            break
        low, high = new_low, new_high
    # Without limits two rows can chase each other for ever; bounds as far out as that are of no use to anybody.
    return (
        np.where((np.abs(low) > FAR) & (low != NO_LOWER), column_lower, low),
        np.where((np.abs(high) > FAR) & (high != NO_UPPER), column_upper, high),
    )


def _others(entry: NDArray[np.int64], bound: NDArray[np.int64], row: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Sum of entry * bound over the other entries of the row; NO_LOWER where one of the others has no bound."""
    total, part, gaps, missing = _sums(entry, bound, row, rows)
    others_missing = gaps[row] - missing > 0
    return np.where(others_missing, NO_LOWER, total[row] - part)


def _sums(
    entry: NDArray[np.int64], bound: NDArray[np.int64], row: NDArray[np.int64], rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """(row sums of entry * bound, the products, number of entries without a usable bound per row, which these are).

    Bounds of a row whose sum might not fit 64 bits are dropped rather than trusted.
    """
    missing = np.abs(bound) >= NO_UPPER
    size = np.where(missing, 0.0, np.abs(entry.astype(np.float64)) * np.abs(bound.astype(np.float64)))
    missing = missing | (np.bincount(row, size, rows) >= float(2**61))[row]
    part = np.where(missing, 0, np.where(missing, 0, entry) * np.where(missing, 0, bound))
    total = np.zeros(rows, dtype=np.int64)
    np.add.at(total, row, part)
    return total, part, np.bincount(row, missing, rows).astype(np.int64), missing


def _down(value: NDArray[np.int64], size: NDArray[np.int64], integer: bool) -> NDArray[np.int64]:
    """Upper bound value / size: rounded down for integers, up for reals."""
    return value // size if integer else -((-value) // size)


def _up(value: NDArray[np.int64], size: NDArray[np.int64], integer: bool) -> NDArray[np.int64]:
    return -((-value) // size) if integer else value // size


def form_bounds(forms: csr_array, low: NDArray[np.int64], high: NDArray[np.int64]) -> Bounds:
    """Bounds of non-negative combinations of columns from the columns' bounds alone. forms: (forms x columns), >= 0."""
    row = np.repeat(np.arange(forms.shape[0]), np.diff(forms.indptr))
    result = []
    for bound, none in ((low, NO_LOWER), (high, NO_UPPER)):
        total, _, gaps, _ = _sums(forms.data, bound[forms.indices], row, forms.shape[0])
        result.append(np.where(gaps > 0, none, total))
    return result[0], result[1]
