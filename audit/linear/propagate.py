"""Bounds on single columns from one row at a time, to a fixpoint, in exact integers.

With `integer` the bounds are rounded inward (the shuttle); without, outward, so that they hold for every real table
and can stand beside linear programming bounds. Every round takes the bounds of the round before and looks again only at
rows whose columns changed; large systems are compiled, small ones vectorised, with the same result.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, largest
from tableseal.audit.linear.kernels import MOST, Rows, tighten
from tableseal.audit.linear.kernels import Bounds as Both
from tableseal.audit.sparse import row_of_entries, rows_at, transposed

ROUNDS = 200

FAR = 2**55
"""Propagated bounds beyond this, times the largest coefficient, are dropped: sums over them must fit 64 bits. Released
values of that size keep the bounds they came with."""

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
    run = Runner(worth_compiling(matrix.nnz, tighten))
    by_column, sub, limits = None, matrix, Both(lower, upper)
    for _ in range(ROUNDS):
        if run.compiled:
            new_low, new_high = _compiled_round(run, sub, limits, Both(low, high), integer)
        else:
            new_low, new_high = _vectorised_round(sub, limits, Both(low, high), integer)
        if (new_low > new_high).any():
            raise InfeasibleError
        raised, lowered = np.flatnonzero(new_low != low), np.flatnonzero(new_high != high)
        if len(raised) == 0 and len(lowered) == 0:
            break
        low, high = new_low, new_high
        if by_column is None:
            by_column = transposed(matrix)
        touched = np.zeros(matrix.shape[0], np.bool_)
        touched[rows_at(by_column, np.concatenate([raised, lowered])).indices] = True
        rows = np.flatnonzero(touched)
        sub, limits = rows_at(matrix, rows), Both(lower[rows], upper[rows])
    # Without limits two rows can chase each other for ever; bounds as far out as that are of no use to anybody.
    far = FAR // max(int(largest(matrix.data)), 1)
    return (
        np.where((np.abs(low) > far) & (low != NO_LOWER), column_lower, low),
        np.where((np.abs(high) > far) & (high != NO_UPPER), column_upper, high),
    )


def _compiled_round(run: Runner, matrix: csr_array, limits: Both, now: Both, integer: bool) -> Both:
    system, new = run.arrays(Rows(matrix.indptr, matrix.indices, matrix.data)), Both(now.lower.copy(), now.upper.copy())
    run(tighten, system, run.arrays(limits), run.arrays(now), new, integer)
    return new


def _vectorised_round(matrix: csr_array, limits: Both, now: Both, integer: bool) -> Both:
    (lower, upper), (low, high) = limits, now
    row = row_of_entries(matrix)
    column, entry = matrix.indices.astype(np.int64), matrix.data
    positive, size = entry > 0, np.abs(entry)
    # Contribution of each entry to the least and the greatest value of its row.
    down = _others(entry, np.where(positive, low[column], high[column]), row, matrix.shape[0])
    up = _others(entry, np.where(positive, high[column], low[column]), row, matrix.shape[0])
    # entry * x <= upper - (least of the others), entry * x >= lower - (greatest of the others)
    usable = (upper != NO_UPPER)[row] & (down != NO_LOWER)
    room = np.where(usable, upper[row] - down, 0)
    need_ok = (lower != NO_LOWER)[row] & (up != NO_LOWER)
    need = np.where(need_ok, lower[row] - up, 0)
    # Of the two, a positive entry turns the first into an upper bound, a negative one into a lower bound.
    most = np.where(
        positive,
        np.where(usable, _down(room, size, integer), NO_UPPER),
        np.where(need_ok, _down(-need, size, integer), NO_UPPER),
    )
    least = np.where(
        positive,
        np.where(need_ok, _up(need, size, integer), NO_LOWER),
        np.where(usable, _up(-room, size, integer), NO_LOWER),
    )
    new_low, new_high = low.copy(), high.copy()
    np.maximum.at(new_low, column, least)
    np.minimum.at(new_high, column, most)
    return Both(new_low, new_high)


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
    missing = missing | (np.bincount(row, size, rows) >= MOST)[row]
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
    row = row_of_entries(forms)
    result = []
    for bound, none in ((low, NO_LOWER), (high, NO_UPPER)):
        total, _, gaps, _ = _sums(forms.data, bound[forms.indices], row, forms.shape[0])
        result.append(np.where(gaps > 0, none, total))
    return result[0], result[1]
