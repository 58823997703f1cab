"""What no safe pattern costs less than: cuts of every block by itself, in one linear program; then integer programs of
blocks, among which the cost of each cell is shared out by what that program pays for it (Lagrangean decomposition).

Against outsiders alone: whoever knows more only asks for more.
"""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.bounds.covering import Covering, Solved, proved
from tableseal.suppression.bounds.cutting import Cutting, cuts_alone
from tableseal.suppression.bounds.whole_blocks import in_whole_blocks
from tableseal.suppression.problem.problem import Problem

ROUNDS = 60
"""Of cuts, at most."""

MANY, SLOW = 100_000, 2e-3
"""Candidates beyond which cells that are withheld for others wait until the program rises by no more than that share:
they are many (241,080 cells: 59,000 cuts at once, then 15 s for the program), and what ends need moves them. Elsewhere
their cuts help whole choices of blocks (mh3d_mid: 2,118,022 in place of 2,110,715)."""

RELAXED = 0.7
"""Share of the time for the linear program, where that is short."""

Floats = NDArray[np.float64]


def lower_bound(
    problem: Problem, solver: Solver, limits: Limits, cost: int | None = None, executor: Executor = HERE
) -> int:
    """What the secondary cells of no safe pattern cost less than, in steps of the scale; 0 where nothing is proved.

    cost: of a safe pattern: it is not gone beyond that. executor: its workers take blocks.
    """
    found = 0
    for bound in rising(problem, solver, limits, executor):
        found = max(found, bound)
        if cost is not None and found >= cost:
            return cost
    return found


def rising(problem: Problem, solver: Solver, limits: Limits, executor: Executor = HERE) -> Iterator[int]:
    """One bound after another, as they are proved."""
    found = _relaxation(problem, solver, limits.share(RELAXED))
    if found is None:
        return
    cutting, program, solved = found
    yield _whole_steps(proved(program.matrix, program.right, program.cost, solved.multiplier))
    for bound in in_whole_blocks(cutting.members, program, solved, solver, limits, executor):
        yield _whole_steps(bound)


def relaxed_choice(problem: Problem, solver: Solver, limits: Limits) -> Floats | None:
    """float64 (cells): how far each is withheld in the cheapest choice that may withhold cells in part, as far as cuts
    were found in time; 1 for primaries. None: nothing was found."""
    found = _relaxation(problem, solver, limits)
    if found is None:
        return None
    cutting, _, solved = found
    share = problem.primary.astype(np.float64)
    share[cutting.candidates] = solved.share
    return share


def _relaxation(problem: Problem, solver: Solver, limits: Limits) -> tuple[Cutting, Covering, Solved] | None:
    """The linear program of all blocks, solved; None: there is nothing to choose, or no time."""
    begun = cuts_alone(problem, solver)
    if begun is None:
        return None
    cutting, program = begun
    solved = _relaxed(cutting, program, limits)
    return None if solved is None else (cutting, program, solved)


def _whole_steps(bound: float) -> int:
    """Costs are whole steps."""
    return max(0, ceil(bound))


def _relaxed(cutting: Cutting, program: Covering, limits: Limits) -> Solved | None:
    """The linear program with the cuts that it breaks, until there are no more or the time is over: what it came to
    last, for any multipliers prove something; None: not even the first one was solved."""
    best: Solved | None = None
    besides, last = len(program.cost) <= MANY, 0.0
    for _ in range(ROUNDS):
        solved = program.solve(limits.seconds_left())
        if solved is None:
            return best
        value = float(program.cost @ solved.share)
        besides, last = besides or value - last <= SLOW * value, value
        added = 0 if limits.out_of_time() else program.add(cutting.broken(solved.share, besides, limits))
        # Cuts that came in since have no multipliers yet.
        best = Solved(solved.share, np.append(solved.multiplier, np.zeros(added)))
        if not added and (besides or limits.out_of_time()):
            break
        besides = besides or not added
    return best
