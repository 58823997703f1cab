"""What needs each secondary cell of a pattern that was found: looked for once everything else is in hand.

It asks as much as the search did, for every secondary cell again, so it is no part of the search: whoever calls first
writes what was found, and comes here with whatever time there is left. Cells come in the order in which they are shown.
"""

from dataclasses import replace
from math import isinf
from time import perf_counter

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.clock import now
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.reasons.needed import MOST_QUESTIONS, Failing, given_back, needs

MOST_ENTANGLED = 5_000_000
"""Columns times ends (`Oracle.entanglement`) beyond which nobody looks unless told to (French counts, 1.3 10^7, 1,120
cells: by estimate hours)."""

SHARE, LEAST = 0.2, 5.0
"""Of the seconds that everything before took, and seconds that there are however little that was."""


def explained(result: Suppression, limits: Limits | None = None, *, thorough: bool = False) -> Suppression:
    """The same result with what needs each secondary cell, as far as it is found out in time.

    limits: None: see `_allowed`. thorough: look however much hangs together.

    Nothing is looked for where there is no pattern, or one that promises no intervals.
    """
    found, outcome, problem = result.found, result.outcome, result.problem
    limits = limits or _allowed(result)
    if found.pattern is None or found.guarantee != "intervals":
        return result
    if limits.out_of_time():
        return replace(result, explanation="no time")
    if not thorough and outcome.oracle.entanglement(problem.primary) > MOST_ENTANGLED:
        return replace(result, explanation="entangled")
    began = perf_counter()
    method = deciding(Highs())
    few = result.secondary * problem.insiders.count(found.pattern) <= MOST_QUESTIONS
    failing = Failing(problem, found.pattern, outcome.requirements, outcome.oracle, insiders=few, limits=limits)
    needed = needs(problem, found.pattern, failing, method, limits)
    bound = result.decided.accept | problem.stays
    nothing = [c for c, fails in needed.items() if not fails and not bound[c]]
    idle = given_back(problem, found.pattern, nothing, lambda p: not failing(p))
    complete = len(needed) == result.secondary and not (nothing and limits.out_of_time())
    return replace(
        result,
        explanation="complete" if complete else "no time",
        needs=needed,
        idle=idle,
        seconds=(*result.seconds, ("what needs each cell", perf_counter() - began)),
    )


def _allowed(result: Suppression) -> Limits:
    """A share of the time that everything before took, as far as there is so much left."""
    left, most = result.limits.seconds_left(), max(LEAST, SHARE * sum(seconds for _, seconds in result.seconds))
    if isinf(left):
        return Limits(now() + most)
    return result.limits.share(min(1.0, most / left)) if left else result.limits
