"""Zero-restricted choices for cells that hang together, from integer programs over those of them that are free.

Where all guides (`multiples_guides`) agree on a cell and no relation near it is broken, it stays as they say. What is
left is a program that is solved in seconds, and if it has no solution more cells around broken relations become free,
in the end all. From there neighbourhoods are chosen anew, each as large as few nodes of a search tree are enough for.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Problem
from tableseal.suppression.protections.multiples import WHOLE, Part
from tableseal.suppression.protections.neighbourhood import neighbourhood

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

EFFORT = 0.2
"""Share of the work of a program that goes into heuristics, at most."""

FEW = 20
"""Nodes of the search tree of a program over some cells."""

MANY = 500
"""The same over all."""

WIDENED = 0.1
"""Share of the open cells that become free around each broken relation, more from program to program."""

BEGUN, STEP, MOST = 0.5, 1.05, 0.95
"""Share of the open cells in a neighbourhood, at first; how it grows after one that is solved and has none nearer, and
shrinks after one that is not solved; and at most, above which all are free."""

IDLE, HARDER = 8, 2
"""Neighbourhoods in turn that found nothing, after which nodes are so many times as many."""

TURNS = 25
"""Neighbourhoods, where no time limit ends them."""


@dataclass(frozen=True)
class Among:
    """What a program over free cells found. x: int64 (cells, then sums that no table shows), steps above the lower
    neighbours; None: nothing. bound: none has a smaller cost."""

    status: Literal["optimal", "infeasible", "stopped"]
    x: Ints | None
    bound: float = float("-inf")


def among(part: Part, x: Ints, free: Ints, limits: Limits, nodes: int, *, start: bool) -> Among:
    """The nearest zero-restricted choice of free cells while all others stay. free: int64, columns of the relations.

    start: x is one already, than which none that is found is worse.
    """
    cells = len(part.value)
    every = csr_array(part.relations[:, free])
    left = part.right - part.relations @ x + every @ x[free]
    rows = np.flatnonzero(np.diff(every.indptr))
    closed = np.ones(len(left), np.bool_)
    closed[rows] = False
    if left[closed].any():
        return Among("infeasible", None)
    shown = free < cells
    cost = np.where(shown, part.base - 2.0 * part.residual[np.minimum(free, cells - 1)], 0.0)
    high = np.where(shown, 1.0, np.inf)
    right = left[rows].astype(np.float64)
    found = Highs().minimise_integer(
        Problem(csr_array(every[rows]), right, right, np.zeros(len(free)), high),
        cost,
        limits.seconds_left(),
        nodes=nodes,
        integral=shown,
        effort=EFFORT,
        start=x[free].astype(np.float64) if start else None,
    )
    if found.status == "infeasible":
        return Among("infeasible", None)
    status: Literal["optimal", "stopped"] = "optimal" if found.status == "optimal" else "stopped"
    if found.x is None:
        return Among(status, None, found.bound)
    near = np.round(found.x)
    if np.abs(found.x - near)[shown].max(initial=0.0) > WHOLE:
        return Among("stopped", None, found.bound)
    new = x.copy()
    new[free] = near.astype(np.int64)
    return Among(status, new if part.adds_up(part.low + new[:cells]) else None, found.bound)


def open_cells(part: Part) -> Ints:
    """int64, columns of the relations: cells between two multiples, and sums that no table shows."""
    more = part.relations.shape[1] - len(part.value)
    return np.flatnonzero(np.concatenate([part.between > 0, np.ones(more, np.bool_)])).astype(np.int64)


def near_guides(part: Part, guides: list[Ints], limits: Limits, say: Progress) -> Among:
    """A zero-restricted choice that is near; or the proof that there is none, or nothing within the limits.

    guides: at least one, the best first.
    """
    if limits.seconds_left() <= 0:
        return Among("stopped", None)
    movable, best, random = open_cells(part), guides[0], np.random.default_rng(0)
    own = csr_array(part.relations[:, movable])
    across = csr_array(own.T.tocsr())
    broken = np.flatnonzero(part.relations @ best - part.right)
    if not len(broken) and (best[len(part.value) :] >= 0).all():
        return Among("stopped", best)
    free = np.any([guide != best for guide in guides], axis=0)
    free[len(part.value) :] = True
    share, whole = 0.0, np.zeros(len(free), np.bool_)
    whole[movable] = True
    while True:
        share += WIDENED
        for row in broken.tolist():
            if share < 1 and np.diff(own.indptr[row : row + 2])[0]:
                near = neighbourhood(own, across, row, int(share * len(movable)), random)
                free[movable[near]] = True
        every = share >= 1 or bool((free | ~whole).all())
        here = np.flatnonzero(free & whole) if not every else movable
        found = among(part, best, here, limits, MANY if every else FEW, start=False)
        say("cells that are free", len(here), len(movable))
        if found.x is not None or every or limits.seconds_left() <= 0:
            return found if every or found.status != "infeasible" else Among("stopped", None)


def nearer(part: Part, x: Ints, bound: int, limits: Limits, say: Progress) -> tuple[Ints, bool]:
    """A zero-restricted choice that is at least as near, and whether it is proved that none is nearer. Always the same,
    unless a time limit ends it.

    x: one in hand. bound: none has smaller changes.
    """
    cells, movable, random = len(part.value), open_cells(part), np.random.default_rng(2)
    own = csr_array(part.relations[:, movable])
    across, rows = csr_array(own.T.tocsr()), np.flatnonzero(np.diff(own.indptr))
    share, nodes, turn, idle = BEGUN, FEW, 0, 0
    while turn < TURNS or np.isfinite(limits.seconds_left()):
        now = part.change(part.low + x[:cells])
        if now <= bound:
            return x, True
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            break
        every = share > MOST
        near = neighbourhood(own, across, int(random.choice(rows)), int(share * len(movable)), random)
        found = among(part, x, movable if every else movable[near], limits, nodes, start=True)
        better = found.x is not None and part.change(part.low + found.x[:cells]) < now
        if found.x is not None and better:
            x = found.x
        if found.status == "optimal" and every:
            return x, True
        idle = 0 if better else idle + 1
        if not better:
            share = share * STEP if found.status == "optimal" else share / STEP
        if idle == IDLE:
            nodes, idle = nodes * HARDER, 0
        turn += 1
        say("neighbourhoods", turn, max(turn, TURNS))
    return x, False
