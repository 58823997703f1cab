"""Interior points without factorisations: the central path by conjugate gradients, then the middle of a face.

Tables have three entries a column and points in their middle are well scaled, so a direction takes a hundred steps of
conjugate gradients where factors of the equations would fill up. What spoils that are columns on their way to a bound.
So the path is left early: multipliers say which columns are at bounds, these are put there, and the others are moved
onto the equations.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from tableseal.audit.solvers.protocol import Floats, Outcome, Problem

GAP = 1e-9
"""Product of a column and its multiplier, the largest cost being 1, at which the path is left: earlier it is not clear
which columns are at bounds (at 1e-7 most faces of 3d40 cannot be finished)."""

FAR = 1e6
"""Room of columns without upper bound while they are followed; one that gets halfway there is unbounded or unclear."""

ROOM = 8.0
"""Room of a column in the units that the path is followed in, in the middle of all columns."""

NEAR = 1e-9
"""Distance from equations in the end, and accuracy of the last moves."""

MOVES = 3
"""Last moves onto the equations; the first is nearly always enough."""

MOST_STEPS = 2000
"""Steps of conjugate gradients for such a move."""


class Central:
    """A linear program of equations whose costs change. It claims what others do, and gives up where it would take
    longer."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def minimise(self, cost: Floats) -> Outcome | None:
        """A point in the middle of the optimal face of cost @ x, and multipliers; None if that is not clear, or not
        soon. cost is not 0."""
        from tableseal.audit.solvers.central_compiled import follow  # late: loads a compiler

        column_lower, column_upper = self._problem.column_lower, self._problem.column_upper
        if not np.isfinite(column_lower).all():
            return None
        free = np.flatnonzero(column_upper > column_lower)
        matrix = csr_array(self._problem.matrix[:, free])
        rows = np.flatnonzero(np.diff(matrix.indptr))
        matrix = csr_array(matrix[rows])
        room = column_upper[free] - column_lower[free]
        limited = room[np.isfinite(room)]
        unit = max(float(np.median(limited)) / ROOM, 1.0) if len(limited) else 1.0
        right = (self._problem.lower - self._problem.matrix @ column_lower)[rows] / unit
        room = np.minimum(room / unit, FAR)
        largest = np.abs(cost[free]).max(initial=0.0)
        if largest == 0.0 or len(rows) == 0:
            return None
        x, y = np.minimum(room / 4, 1.0), np.zeros(len(rows))
        z, w = np.full(len(x), 0.1), np.full(len(x), 0.1)
        arrays = (*_arrays(matrix), *_arrays(csc_array(matrix)))
        if not follow(*arrays, right, cost[free] / largest, room, x, y, z, w, GAP):
            return None
        at_low, at_high = x <= z, room - x <= w
        x = np.where(at_low, 0.0, np.where(at_high, room, x))
        inside = ~(at_low | at_high)
        if not _onto_equations(matrix, arrays, right, x, inside, room) or (x > FAR / 2).any():
            return None
        point, row_dual = column_lower.copy(), np.zeros(self._problem.matrix.shape[0])
        point[free] = np.clip(point[free] + unit * x, column_lower[free], column_upper[free])
        row_dual[rows] = largest * y
        return Outcome("optimal", point, row_dual)


def _onto_equations(
    matrix: csr_array,
    arrays: tuple[NDArray[np.int32] | Floats, ...],
    right: Floats,
    x: Floats,
    inside: NDArray[np.bool_],
    room: Floats,
) -> bool:
    """Move the columns inside, those least that are near bounds, until the equations hold. True if x gets there."""
    from tableseal.audit.solvers.central_compiled import solve

    for _ in range(MOVES):
        lacking = right - matrix @ x
        if np.abs(lacking).max(initial=0.0) < NEAR:
            return True
        scale = np.where(inside, np.minimum(x, room - x) ** 2, 0.0)
        back = np.zeros(len(right))
        solve(*arrays, scale, lacking, back, NEAR, MOST_STEPS)
        x += scale * (matrix.T @ back)
        if not ((x[inside] > 0) & (x[inside] < room[inside])).all():
            return False
    return False


def _arrays(matrix: csr_array | csc_array) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    # One kind of numbers, so that one compiled version does.
    return matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
