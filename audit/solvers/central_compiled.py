"""The loops of the central path method (see `central.py`), compiled."""

import numpy as np
from numba import njit

LOOSE, TIGHT = 1e-2, 1e-6
"""Accuracy of predictors and correctors, in the norm that the preconditioner gives."""

ALL_STEPS = 6000
"""Steps of conjugate gradients for one point; more take as long as factorisations."""

NEAR = 1e-4
"""Distance from equations at which the path may be left."""

NEARLY = 0.99
"""Share of the way to the nearest bound that a step goes."""


@njit(cache=True)
def times(pointer, index, entry, vector, result):
    """result = matrix @ vector, by rows."""
    for i in range(len(pointer) - 1):
        total = 0.0
        for k in range(pointer[i], pointer[i + 1]):
            total += entry[k] * vector[index[k]]
        result[i] = total


@njit(cache=True)
def solve(rows, row_index, row_entry, columns, column_index, column_entry, scale, right, y, relative, most):
    """Conjugate gradients for matrix @ diag(scale) @ matrix.T @ y = right from y, scaled by the diagonal.

    y is changed. Number of steps.
    """
    m, n = len(right), len(scale)
    diagonal, product, spread = np.empty(m), np.empty(m), np.empty(n)
    for i in range(m):
        total = 0.0
        for k in range(rows[i], rows[i + 1]):
            total += row_entry[k] * row_entry[k] * scale[row_index[k]]
        diagonal[i] = 1.0 / total if total > 0.0 else 0.0
    times(columns, column_index, column_entry, y, spread)
    spread *= scale
    times(rows, row_index, row_entry, spread, product)
    rest = right - product
    step = diagonal * rest
    ahead = step.copy()
    size, all_of_it = (rest * step).sum(), (right * right * diagonal).sum()
    steps = 0
    while steps < most:
        if size <= relative * relative * all_of_it:
            break
        times(columns, column_index, column_entry, ahead, spread)
        spread *= scale
        times(rows, row_index, row_entry, spread, product)
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


@njit(cache=True)
def _longest(value, change):
    """Largest step up to 1 that leaves values positive."""
    length = 1.0
    for k in range(len(value)):
        if value[k] < -length * change[k]:
            length = -value[k] / change[k]
    return length


@njit(cache=True)
def follow(rows, row_index, row_entry, columns, column_index, column_entry, right, cost, room, x, y, z, w, gap):
    """Mehrotra's predictor and corrector (1992) from 0 < x < room until products are `gap` on average.

    z, w: multipliers of x >= 0 and x <= room, positive. x, y, z, w are changed. True if it gets there.
    """
    m, n = len(right), len(room)
    lacking, reduced, rhs = np.empty(m), np.empty(n), np.empty(m)
    left = ALL_STEPS
    while left > 0:
        left -= 1
        above = room - x
        times(rows, row_index, row_entry, x, lacking)
        lacking = right - lacking
        times(columns, column_index, column_entry, y, reduced)
        dual = cost - reduced - z + w
        product = ((x * z).sum() + (above * w).sum()) / (2 * n)
        if not product < 1e30:
            return False
        if product < gap and np.abs(lacking).max() < NEAR:
            return True
        scale = 1.0 / (z / x + w / above)
        lead = dual + z - w
        times(rows, row_index, row_entry, scale * lead, rhs)
        step_y = np.zeros(m)
        left -= solve(
            rows, row_index, row_entry, columns, column_index, column_entry, scale, rhs + lacking, step_y, LOOSE, left
        )
        times(columns, column_index, column_entry, step_y, reduced)
        dx = scale * (reduced - lead)
        dz, dw = -z - z * dx / x, -w + w * dx / above
        primal, multiplier = min(_longest(x, dx), _longest(above, -dx)), min(_longest(z, dz), _longest(w, dw))
        then = ((x + primal * dx) * (z + multiplier * dz)).sum()
        then += ((above - primal * dx) * (w + multiplier * dw)).sum()
        aim = (then / (2 * n) / product) ** 3 * product
        of_z, of_w = (aim - dx * dz) / x, (aim + dx * dw) / above
        lead = dual - of_z + z + of_w - w
        times(rows, row_index, row_entry, scale * lead, rhs)
        left -= solve(
            rows, row_index, row_entry, columns, column_index, column_entry, scale, rhs + lacking, step_y, TIGHT, left
        )
        times(columns, column_index, column_entry, step_y, reduced)
        dx = scale * (reduced - lead)
        dz, dw = of_z - z - z * dx / x, of_w - w + w * dx / above
        primal = min(1.0, NEARLY * min(_longest(x, dx), _longest(above, -dx)))
        multiplier = min(1.0, NEARLY * min(_longest(z, dz), _longest(w, dw)))
        x += primal * dx
        y += multiplier * step_y
        z += multiplier * dz
        w += multiplier * dw
    return False
