"""A safe pattern quickly, without a bound on what is left to gain."""

from suppression.problem import Problem
from suppression.search.cover import clean_up, cover
from suppression.search.method import Tools
from suppression.search.planes import Planes
from suppression.search.relaxation import relax, round_off
from suppression.search.result import Found

RELAXED = 20_000
"""Cells up to which the relaxation is worth its time (11,135 cells: 10 s); on fh3d_small the pattern then costs 1,449
instead of 1,875."""


def heuristic(problem: Problem, tools: Tools) -> Found:
    """Cover whatever is missed, cheapest first, then give back what is not needed; guided by the relaxation where the
    table is not too large for that."""
    pattern, impossible = cover(problem, tools.oracle, problem.primary, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    planes = Planes(problem, tools)
    planes.improve(pattern)
    if len(problem.primary) <= RELAXED:
        relax(planes, tools.limits)
        round_off(planes, tools.limits)
    assert planes.best is not None
    planes.improve(clean_up(problem, tools.oracle, planes.best, tools.limits))
    return Found("feasible", planes.best, planes.cost, 0)
