"""Additive tables of multiples near a large table: guides first, then integer programs that go on from them.

In parts of middle size programs over those cells on which guides differ have a zero-restricted table. In larger ones,
or where there is none, base cells of a guide are added up, or relations that it has broken are mended. Cells and sums
move alike: a neighbourhood is some hundred cells that hang together closely, and all relations that they touch are kept
while all other cells stay. Steps beyond the neighbours are taken back, then changes become smaller.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.exchanges import Exchanges
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.multiples import Chosen, Part, program, steps_of
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_bound import least_change, multipliers
from tableseal.suppression.protections.multiples_guides import guides
from tableseal.suppression.protections.multiples_hand import Search
from tableseal.suppression.protections.multiples_kernel import near_guides
from tableseal.suppression.protections.multiples_polish import polish
from tableseal.suppression.protections.neighbourhood import entries

Ints = NDArray[np.int64]

SMALLEST = 150
"""Cells of a neighbourhood around a broken relation or a step beyond: 10 ms."""

USUAL, LARGEST = 400, 3_200
"""Cells of a neighbourhood that is chosen anew for smaller changes: twice as many from pass to pass."""

GROWTH = 1.3
"""Of a neighbourhood from one try to the next."""

TRIES = 8
"""Neighbourhoods around one relation."""

STUBBORN = 12
"""The same while something does not add up."""

EXCHANGING = 0.7
"""Of the time that is left, for exchanges."""

MIDDLE = 12_000
"""Cells between two multiples up to which integer programs look for a zero-restricted choice near the guides."""

KERNEL = 0.6
"""Of the time that is left, for them, at most."""

LINEAR = 0.1
"""The same for the bound of their linear program."""

PROGRAM, NODES, HALF = 4_000, 500, 0.5
"""Cells between two multiples up to which one program over all of them goes on from there, nodes of its search tree,
and its share of the time that is left; neighbourhoods follow. Of 3,276 nested cells within 30 s, by the order of their
rows: 2,554 to 2,560 (base 3) with it, 2,560 without; with most of the time 2,554 to 2,562."""

PROOFS = 40
"""Places where that is tried."""


def searched(part: Part, settled: Ints, bound: int, proved: bool, behind: Behind | None, tools: Tools) -> Chosen:
    """A near choice for cells that hang together.

    settled: int64 (cells), steps above the lower neighbours that are known already; -1: not yet. bound: no
    zero-restricted choice has smaller changes; proved: there is none. behind: the base cells, so that a table that adds
    up is always in hand; None: they are not known.

    Raises
    ------
    LimitError: nothing that adds up was found.
    """
    limits, cells = tools.limits, len(part.value)
    multiplier = multipliers(part, limits.share(0.4))
    guided = guides(part, settled, limits.share(0.3), tools.progress)
    between = int(part.between.sum())
    best, middle = False, between <= MIDDLE
    x = None
    if middle and not proved:
        found = near_guides(part, guided, limits.share(KERNEL), tools.progress)
        x, proved = found.x, found.status == "infeasible"
        if x is not None and between <= PROGRAM:
            further, least = program(part, limits.share(HALF), whole=True, start=x, nodes=NODES)
            if further.x is not None and steps_of(part, further.x) is not None:
                x = np.round(further.x).astype(np.int64)
        else:
            least = program(part, limits.share(LINEAR), whole=False)[1]
        bound = max(bound, least)
    if x is not None:
        search = Search(part, x)
    else:
        search, exchanged = added_up(part, guided[0], behind, tools)
        if not exchanged or middle:
            refine(search, limits.share(0.6 if middle else 0.9), tools.progress)
    if middle and not search.off.any():
        best = polish(search, bound, limits.share(0.9), tools.progress)
    if search.off.any():
        raise LimitError("no rounding that adds up over all tables was found; give more time.")
    steps, most = part.low + search.x[:cells], int(search.beyond.max(initial=0))
    if most:
        proved = proved or impossible(search, limits.share(0.3))
        bound = 0
    bound = max(bound, least_change(part, multiplier, most))
    best = not most and (best or part.change(steps) == bound)
    bound = part.change(steps) if best else bound
    return Chosen("optimal" if best else "feasible", steps, bound, proved)


def added_up(part: Part, x: Ints, behind: Behind | None, tools: Tools) -> tuple[Search, bool]:
    """A table that adds up: where base cells are known, by exchanges from what they add up to, which is True then; else
    by mending.

    x: see `Search`.
    """
    search, limits = Search(part, x), tools.limits
    cells, added = len(part.value), None
    if behind is not None:
        start = behind.added(part, part.low + x[:cells])
        start[:cells] -= part.low
        added = Search(part, start)
    if added is not None and behind is not None and behind.grids is not None and not added.off.any():
        exchanges = Exchanges(part, behind.grids, added.x)
        exchanges.anneal(limits.share(EXCHANGING), tools.progress)
        return min(added, Search(part, exchanges.steps), key=_worth), True
    mend(search, limits.share(0.5), tools.progress)
    if search.off.any() and added is not None:  # sums that nothing mends are those of their parts, however far beyond
        search = added
        mend(search, limits.share(0.3), tools.progress)
    return search, False


def mend(search: Search, limits: Limits, say: Progress) -> None:
    """Broken relations first, then steps beyond the neighbours; each place is tried some times, in growing
    neighbourhoods. Always the same, unless a time limit ends it."""
    tried = np.zeros(search.matrix.shape[0], np.int64)
    order = np.random.default_rng(1).random(len(tried))
    while True:
        wrong = np.flatnonzero(search.off)
        wrong = wrong[tried[wrong] < STUBBORN]
        if not len(wrong):
            wrong = search.rows(np.flatnonzero(search.beyond))
            wrong = wrong[tried[wrong] < TRIES]
        if not len(wrong):
            return
        least = tried[wrong].min()
        wrong = wrong[tried[wrong] == least]
        for row in wrong[np.argsort(order[wrong])].tolist():
            if limits.seconds_left() <= 0:
                limits.reached.add("time")
                return
            if search.off[row] or search.beyond[_shown(search, row)].any():
                search.improve(search.around(row, int(SMALLEST * GROWTH ** int(tried[row]))), limits)
            tried[row] += 1
        say("cells beyond their neighbours", int((search.beyond > 0).sum()), len(search.part.value))


def refine(search: Search, limits: Limits, say: Progress) -> None:
    """Each relation in a neighbourhood that is chosen anew for smaller changes, pass by pass in larger ones."""
    size = USUAL
    while size <= LARGEST:
        _pass(search, size, limits, say)
        size *= 2


def _pass(search: Search, size: int, limits: Limits, say: Progress) -> None:
    covered = np.zeros(search.matrix.shape[0], np.bool_)
    order = np.random.default_rng(size).permutation(len(covered))
    for row in order.tolist():
        if covered[row]:
            continue
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            return
        cells = search.around(row, size)
        search.improve(cells, limits)
        covered[search.rows(cells)] = True
        say("relations", int(covered.sum()), len(covered))


def impossible(search: Search, limits: Limits) -> bool:
    """Whether it is proved, at one of the places that go beyond, that no zero-restricted choice exists."""
    rows = search.rows(np.flatnonzero(search.beyond))
    step = max(1, len(rows) // PROOFS)
    return any(limits.seconds_left() > 0 and search.impossible(row, limits) for row in rows[::step].tolist())


def _worth(search: Search) -> tuple[int, int]:
    """Steps beyond the neighbours, changes, of a table that adds up: the smaller the better, the first first."""
    return int(search.beyond.sum()), search.part.change(search.part.low + search.x[: len(search.part.value)])


def _shown(search: Search, row: int) -> Ints:
    found = np.array(entries(search.matrix, row), np.int64)
    return found[found < len(search.part.value)]
