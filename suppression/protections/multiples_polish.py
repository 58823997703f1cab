"""Nearer tables of multiples from one in hand: large random neighbourhoods of cells that may move, chosen anew.

Where neighbourhoods of some hundred cells that hang together closely find nothing any more (`multiples_search`), those
of half to nine tenths of all cells that lie between two multiples still do: a table of 2,016 nested cells is only
mended by exchanges that go through all of it. They are integer programs of their own, which are cut short at few nodes,
so that many are tried. While cells are beyond their neighbours, neighbourhoods are around them.
"""

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.multiples import Chosen, Part
from tableseal.suppression.protections.multiples_hand import Search
from tableseal.suppression.protections.neighbourhood import neighbourhood

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Of cells that may move, in a neighbourhood, in turn."""

AROUND = (0.1, 0.2, 0.4, 0.8)
"""The same around a cell that is beyond its neighbours."""

MOST = 3_000
"""Cells of a neighbourhood, at most: seconds."""

NODES, HARDER = 20, 3
"""Of its search tree, at first, and times so many after a round of neighbourhoods of all sizes that found nothing."""

TURNS = 25
"""Neighbourhoods, where no time limit ends them."""


def polish(search: Search, bound: int, limits: Limits, say: Progress) -> None:
    """Until time is over, or nothing can be nearer. Always the same, unless a time limit ends it.

    search: a table that adds up; made nearer. bound: no zero-restricted table has smaller changes.
    """
    part, random, cells = search.part, np.random.default_rng(2), len(search.part.value)
    more, turn, nodes, idle = len(search.x) - cells, 0, NODES, 0
    while turn < TURNS or np.isfinite(limits.seconds_left()):
        wrong = np.flatnonzero(search.beyond)
        if not len(wrong) and part.change(part.low + search.x[:cells]) <= bound:
            return
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            return
        movable = np.concatenate([(part.between > 0) | (search.beyond > 0), np.ones(more, np.bool_)])
        free = np.flatnonzero(movable)
        own = csr_array(search.matrix[:, free])
        shares = AROUND if len(wrong) else SHARES
        rows = search.rows(wrong) if len(wrong) else np.flatnonzero(np.diff(own.indptr))
        size = min(MOST, max(1, int(shares[turn % len(shares)] * len(free))))
        row = int(random.choice(rows))
        near = neighbourhood(own, csr_array(own.T.tocsr()), row, size, random)
        idle = 0 if search.improve(free[near], limits, nodes) else idle + 1
        turn += 1
        if idle == 2 * len(shares):
            nodes, idle = nodes * HARDER, 0
        say("neighbourhoods", turn, max(turn, TURNS))


def polished(part: Part, found: Chosen, limits: Limits, say: Progress) -> Chosen:
    """The same for a zero-restricted choice of cells that hang together, of which no proof says that none is nearer."""
    if found.status != "feasible" or found.steps is None or part.relations.shape[1] > len(part.value):
        return found
    search = Search(part, found.steps - part.low)
    polish(search, found.bound, limits, say)
    steps = part.low + search.x
    best = part.change(steps) <= found.bound
    return Chosen("optimal" if best else "feasible", steps, found.bound, found.unrestricted)
