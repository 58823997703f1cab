"""What no safe pattern costs less than, beside a pattern that was found: looked for once everything else is in hand.

Quick methods prove nothing themselves, and the master problem of the exact one says little of tables that are too large
for it. Whoever calls first writes what was found, and comes here with whatever time there is left.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import now
from tableseal.audit.execution.executor import HERE, Executor
from tableseal.audit.report.model import Report
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.bounds.lower_bound import lower_bound
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.result import Found

SHARE, LEAST, LEFT = 0.5, 5.0, 0.7
"""Of the seconds that everything before took; seconds that there are however little that was; of what a time limit has
left, at most. (Who asks for a quick pattern does not wait ten times as long for what is proved of it.)"""


def bounded(result: Suppression, limits: Limits | None = None, *, executor: Executor = HERE) -> Suppression:
    """The same result with the best bound on the cost of safe patterns that is proved in time.

    limits: None: see `_allowed`. executor: its workers take parts of the table.

    Nothing is looked for where there is no pattern, one that promises no intervals, one that costs are not minimised
    for (rank), or where it is proved that none is cheaper.
    """
    found = result.found
    if not open_above(found, result.report):
        return result
    limits = limits or _allowed(result)
    if limits.out_of_time():
        return result
    began = perf_counter()
    found = raised(found, cheapest_possible(result.problem, result.decided.accept, found.cost, limits, executor))
    return replace(
        result,
        found=found,
        stopped_by=None if found.status == "optimal" else result.stopped_by,
        seconds=(*result.seconds, ("what no pattern costs less than", perf_counter() - began)),
    )


def open_above(found: Found, report: Report | None) -> bool:
    """Whether it is worth asking how much cheaper a pattern could be. report: its audit; None: there is none."""
    if found.pattern is None or found.status != "feasible" or found.guarantee != "intervals" or found.rank is not None:
        return False
    return report is not None and (report.verdict != "unsafe" or report.only_ranks)


def cheapest_possible(
    problem: Problem, accepted: NDArray[np.bool_], cost: int, limits: Limits, executor: Executor = HERE
) -> int:
    """What no safe pattern costs less than, in steps of the scale; not looked for beyond a cost.

    accepted: bool (cells), withheld by hand.
    """
    forced = (accepted | problem.stays) & ~problem.primary
    posed = replace(problem, primary=problem.primary | forced, may=problem.may & ~forced)
    always = int(problem.cost[forced].sum())
    return always + lower_bound(posed, Highs(), limits, cost - always, executor)


def raised(found: Found, bound: int) -> Found:
    """An answer of which more is proved."""
    bound = min(max(found.bound, bound), found.cost)
    return replace(found, status="optimal" if bound == found.cost else "feasible", bound=bound)


def allowed(seconds: float) -> float:
    """Seconds that bounds may take where everything before took so many."""
    return max(LEAST, SHARE * seconds)


def _allowed(result: Suppression) -> Limits:
    """A share of the time that everything before took, and of what is left of a limit, which does not count audits."""
    most = allowed(sum(seconds for _, seconds in result.seconds))
    left = LEFT * (result.limits.seconds_left() + result.outcome.audited)
    return Limits(now() + most) if left > most else result.limits.anew(left)
