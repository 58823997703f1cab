"""The nearest changes of a part: by one integer program if it is small, else by search, with a proved bound."""

from dataclasses import dataclass

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.program import Answer, solve
from tableseal.suppression.protections.adjustment.search import improve, search

EXACT = 1_500
"""Cells that hang together up to which an integer program is asked for the best choice."""

NODES = 3_000
"""Of its search tree."""


@dataclass(frozen=True)
class Chosen:
    """moved: int64 (cells), None: nothing was found. bound: no choice has a smaller sum of changes. infeasible: proved
    that nothing is within the limits."""

    moved: Ints | None
    bound: int
    optimal: bool
    infeasible: bool = False


def choose(part: Part, limits: Limits, tell: Progress) -> Chosen:
    """The nearest changes of a part that the limits of time allow for.

    Of two-way tables the constraints are those of a network: with whole directions, the rest is whole by itself.
    """
    linear = solve(part, limits.share(0.3).seconds_left(), NODES, choose=False, whole=False)
    if linear.infeasible:
        return Chosen(None, 0, optimal=False, infeasible=True)
    bound = _at_least(linear.bound)
    if len(part) > EXACT:
        return _with(part, search(part, limits, tell), bound)
    found: Answer = linear
    for whole in (False, True):
        found = solve(part, limits.share(0.5).seconds_left(), NODES, whole=whole)
        if found.infeasible:
            return Chosen(None, 0, optimal=False, infeasible=True)
        bound = max(bound, _at_least(found.bound))
        moved = found.whole(part)
        if moved is not None and (found.optimal or part.change(moved) == bound):
            return Chosen(moved, part.change(moved), optimal=True)
    moved = found.whole(part)
    better = search(part, limits, tell) if moved is None else improve(part, moved, limits, tell)
    return _with(part, better, bound)


def _with(part: Part, moved: Ints | None, bound: int) -> Chosen:
    return Chosen(moved, bound, optimal=moved is not None and part.change(moved) == bound)


def _at_least(bound: float) -> int:
    """Changes are whole: a bound of a program is rounded up, with a margin."""
    return int(np.ceil(bound - 1e-6 * max(1.0, abs(bound)))) if np.isfinite(bound) else 0
