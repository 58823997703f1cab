"""What all answers together leave of a count: ends of linear programs, rounded inwards because counts are whole."""

from collections.abc import Sequence
from math import ceil, floor

import numpy as np
from scipy.sparse import csr_array, vstack

from tableseal.audit.hypercube.model import BaseCells
from tableseal.audit.hypercube.question import cells_of
from tableseal.suppression.generator.attacks.user import Claim, Target, User, interval

TOLERANCE = 1e-6
"""Of the ends that a linear program finds."""


def bounded(user: User, targets: Sequence[Target]) -> list[Claim]:
    """Targets of which one count is left by everything that the user was told."""
    from scipy.optimize import linprog

    shape = tuple(len(variable.leaves) for variable in user.variables)
    codes = tuple(code.ravel().astype(np.int32) for code in np.indices(shape))
    every = BaseCells(codes, np.ones(len(codes[0]), np.int64), np.zeros(0, np.int64))
    rows, ends = [], list[tuple[int, int]]()
    for question, shown in user.told:
        cells = cells_of(question, every)
        inside = np.flatnonzero(cells >= 0)
        entries = np.ones(len(inside))
        rows.append(csr_array((entries, (cells[inside], inside)), shape=(question.size, len(cells))))
        ends += [interval(user, value) for value in shown.tolist()]
    if not rows:
        return []
    low, high = np.array(ends, np.float64).T
    matrix, right = vstack([*rows, *(-row for row in rows)]), np.concatenate([high, -low])
    found = []
    for target in targets:
        reached = []
        for sign in (1.0, -1.0):
            cost = np.zeros(matrix.shape[1])
            cost[np.ravel_multi_index(target, shape)] = sign
            solved = linprog(cost, A_ub=matrix, b_ub=right, bounds=(0, None), method="highs")
            if solved.status == 0:
                reached.append(sign * float(solved.fun))
        if len(reached) == 2 and ceil(reached[0] - TOLERANCE) == floor(reached[1] + TOLERANCE):
            found.append(Claim(target, ceil(reached[0] - TOLERANCE)))
    return found
