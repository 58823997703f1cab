"""Interior points without factorisations: the central path by conjugate gradients, then the middle of a face.

Tables have three entries a column and points in their middle are well scaled, so a direction takes a hundred steps of
conjugate gradients where factors of the equations would fill up. What spoils that are columns on their way to a bound.
So the path is left early: multipliers say which columns are at bounds, these are put there, and the others are moved
onto the equations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from tableseal.audit.compiling import compiled, kernel
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

LOOSE, TIGHT = 1e-2, 1e-6
"""Accuracy of predictors and correctors, in the norm that the preconditioner gives."""

ALL_STEPS = 6000
"""Steps of conjugate gradients for one point; more take as long as factorisations."""

NEARBY = 1e-4
"""Distance from equations at which the path may be left."""

NEARLY = 0.99
"""Share of the way to the nearest bound that a step goes."""


class Lines(NamedTuple):
    """Rows or columns of a sparse matrix: start[i]:start[i + 1] are the entries of line i (int32, float64)."""

    start: NDArray[np.int32]
    member: NDArray[np.int32]
    entry: Floats


class Point(NamedTuple):
    """x, multipliers y of the equations, and those of x >= 0 (z) and x <= room (w), which are positive."""

    x: Floats
    y: Floats
    z: Floats
    w: Floats


class Central:
    """A linear program of equations whose costs change. It claims what others do, and gives up where it would take
    longer."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def minimise(self, cost: Floats) -> Outcome | None:
        """A point in the middle of the optimal face of cost @ x, and multipliers; None if that is not clear, or not
        soon. cost is not 0."""
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
        x = np.minimum(room / 4, 1.0)
        point = Point(x, np.zeros(len(rows)), np.full(len(x), 0.1), np.full(len(x), 0.1))
        lines = _lines(matrix), _lines(csc_array(matrix))
        if not compiled(_follow)(*lines, right, cost[free] / largest, room, point, GAP):
            return None
        at_low, at_high = x <= point.z, room - x <= point.w
        x = np.where(at_low, 0.0, np.where(at_high, room, x))
        inside = ~(at_low | at_high)
        if not _onto_equations(matrix, lines, right, x, inside, room) or (x > FAR / 2).any():
            return None
        solution, row_dual = column_lower.copy(), np.zeros(self._problem.matrix.shape[0])
        solution[free] = np.clip(solution[free] + unit * x, column_lower[free], column_upper[free])
        row_dual[rows] = largest * point.y
        return Outcome("optimal", solution, row_dual)


def _onto_equations(
    matrix: csr_array,
    lines: tuple[Lines, Lines],
    right: Floats,
    x: Floats,
    inside: NDArray[np.bool_],
    room: Floats,
) -> bool:
    """Move the columns inside, those least that are near bounds, until the equations hold. True if x gets there."""
    for _ in range(MOVES):
        lacking = right - matrix @ x
        if np.abs(lacking).max(initial=0.0) < NEAR:
            return True
        scale = np.where(inside, np.minimum(x, room - x) ** 2, 0.0)
        back = np.zeros(len(right))
        compiled(_solve)(*lines, scale, lacking, back, NEAR, MOST_STEPS)
        x += scale * (matrix.T @ back)
        if not ((x[inside] > 0) & (x[inside] < room[inside])).all():
            return False
    return False


def _lines(matrix: csr_array | csc_array) -> Lines:
    # One kind of numbers, so that one compiled version does.
    return Lines(matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))


@kernel
def _times(matrix: Lines, vector: Floats, result: Floats) -> None:
    """result = matrix @ vector."""
    start, member, entry = matrix.start, matrix.member, matrix.entry
    for i in range(len(start) - 1):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += entry[k] * vector[member[k]]
        result[i] = total


