"""The nearest changes of a part: by one integer program if it is small, else by search, with a proved bound."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.blocks import improve
from tableseal.suppression.protections.adjustment.exchanged import exchanged
from tableseal.suppression.protections.adjustment.least import Least, least
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.program import solve
from tableseal.suppression.protections.adjustment.reach import reach
from tableseal.suppression.protections.adjustment.search import begin, search
from tableseal.suppression.protections.adjustment.whole import whole
from tableseal.suppression.protections.grid import Grids

EXACT = 1_500
"""Cells that hang together up to which an integer program is asked for the best choice."""

NODES = 100
"""Of its search tree."""


@dataclass(frozen=True)
class Chosen:
    """moved: int64 (cells), None: nothing was found. bound: no choice has a smaller sum of changes. infeasible: proved
    that nothing is within the limits. lacking: int64, where nothing was found, cells that cannot move as they have to,
    or that the search did not bring so far; empty: it is not known of single ones."""

    moved: Ints | None
    bound: int
    optimal: bool
    infeasible: bool = False
    lacking: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def choose(part: Part, grids: Callable[[], Grids | None], limits: Limits, tell: Progress) -> Chosen:
    """The nearest changes of a part that the limits of time allow for.

    grids: of its cells, for exchanges; None: none can be made.
    """
    stuck = np.flatnonzero(reach(part).stuck)
    if len(stuck):
        return Chosen(None, 0, optimal=False, infeasible=True, lacking=stuck)
    proof = least(part, limits.share(0.2))
    return (_small if len(part) <= EXACT else _large)(part, grids, proof, limits, tell)


def _large(part: Part, grids: Callable[[], Grids | None], proof: Least, limits: Limits, tell: Progress) -> Chosen:
    """By exchanges where they can be made, else by linear programs and blocks."""
    own, lacking = grids(), np.zeros(0, np.int64)
    if own is None:
        moved = search(part, proof, limits.share(0.7), tell)
    else:
        moved, lacking = _exchanged(part, own, limits, tell)
    if moved is not None and (part.moves.open.any() or part.change(moved) == proof.bound):
        return _with(part, moved, proof.bound)
    linear = solve(part, limits.seconds_left(), NODES, choose=False, whole=False)
    bound = max(proof.bound, _at_least(linear.bound))
    return Chosen(moved, bound, moved is not None and part.change(moved) == bound, linear.infeasible, lacking)


def _small(part: Part, grids: Callable[[], Grids | None], proof: Least, limits: Limits, tell: Progress) -> Chosen:
    """Of two-way tables the constraints are those of a network: with whole directions, the rest is whole by itself."""
    start = begin(part, limits.share(0.3))
    if start is not None and part.change(start) == proof.bound:
        return _with(part, start, proof.bound)
    bound, moved = proof.bound, None
    for each in (False, True):
        answer = solve(part, limits.share(0.4).seconds_left(), NODES, whole=each)
        if answer.infeasible:
            return Chosen(None, 0, optimal=False, infeasible=True)
        bound = max(bound, _at_least(answer.bound))
        moved = answer.whole(part)
        if moved is not None and (answer.optimal or part.change(moved) == bound):
            return Chosen(moved, part.change(moved), optimal=True)
        if moved is not None:
            break
    own, lacking = grids(), np.zeros(0, np.int64)
    further, lacking = (None, lacking) if own is None else _exchanged(part, own, limits.share(0.6), tell)
    found = [choice for choice in (start, moved, further) if choice is not None]
    if not found:
        return Chosen(None, bound, optimal=False, lacking=lacking)
    return _with(part, improve(part, min(found, key=part.change), proof, limits, tell), bound)


def _exchanged(part: Part, grids: Grids, limits: Limits, tell: Progress) -> tuple[Ints | None, Ints]:
    """By exchanges; cells that these did not bring within their limits are put there, and what that breaks is mended.
    int64: where that does not succeed, these cells."""
    moved, outside = exchanged(part, grids, limits.share(0.9), tell)
    if not len(outside):
        return (moved if part.allows(moved) else None), outside
    up, down = part.moves.up, part.moves.down
    direction = np.where(up & (~down | (moved > 0)), 1, -1)
    return whole(part, moved.astype(np.float64), direction, limits), outside


def _with(part: Part, moved: Ints, bound: int) -> Chosen:
    return Chosen(moved, bound, part.change(moved) == bound)


def _at_least(bound: float) -> int:
    """Changes are whole: a bound of a program is rounded up, with a margin."""
    return int(np.ceil(bound - 1e-6 * max(1.0, abs(bound)))) if np.isfinite(bound) else 0
