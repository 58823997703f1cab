"""What no additive table of multiples goes below, by weak duality: a sum over cells for any multipliers of relations.

With multipliers y of the relations A x = b, x steps above the lower neighbours, every such table has

    changes >= y b + sum over cells of the least of (change at x) - (A' y) x over the x that the cell may take.

The multipliers come from a first-order method, rounded to multiples of 2^-10, so that the sum is one of whole numbers:
whatever the solver says, the bound is proved.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Problem
from tableseal.suppression.protections.multiples import Part

SCALE = 1024
"""Multipliers are whole multiples of one part of this."""

Ints = NDArray[np.int64]


def multipliers(part: Part, limits: Limits) -> Ints:
    """int64 (relations), in units / SCALE, for the nearest table of multiples, also beyond the neighbours: they bound
    zero-restricted tables nearly as well (113,607 and 113,788 of a cube of 170,373 cells)."""
    cells, more = len(part.value), part.relations.shape[1] - len(part.value)
    right = part.right.astype(np.float64)
    shown, rest = csr_array(part.relations[:, :cells]), csr_array(part.relations[:, cells:])
    problem = Problem(
        csr_array(hstack([shown, shown, -shown, rest])),
        right,
        right,
        np.concatenate([np.zeros(3 * cells), np.full(more, -np.inf)]),
        np.concatenate([part.between.astype(np.float64), np.full(2 * cells + more, np.inf)]),
    )
    cost = np.concatenate([part.base - 2.0 * part.residual, np.full(2 * cells, float(part.base)), np.zeros(more)])
    found = Highs().first_order(problem, cost, limits.seconds_left())
    if found.row_dual is None:
        return np.zeros(len(right), np.int64)
    size = SCALE * part.base
    scaled = np.clip(np.nan_to_num(found.row_dual) * SCALE, -64.0 * size, 64.0 * size)
    return np.round(scaled).astype(np.int64)


def least_change(part: Part, multiplier: Ints, beyond: int = 0) -> int:
    """Of tables in which no cell goes more than so many steps beyond its neighbours, none has smaller changes."""
    cells = len(part.value)
    told = part.relations.T @ multiplier
    if told[cells:].any():  # sums that no table shows have no limits
        return part.nearest
    told = told[:cells]
    least = np.full(cells, 2**62)
    for step in range(-beyond, 2 + beyond):
        change = np.abs(part.base * step - part.residual) * SCALE - told * step
        possible = (step >= -beyond) & (step <= part.between + beyond)
        least = np.where(possible, np.minimum(least, change), least)
    total: int = sum(least.tolist()) + sum((multiplier * part.right).tolist())
    return max(part.nearest, -(-total // SCALE))
