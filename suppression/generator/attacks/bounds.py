"""What all answers together leave of a count: ends of linear programs, rounded inwards because counts are whole."""

from collections.abc import Sequence
from math import ceil, floor

import numpy as np
from scipy.sparse import csr_array, vstack

from tableseal.audit.hypercube.model import Ints
from tableseal.audit.hypercube.question import Question
from tableseal.suppression.generator.attacks.user import Claim, Target, User, interval

TOLERANCE = 1e-6
"""Of the ends that a linear program finds."""


def bounded(user: User, targets: Sequence[Target]) -> list[Claim]:
    """Targets of which one count is left by everything that the user was told."""
    from scipy.optimize import linprog

    shape = tuple(len(variable.leaves) for variable in user.variables)
    cells, ends = list[tuple[Ints, Ints]](), list[tuple[int, int]]()
    for question, shown in user.told:
        cells.append(_cells(question, shape))
        ends += [interval(user, value) for value in shown.tolist()]
    if not cells:
        return []
    known = np.unique(np.concatenate([bases for bases, _ in cells]))  # nothing is told of any other
    rows = [
        csr_array((np.ones(len(own)), (own, np.searchsorted(known, bases))), shape=(question.size, len(known)))
        for (bases, own), (question, _) in zip(cells, user.told, strict=True)
    ]
    low, high = np.array(ends, np.float64).T
    matrix, right = vstack([*rows, *(-row for row in rows)]), np.concatenate([high, -low])
    found = []
    for target in targets:
        at, reached = np.ravel_multi_index(target, shape), []
        if at not in known:
            continue
        for sign in (1.0, -1.0):
            cost = np.zeros(matrix.shape[1])
            cost[np.searchsorted(known, at)] = sign
            solved = linprog(cost, A_ub=matrix, b_ub=right, bounds=(0, None), method="highs")
            if solved.status == 0:
                reached.append(sign * float(solved.fun))
        if len(reached) == 2 and ceil(reached[0] - TOLERANCE) == floor(reached[1] + TOLERANCE):
            found.append(Claim(target, ceil(reached[0] - TOLERANCE)))
    return found


def _cells(question: Question, shape: tuple[int, ...]) -> tuple[Ints, Ints]:
    """int64, twice: base cells that a question asks of, filled or not, as positions in the whole hypercube, and the
    cell of each."""
    leaves = [np.arange(size) for size in shape]
    for grouping in (*question.axes, *question.where):
        own = leaves[grouping.variable]
        leaves[grouping.variable] = own[grouping.of_leaf[own] >= 0]
    grid = np.meshgrid(*leaves, indexing="ij")
    bases = np.ravel_multi_index(tuple(grid), shape).ravel()
    cell = np.zeros(len(bases), np.int64)
    for axis in question.axes:
        cell = cell * len(axis.codes) + axis.of_leaf[grid[axis.variable].ravel()]
    return bases.astype(np.int64), cell
