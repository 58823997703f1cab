"""A safe pattern from greedy elimination: first against exact disclosure, then repaired until the oracle passes it.

Elimination sees the whole system of equations at once and takes a fraction of a second for a thousand cells, so it is
tried several times with disturbed costs, and the cheapest outcome repaired. What that leaves to do is little where
required intervals are short.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.greedy_elimination import beyond_protection, eliminated, movements
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.repair import PROPOSING, repaired
from tableseal.suppression.search.result import Found

TRIES = 24
"""Eliminations at most. Cost with 1, 6, 12 and 24 of them: f3d_6 383, 355, 297, 297 (least safe pattern known: 295);
f3d_10 247, 238, 231, 231 (223); f2d_30s 63, 56, 56, 56 (50)."""

CELLS = 40_000
"""Cells in all tries together, from the second on; of larger tables `optimal` does not ask for any: what a try begins
with knows no limit of time."""

DISTURBED = 0.3
"""Standard deviation of the logarithm of the factors on costs."""

KEPT = 0.3
"""By how much the logarithm of the cost of cells in the best pattern so far is lowered: tries look around it."""


def elimination(problem: Problem, tools: Tools) -> Found:
    """Greedy elimination, made safe."""
    moves = movements(problem)
    given = beyond_protection(problem, moves)
    if given is not None:
        return Found("infeasible", None, 0, 0, given)
    best = eliminated(problem, moves, problem.cost)
    draw, limits = np.random.default_rng(tools.seed), tools.limits.share(PROPOSING)
    for _ in range(min(TRIES, CELLS // len(best)) - 1):
        if limits.out_of_time():
            break
        factor = np.exp(draw.normal(0, DISTURBED, len(best)) - KEPT * best)
        found = eliminated(problem, moves, in_steps(problem.cost.astype(np.float64) * factor))
        if problem.price(found) < problem.price(best):
            best = found
    return repaired(problem, tools, best)


def in_steps(cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """Disturbed costs as whole numbers, fine enough to keep their order."""
    steps: NDArray[np.int64] = np.maximum(1, np.minimum(cost * 64, 2.0**62)).astype(np.int64)
    return steps
