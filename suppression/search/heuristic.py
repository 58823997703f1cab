"""A safe pattern quickly, without a bound on what is left to gain."""

import numpy as np
from numpy.typing import NDArray

from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.branch import first_pattern
from tableseal.suppression.search.cover import clean_up, needed
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.planes import Planes
from tableseal.suppression.search.relaxation import relax, round_off
from tableseal.suppression.search.result import Found

RELAXED = 20_000
"""Cells up to which the relaxation is worth its time (11,135 cells: 10 s); on fh3d_small the pattern then costs 1,449
instead of 1,875."""

EVERYWHERE = 3_000
"""Cells up to which what each requirement needs is looked for in the whole table; on mh3d_small (803 cells: 3 s) the
pattern then costs 1,113,748 instead of 1,206,569."""

ENTANGLED = 500_000
"""Columns times ends, over the parts of the table in which sensitive cells hang together whatever the pattern, beyond
which one program for each end takes long: flat and hierarchical tables have less than 10^5; f3d_20 has 6 10^6, and the
programs took 50 s to find nothing better than 373, the optimum, which takes 17 s without them.
Of columns that no table shows (linked tables have them) beyond which cuts cost more than such programs, which then come
first: the French turnover has 8 10^5 (a pattern that withstands 112 insiders, too, after 9 s, 344 further cells after
another 18 s of clean-up), the French counts, all of them one part, 10^7."""

NEAR = 1.25
"""Times the cost of the best pattern up to which another one is worth cleaning up."""


def heuristic(problem: Problem, tools: Tools) -> Found:
    """Cover whatever is missed, cheapest first, then give back what is not needed: all at once what no requirement has
    taken, then cell by cell. Guided by the relaxation where the table is not too large for that."""
    everything = problem.primary | problem.may
    entangled = tools.oracle.entanglement(problem.primary) > ENTANGLED
    unseen = tools.oracle.entanglement(problem.primary, unseen=True) > ENTANGLED
    start = needed(problem, tools.oracle, everything, tools.limits)[0] if unseen else problem.primary
    pattern, impossible = first_pattern(problem, tools, start)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    planes = Planes(problem, tools)
    planes.assume()
    planes.improve(pattern)
    if not entangled:
        _narrow(planes, pattern, tools)
    if len(problem.primary) <= RELAXED and not unseen:
        relax(planes, tools.limits)
        round_off(planes, tools.limits)
    assert planes.best is not None
    planes.improve(clean_up(problem, tools.oracle, planes.best, tools.limits))
    if len(problem.primary) <= EVERYWHERE:
        found = _narrow(planes, everything, tools)
        if found is not None and problem.price(found) < NEAR * planes.cost:
            planes.improve(clean_up(problem, tools.oracle, found, tools.limits))
    return Found("feasible", planes.best, planes.cost, 0)


def _narrow(planes: Planes, within: NDArray[np.bool_], tools: Tools) -> NDArray[np.bool_] | None:
    """A safe pattern of what each requirement in turn needs most cheaply, within another pattern."""
    found, safe = needed(planes.problem, tools.oracle, within, tools.limits)
    if safe:
        planes.improve(found)
    return found if safe else None
