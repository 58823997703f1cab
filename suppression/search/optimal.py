"""The cheapest safe pattern, with the best that any quick method finds to begin with.

Cutting planes begin with a pattern, a relaxation and what is found around it. Where that proves nothing yet, every
quick method has its turn before whole patterns are looked at: with the same oracle, so that each answers from what
those before it have learnt, and with a share of the time of its own, so that none starves the others.
"""

from dataclasses import replace

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import InputError, LimitError
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.branch import cheapest
from tableseal.suppression.search.elimination import CELLS, elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.method import Search, Tools
from tableseal.suppression.search.modular import first_proposal, modular, proposed_again, quick
from tableseal.suppression.search.network import network
from tableseal.suppression.search.planes import Planes
from tableseal.suppression.search.repair import remembers
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.sub_tables import SubTables

QUICK: tuple[Search, ...] = (elimination, network, modular, heuristic)
"""In the order of what they take."""

LARGE = 2_000
"""Cells from which sub-tables come first (66,810 cells: a pattern that costs 75,610 after 10 s; without them one of
another seed cost 112,290 after 120 s)."""
TURNS = 0.6
"""Share of the time for all of them together; what one leaves the next ones have."""

PROPOSED = 0.5
"""Share of the time left for proposals after the first one, where there is a watch."""


def optimal(problem: Problem, tools: Tools) -> Found:
    """The cheapest safe pattern, or the best one at the time limit with the gap; of a table whose own tables cannot be
    remembered together what sub-tables give."""
    if not remembers(problem) and not tools.oracle.watched:
        found = _proposed(problem, tools)
        if found is not None and found.pattern is not None:
            return found
    return cheapest(problem, tools, quick_patterns, _proposed)


def _proposed(problem: Problem, tools: Tools) -> Found | None:
    """What the search begins with where a table is large: the best proposal of its sub-tables, if these are small.
    Where there is a watch, the first one is made safe at once, so that a pattern is at hand early."""
    if len(problem.cost) < LARGE:
        return None
    tables = SubTables(problem, tools)
    if not tables.small and (tools.oracle.watched or not tables.separable):
        return None
    if not tools.oracle.watched:
        return quick(problem, tools, tables, TURNS)
    hasty = first_proposal(problem, tools, tables)
    if hasty.pattern is None:
        return hasty
    tools.keep(hasty)
    return proposed_again(problem, replace(tools, limits=tools.limits.share(PROPOSED)))


def quick_patterns(planes: Planes, limits: Limits) -> None:
    """Show the search every pattern that quick methods find; not where attackers are watched for in large parts: there
    none of them comes to a safe pattern in its share of the time."""
    oracle = planes.tools.oracle
    begun = planes.problem.primary if planes.best is None else planes.best
    if oracle.watched and oracle.large(begun, all_parts=True):
        return
    turns, keep = limits.share(TURNS), planes.take_over
    for waiting, method in zip(range(len(QUICK), 0, -1), QUICK, strict=True):
        if planes.bound >= planes.cost or turns.out_of_time():
            return
        if method is elimination and len(planes.problem.cost) > CELLS:
            continue
        tools = replace(planes.tools, limits=turns.share(1 / waiting), keep=keep)
        try:
            keep(method(planes.problem, tools))
        except (InputError, LimitError):  # it does not suit this release
            continue
