"""What no safe pattern costs less than, beside a pattern that was found: looked for once everything else is in hand.

Quick methods prove nothing themselves, and the master problem of the exact one says little of tables that are too large
for it. Whoever calls first writes what was found, and comes here with whatever time there is left.
"""

from dataclasses import replace
from time import monotonic, perf_counter

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.highs import Highs
from tableseal.suppression.answer import Suppression
from tableseal.suppression.bounds.lower_bound import lower_bound

SHARE, LEAST, LEFT = 0.5, 5.0, 0.7
"""Of the seconds that everything before took; seconds that there are however little that was; of what a time limit has
left, at most. (Who asks for a quick pattern does not wait ten times as long for what is proved of it.)"""


def bounded(result: Suppression, limits: Limits | None = None) -> Suppression:
    """The same result with the best bound on the cost of safe patterns that is proved in time.

    limits: None: see `_allowed`.

    Nothing is looked for where there is no pattern, one that promises no intervals, one that costs are not minimised
    for (rank), or where it is proved that none is cheaper.
    """
    found, problem, report = result.found, result.problem, result.report
    if found.pattern is None or found.status != "feasible" or found.guarantee != "intervals" or found.rank is not None:
        return result
    if report is None or (report.verdict == "unsafe" and not report.only_ranks):
        return result
    limits = limits or _allowed(result)
    if limits.out_of_time():
        return result
    began = perf_counter()
    forced = (result.decided.accept | problem.stays) & ~problem.primary
    posed = replace(problem, primary=problem.primary | forced, may=problem.may & ~forced)
    always = int(problem.cost[forced].sum())
    bound = max(found.bound, always + lower_bound(posed, Highs(), limits, found.cost - always))
    optimal = bound >= found.cost
    return replace(
        result,
        found=replace(found, status="optimal" if optimal else "feasible", bound=min(bound, found.cost)),
        stopped_by=None if optimal else result.stopped_by,
        seconds=(*result.seconds, ("what no pattern costs less than", perf_counter() - began)),
    )


def _allowed(result: Suppression) -> Limits:
    """A share of the time that everything before took, and of what is left."""
    allowed = max(LEAST, SHARE * sum(seconds for _, seconds in result.seconds))
    left = result.limits.seconds_left()
    return Limits(monotonic() + allowed) if LEFT * left > allowed else result.limits.share(LEFT)
