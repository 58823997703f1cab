"""Nearer tables of multiples from one in hand: first steps beyond the neighbours are taken back.

Where neighbourhoods of some hundred cells that hang together closely find nothing any more (`multiples_search`), larger
random ones around cells that are beyond still do. They are integer programs of their own, which are cut short at few
nodes, so that many are tried. When no cell is beyond, `multiples_kernel` goes on.
"""

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.multiples import Chosen, Part
from tableseal.suppression.protections.multiples_hand import Search
from tableseal.suppression.protections.multiples_kernel import TURNS, nearer
from tableseal.suppression.protections.neighbourhood import neighbourhood

AROUND = (0.1, 0.2, 0.4, 0.8)
"""Of cells that may move, in a neighbourhood around a cell that is beyond its neighbours, in turn."""

MOST = 3_000
"""Cells of a neighbourhood, at most: seconds."""

NODES, HARDER = 20, 3
"""Of its search tree, at first, and times so many after a round of neighbourhoods of all sizes that found nothing."""


def polish(search: Search, bound: int, limits: Limits, say: Progress) -> bool:
    """Until time is over, or nothing can be nearer; whether that is proved. Always the same, unless a time limit ends
    it.

    search: a table that adds up; made nearer. bound: no zero-restricted table has smaller changes.
    """
    _mended(search, limits, say)
    if search.beyond.any():
        return False
    x, best = nearer(search.part, search.x, bound, limits, say)
    search.x = x
    return best


def _mended(search: Search, limits: Limits, say: Progress) -> None:
    """Fewer steps beyond the neighbours, or nearer, while there are any."""
    part, random, cells = search.part, np.random.default_rng(2), len(search.part.value)
    more, turn, nodes, idle = len(search.x) - cells, 0, NODES, 0
    while turn < TURNS or np.isfinite(limits.seconds_left()):
        wrong = np.flatnonzero(search.beyond)
        if not len(wrong):
            return
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            return
        movable = np.concatenate([(part.between > 0) | (search.beyond > 0), np.ones(more, np.bool_)])
        free = np.flatnonzero(movable)
        own = csr_array(search.matrix[:, free])
        size = min(MOST, max(1, int(AROUND[turn % len(AROUND)] * len(free))))
        row = int(random.choice(search.rows(wrong)))
        near = neighbourhood(own, csr_array(own.T.tocsr()), row, size, random)
        idle = 0 if search.improve(free[near], limits, nodes) else idle + 1
        turn += 1
        if idle == 2 * len(AROUND):
            nodes, idle = nodes * HARDER, 0
        say("neighbourhoods", turn, max(turn, TURNS))


def polished(part: Part, found: Chosen, limits: Limits, say: Progress) -> Chosen:
    """The same for a zero-restricted choice of cells that hang together, of which no proof says that none is nearer."""
    if found.status != "feasible" or found.steps is None or part.relations.shape[1] > len(part.value):
        return found
    x, best = nearer(part, found.steps - part.low, found.bound, limits, say)
    steps = part.low + x
    return Chosen("optimal" if best else "feasible", steps, part.change(steps) if best else found.bound)