@kernel
def _solve(rows: Lines, columns: Lines, scale: Floats, right: Floats, y: Floats, relative: float, most: int) -> int:
    """Conjugate gradients for matrix @ diag(scale) @ matrix.T @ y = right from y, scaled by the diagonal.

    y is changed. Number of steps.
    """
    m, n = len(right), len(scale)
    diagonal, product, spread = np.empty(m), np.empty(m), np.empty(n)
    for i in range(m):
        total = 0.0
        for k in range(rows.start[i], rows.start[i + 1]):
            total += rows.entry[k] * rows.entry[k] * scale[rows.member[k]]
        diagonal[i] = 1.0 / total if total > 0.0 else 0.0
    _times(columns, y, spread)
    spread *= scale
    _times(rows, spread, product)
    rest = right - product
    step = diagonal * rest
    ahead = step.copy()
    size, all_of_it = (rest * step).sum(), (right * right * diagonal).sum()
    steps = 0
    while steps < most:
        if size <= relative * relative * all_of_it:
            break
        _times(columns, ahead, spread)
        spread *= scale
        _times(rows, spread, product)
        curvature = (ahead * product).sum()
        if not curvature > 0.0:
            break
        length = size / curvature
        y += length * ahead
        rest -= length * product
        step = diagonal * rest
        before, size = size, (rest * step).sum()
        ahead = step + size / before * ahead
        steps += 1
    return steps


@kernel
def _longest(value: Floats, change: Floats) -> float:
    """Largest step up to 1 that leaves values positive."""
    length = 1.0
    for k in range(len(value)):
        if value[k] < -length * change[k]:
            length = -value[k] / change[k]
    return length


@kernel
def _follow(rows: Lines, columns: Lines, right: Floats, cost: Floats, room: Floats, point: Point, gap: float) -> bool:
    """Mehrotra's predictor and corrector (1992) from 0 < x < room until products are `gap` on average.

    The point is changed. True if it gets there.
    """
    x, y, z, w = point.x, point.y, point.z, point.w
    m, n = len(right), len(room)
    lacking, reduced, rhs = np.empty(m), np.empty(n), np.empty(m)
    left = ALL_STEPS
    while left > 0:
        left -= 1
        above = room - x
        _times(rows, x, lacking)
        lacking = right - lacking
        _times(columns, y, reduced)
        dual = cost - reduced - z + w
        product = ((x * z).sum() + (above * w).sum()) / (2 * n)
        if not product < 1e30:
            return False
        if product < gap and np.abs(lacking).max() < NEARBY:
            return True
        scale = 1.0 / (z / x + w / above)
        lead = dual + z - w
        _times(rows, scale * lead, rhs)
        step_y = np.zeros(m)
        left -= _solve(rows, columns, scale, rhs + lacking, step_y, LOOSE, left)
        _times(columns, step_y, reduced)
        dx = scale * (reduced - lead)
        dz, dw = -z - z * dx / x, -w + w * dx / above
        primal, multiplier = min(_longest(x, dx), _longest(above, -dx)), min(_longest(z, dz), _longest(w, dw))
        then = ((x + primal * dx) * (z + multiplier * dz)).sum()
        then += ((above - primal * dx) * (w + multiplier * dw)).sum()
        aim = (then / (2 * n) / product) ** 3 * product
        of_z, of_w = (aim - dx * dz) / x, (aim + dx * dw) / above
        lead = dual - of_z + z + of_w - w
        _times(rows, scale * lead, rhs)
        left -= _solve(rows, columns, scale, rhs + lacking, step_y, TIGHT, left)
        _times(columns, step_y, reduced)
        dx = scale * (reduced - lead)
        dz, dw = of_z - z - z * dx / x, of_w - w + w * dx / above
        primal = min(1.0, NEARLY * min(_longest(x, dx), _longest(above, -dx)))
        multiplier = min(1.0, NEARLY * min(_longest(z, dz), _longest(w, dw)))
        x += primal * dx
        y += multiplier * step_y
        z += multiplier * dz
        w += multiplier * dw
    return False
