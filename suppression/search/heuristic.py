"""A safe pattern quickly, without a bound on what is left to gain."""

from suppression.problem import Problem
from suppression.search.cover import clean_up, cover
from suppression.search.method import Tools
from suppression.search.result import Found


def heuristic(problem: Problem, tools: Tools) -> Found:
    """Cover whatever is missed, cheapest first, then give back what is not needed."""
    pattern, impossible = cover(problem, tools.oracle, problem.primary, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    tools.keep(Found("feasible", pattern, problem.price(pattern), 0))
    pattern = clean_up(problem, tools.oracle, pattern, tools.limits)
    return Found("feasible", pattern, problem.price(pattern), 0)
