"""What every method that only proposes a pattern ends with: the proposal made safe on the whole, and tidied."""

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.cover import completed, tidied
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found

PROPOSING = 0.4
"""Share of the time for a proposal; the rest is for making it safe and tidy."""


def repaired(problem: Problem, tools: Tools, proposal: NDArray[np.bool_]) -> Found:
    """A safe pattern made from a proposal: what is missing added, what is not needed given back.

    proposal: bool (cells), primaries included.
    """
    pattern, impossible = completed(problem, tools.oracle, proposal, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0, start=proposal)
    tools.keep(Found("feasible", pattern, problem.price(pattern), 0))
    pattern = tidied(problem, tools.oracle, pattern, tools.limits)
    return Found("feasible", pattern, problem.price(pattern), 0)
