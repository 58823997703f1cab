"""The nearest changes of a part: by one integer program if it is small, else by search, with a proved bound."""

from dataclasses import dataclass

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.blocks import improve
from tableseal.suppression.protections.adjustment.least import least
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.program import solve
from tableseal.suppression.protections.adjustment.search import begin, search

EXACT = 1_500
"""Cells that hang together up to which an integer program is asked for the best choice."""

NODES = 100
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
    proof = least(part, limits.share(0.3))
    if len(part) > EXACT:
        moved = search(part, proof, limits.share(0.7), tell)
        if moved is not None and (part.moves.open.any() or part.change(moved) == proof.bound):
            return _with(part, moved, proof.bound)
        linear = solve(part, limits.seconds_left(), NODES, choose=False, whole=False)
        return _with(part, moved, max(proof.bound, _at_least(linear.bound)), infeasible=linear.infeasible)
    start = begin(part, limits.share(0.3))
    if start is not None and part.change(start) == proof.bound:
        return _with(part, start, proof.bound)
    bound, moved = proof.bound, None
    for whole in (False, True):
        answer = solve(part, limits.share(0.5).seconds_left(), NODES, whole=whole)
        if answer.infeasible:
            return Chosen(None, 0, optimal=False, infeasible=True)
        bound = max(bound, _at_least(answer.bound))
        moved = answer.whole(part)
        if moved is not None and (answer.optimal or part.change(moved) == bound):
            return Chosen(moved, part.change(moved), optimal=True)
        if moved is not None:
            break
    best = min((found for found in (start, moved) if found is not None), key=part.change, default=None)
    return _with(part, None if best is None else improve(part, best, proof, limits, tell), bound)


def _with(part: Part, moved: Ints | None, bound: int, *, infeasible: bool = False) -> Chosen:
    return Chosen(moved, bound, moved is not None and part.change(moved) == bound, moved is None and infeasible)


def _at_least(bound: float) -> int:
    """Changes are whole: a bound of a program is rounded up, with a margin."""
    return int(np.ceil(bound - 1e-6 * max(1.0, abs(bound)))) if np.isfinite(bound) else 0
