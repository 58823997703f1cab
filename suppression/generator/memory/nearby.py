"""Directions among base cells nearby in the order of the hypercube, for all small ones of a block at once."""

from typing import Any

import numpy as np

from tableseal.audit.compiling import Runner, kernel
from tableseal.suppression.generator.memory.ground import GRAIN, Floats, Ground, Positions
from tableseal.suppression.generator.memory.rows import Grown, NewRows

Array = Any

RIDGE = 1e-3
"""Is added to the diagonal of equations that may have many solutions: a short one is taken."""


def alone(members: Positions, own: Positions) -> Floats:
    """Directions that are 0 but for each one itself (members x own)."""
    found: Floats = (members[:, None] == own).astype(np.float64)
    return found


def found_nearby(ground: Ground, members: Positions, own: Positions, rows: Grown, run: Runner) -> tuple[Floats, Floats]:
    """The best directions of some base cells among others (members x own), and |A d|^2 of each.

    members: base cells, own ones included.
    """
    together = np.zeros((len(members), len(members)))
    run(shared, rows.array[members], together)
    best, counts = alone(members, own), ground.base.count
    for count in np.unique(counts[own]).tolist():
        mine = np.flatnonzero(counts[own] == count)
        free = np.flatnonzero(counts[members] >= ground.threshold - count)
        at = np.searchsorted(members, own[mine])
        matrix = together[np.ix_(free, free)] + RIDGE * np.eye(len(free))
        if count >= ground.threshold - count:  # one of those that are free: the best one that is 1 there
            right = (members[free][:, None] == own[mine]).astype(np.float64)
            run(solved, matrix, right)
            right /= right[np.searchsorted(free, at), np.arange(len(mine))]
        else:
            right = -together[np.ix_(free, at)]
            run(solved, matrix, right)
        best[np.ix_(free, mine)] = np.round(right * GRAIN) / GRAIN
    precision = np.zeros(len(own))
    run(squares, together, best, precision)
    return best, precision


def seen_nearby(
    new: NewRows, own: Positions, members: Positions, directions: Floats | None, out: Floats, run: Runner
) -> None:
    """Add to `out` what an answer adds to |A d|^2 of each direction: the squares of what d adds up to in its rows.

    directions: None: see `alone`.
    """
    if directions is None:
        out += new.row[own] > 0
    else:
        slots = np.full(new.number, -1, np.int32)
        run(seen_of, new.row[members], new.first, directions, slots, np.empty((len(members), len(own))), out)


@kernel
def seen_of(row: Array, first: int, directions: Array, slots: Array, sums: Array, out: Array) -> None:
    """See `seen_nearby`. row: of each member, 0: none. slots: -1 (rows). sums: room (members x own)."""
    used = 0
    for i in range(len(row)):
        if row[i] > 0:
            c = row[i] - first
            if slots[c] < 0:
                slots[c] = used
                sums[used, :] = 0.0
                used += 1
            sums[slots[c], :] += directions[i, :]
    for s in range(used):
        out += sums[s, :] * sums[s, :]


@kernel
def solved(matrix: Array, right: Array) -> None:
    """Solve equations with a positive definite matrix: the solutions take the place of the right hand sides. Both are
    written to. A library's solver starts threads, which for 200 unknowns takes longer than the work."""
    n, sides = len(matrix), right.shape[1]
    for p in range(n):
        for i in range(p + 1, n):
            by = matrix[i, p] / matrix[p, p]
            if by != 0.0:
                for j in range(p + 1, n):
                    matrix[i, j] -= by * matrix[p, j]
                for j in range(sides):
                    right[i, j] -= by * right[p, j]
    for p in range(n - 1, -1, -1):
        for j in range(sides):
            right[p, j] /= matrix[p, p]
        for i in range(p):
            by = matrix[i, p]
            if by != 0.0:
                for j in range(sides):
                    right[i, j] -= by * right[p, j]


@kernel
def squares(together: Array, directions: Array, out: Array) -> None:
    """Add to `out` what |A d|^2 of each direction is. together: (members x members), in how many answers they are in
    one row; directions: (members x own)."""
    n, sides = directions.shape
    row = np.empty(sides)
    for i in range(n):
        row[:] = 0.0
        for j in range(n):
            by = together[i, j]
            if by != 0.0:
                for k in range(sides):
                    row[k] += by * directions[j, k]
        for k in range(sides):
            out[k] += row[k] * directions[i, k]


@kernel
def shared(cells: Array, out: Array) -> None:
    """In how many answers two base cells are in one row. cells: int32 (base cells x answers), the row; 0: none."""
    for i in range(len(cells)):
        one = cells[i]
        for j in range(i + 1):
            other, total = cells[j], np.int32(0)
            for a in range(len(one)):
                total += np.int32(one[a] == other[a]) * np.int32(one[a] > 0)
            out[i, j] = out[j, i] = total
