"""A component whose columns have no limit, in coordinates of the whole numbers that satisfy its equations.

Splits of columns without limit need never end, because there is always a next one: 2 x - 2 y = 1 has points of
fractions everywhere, and so have three equations that only together say that some column is half of an odd number. What
is left in these coordinates has no equations, and as few columns as the table has moves.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.bounds.component import Component
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, largest, largest_sum, product
from tableseal.audit.linear.lattice import Solutions
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.sparse import rows_at

LARGEST = 1_000
"""Columns up to which this pays: elimination is by plain Python numbers."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Coordinates:
    """x = start + moves^T @ t for whole t.

    moves: int64 csr (coordinates x columns). component: what t must satisfy; it has no targets.
    """

    start: Ints
    moves: csr_array
    component: Component

    def cost(self, cost: Ints) -> Ints:
        """Weights of columns as weights of coordinates.

        Raises
        ------
        LimitError: they do not fit 64 bits.
        """
        return product(self.moves, cost)

    def table(self, t: Ints) -> Ints:
        """The table with these coordinates.

        Raises
        ------
        LimitError: it does not fit 64 bits.
        """
        return self.start + product(csr_array(self.moves.T.tocsr()), t)


def in_coordinates(component: Component) -> Coordinates | None:
    """The coordinates; None where they are not needed, since all columns have a limit, or out of reach: too many
    columns, or numbers that do not fit 64 bits.

    Raises
    ------
    InfeasibleError: the equations have no solution in whole numbers, or an interval holds no multiple of what changes.
    """
    low, high = component.column_lower, component.column_upper
    if len(low) > LARGEST or not ((low == NO_LOWER) & (high == NO_UPPER)).any():
        return None
    exact = component.lower == component.upper
    found = Solutions(rows_at(component.matrix, np.flatnonzero(exact)))
    try:
        start = found.one(component.lower[exact])
        if start is None:
            raise InfeasibleError
        return _around(component, start, found.moves(), np.flatnonzero(~exact))
    except (OverflowError, LimitError):
        return None


def _around(component: Component, start: Ints, moves: csr_array, between: Ints) -> Coordinates:
    """The coordinates around a solution of the equations; between: the other rows.

    Raises
    ------
    InfeasibleError: see above. LimitError: what must hold of the coordinates does not fit 64 bits.
    """
    low, high = component.column_lower, component.column_upper
    limited = np.flatnonzero((low != NO_LOWER) | (high != NO_UPPER))
    rows = rows_at(component.matrix, between)
    longest = np.full(len(start), int(largest(moves.data)))
    if max(largest_sum(rows, longest), largest(start)) >= float(NO_UPPER):
        raise LimitError("A table or its moves do not fit 64 bits.")
    matrix = csr_array(vstack([rows @ moves.T, csr_array(moves[:, limited]).T], format="csr"))
    matrix.eliminate_zeros()
    at_start = np.concatenate([product(rows, start), start[limited]])
    lower = _less(np.concatenate([component.lower[between], low[limited]]), at_start, NO_LOWER)
    upper = _less(np.concatenate([component.upper[between], high[limited]]), at_start, NO_UPPER)
    matrix, lower, upper = _reduced(matrix, lower, upper)
    count = moves.shape[0]
    unlimited = np.full(count, NO_LOWER), np.full(count, NO_UPPER)
    return Coordinates(start, moves, Component(matrix, lower, upper, *unlimited, csr_array((0, count), dtype=np.int64)))


def _less(bounds: Ints, at_start: Ints, none: int) -> Ints:
    """Bounds on what is added to a start; `none` stays: no bound.

    Raises
    ------
    LimitError: they could be taken for no bound.
    """
    moved = np.where(bounds == none, 0, bounds - at_start)
    if largest(moved) >= float(NO_UPPER):
        raise LimitError("Bounds of coordinates do not fit 64 bits.")
    return np.where(bounds == none, none, moved)


def _reduced(matrix: csr_array, lower: Ints, upper: Ints) -> tuple[csr_array, Ints, Ints]:
    """Rows divided by the common divisor of their entries; what is between two multiples of it is ruled out.

    Raises
    ------
    InfeasibleError: an interval is left without a number.
    """
    filled = np.flatnonzero(np.diff(matrix.indptr) > 0)
    empty = np.setdiff1d(np.arange(matrix.shape[0]), filled)
    if (lower[empty] > 0).any() or (upper[empty] < 0).any():
        raise InfeasibleError
    matrix, lower, upper = rows_at(matrix, filled), lower[filled], upper[filled]
    if len(filled) == 0:
        return matrix, lower, upper
    divisor = np.gcd.reduceat(np.abs(matrix.data), matrix.indptr[:-1])
    lower = np.where(lower == NO_LOWER, NO_LOWER, -(-lower // divisor))
    upper = np.where(upper == NO_UPPER, NO_UPPER, upper // divisor)
    if (lower > upper).any():
        raise InfeasibleError
    data = matrix.data // np.repeat(divisor, np.diff(matrix.indptr))
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape), lower, upper
