"""What every method that only proposes a pattern ends with: the proposal made safe on the whole, and tidied."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.cover import completed, tidied
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found

PROPOSING = 0.4
"""Share of the time for a proposal; the rest is for making it safe and tidy."""


def repaired(problem: Problem, tools: Tools, proposal: NDArray[np.bool_], tidying: Limits | None = None) -> Found:
    """A safe pattern made from a proposal: what is missing added, what is not needed given back.

    proposal: bool (cells), primaries included. tidying: for giving back, if not those of the tools.
    """
    found = made_safe(problem, tools, proposal)
    if found.pattern is None:
        return found
    tools.keep(found)
    pattern = tidied(problem, tools.oracle, found.pattern, tidying or tools.limits)
    return Found("feasible", pattern, problem.price(pattern), 0)


def made_safe(problem: Problem, tools: Tools, proposal: NDArray[np.bool_]) -> Found:
    """A safe pattern around a proposal."""
    pattern, impossible = completed(problem, tools.oracle, proposal, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0, start=proposal)
    return Found("feasible", pattern, problem.price(pattern), 0)
