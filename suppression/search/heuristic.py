"""A safe pattern quickly, without a bound on what is left to gain."""

import numpy as np
from numpy.typing import NDArray

from suppression.problem import Problem
from suppression.search.cover import clean_up, cover
from suppression.search.method import Tools
from suppression.search.planes import Planes
from suppression.search.relaxation import relax, round_off
from suppression.search.result import Found

RELAXED = 20_000
"""Cells up to which the relaxation is worth its time (11,135 cells: 10 s); on fh3d_small the pattern then costs 1,449
instead of 1,875."""

EVERYWHERE = 3_000
"""Cells up to which what each requirement needs is looked for in the whole table; on mh3d_small (803 cells: 3 s) the
pattern then costs 1,113,748 instead of 1,206,569."""

NEAR = 1.25
"""Times the cost of the best pattern up to which another one is worth cleaning up."""


def heuristic(problem: Problem, tools: Tools) -> Found:
    """Cover whatever is missed, cheapest first, then give back what is not needed: all at once what no requirement has
    taken, then cell by cell. Guided by the relaxation where the table is not too large for that."""
    pattern, impossible = cover(problem, tools.oracle, problem.primary, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    planes = Planes(problem, tools)
    planes.improve(pattern)
    _narrow(planes, pattern, tools)
    if len(problem.primary) <= RELAXED:
        relax(planes, tools.limits)
        round_off(planes, tools.limits)
    assert planes.best is not None
    planes.improve(clean_up(problem, tools.oracle, planes.best, tools.limits))
    if len(problem.primary) <= EVERYWHERE:
        found = _narrow(planes, problem.primary | problem.may, tools)
        if found is not None and problem.price(found) < NEAR * planes.cost:
            planes.improve(clean_up(problem, tools.oracle, found, tools.limits))
    return Found("feasible", planes.best, planes.cost, 0)


def _narrow(planes: Planes, within: NDArray[np.bool_], tools: Tools) -> NDArray[np.bool_] | None:
    """A safe pattern of what each requirement in turn needs most cheaply, within another pattern."""
    problem = planes.problem
    found = tools.oracle.narrowed(within, problem.primary, problem.cost.astype(np.float64), tools.limits)
    if found is not None:
        planes.improve(found)
    return found
