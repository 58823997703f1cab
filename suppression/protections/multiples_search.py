"""Additive tables of multiples near a large table: a start by messages, then small integer programs where they meet.

Cells and sums move alike: a neighbourhood is some hundred cells that hang together closely, and all relations that they
touch are kept while all other cells stay. First relations that the start has broken are mended, then steps beyond the
neighbours are taken back, then changes become smaller.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.beliefs import believed
from tableseal.suppression.protections.exchanges import Exchanges
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.multiples import Chosen, Part, program, steps_of, zero_restricted
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_bound import least_change, multipliers
from tableseal.suppression.protections.multiples_hand import Search
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

MIDDLE, FEW = 12_000, 500
"""Cells up to which one integer program is asked for the whole part besides, and nodes of its search tree (of 6,200
cells of a cube half a minute, and 0.3% nearer than the search)."""

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
    x = begun(part, limits.share(0.3), tools.progress)
    known = np.flatnonzero(settled >= 0)
    x[known] = settled[known]
    search, exchanged = added_up(part, x, behind, tools)
    best, middle = False, int(part.between.sum()) <= MIDDLE
    whole = middle and not proved  # whether one program is asked for the whole part
    if exchanged and whole and search.beyond.any():
        any_ = zero_restricted(part, limits.share(0.6))
        proved = any_.status == "infeasible"
        here = None if any_.x is None else steps_of(part, any_.x)
        if any_.x is not None and here is not None:
            search = Search(part, np.concatenate([here - part.low, np.round(any_.x[cells:]).astype(np.int64)]))
            whole = np.isinf(limits.seconds_left())  # what time is left makes it nearer
        else:
            mend(search, limits.share(0.3), tools.progress)
    if whole and not proved:
        found, least = program(part, limits.share(0.5), whole=True, nodes=FEW)
        better = None if found.x is None else steps_of(part, found.x)
        if (
            found.x is not None
            and better is not None
            and (search.off.any() or _quality(search, better) < _quality(search, None))
        ):
            search = Search(part, np.concatenate([better - part.low, np.round(found.x[cells:]).astype(np.int64)]))
        proved, best, bound = proved or found.status == "infeasible", found.status == "optimal", max(bound, least)
    if not best and (not exchanged or cells <= MIDDLE):
        refine(search, limits.share(0.6 if middle else 0.9), tools.progress)
    if not best and middle and not search.off.any():
        polish(search, bound, limits.share(0.8), tools.progress)
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
        return Search(part, exchanges.steps), True
    mend(search, limits.share(0.5), tools.progress)
    if search.off.any() and added is not None:  # sums that nothing mends are those of their parts, however far beyond
        search = added
        mend(search, limits.share(0.3), tools.progress)
    return search, False


def begun(part: Part, limits: Limits, say: Progress) -> Ints:
    """Where the search begins: cells by messages; sums that no table shows as the first relation that knows says."""
    cells, right = len(part.value), part.right
    between = np.flatnonzero(part.between)
    shown = csr_array(part.relations[:, :cells])
    alone = np.diff(csr_array(part.relations[:, cells:]).indptr) == 0
    told = np.flatnonzero(alone & (abs(shown) @ part.between > 0))
    x = np.zeros(part.relations.shape[1], np.int64)
    relations = csr_array(csr_array(shown[told])[:, between])
    cost = 1 - 2.0 * part.residual[between] / part.base
    x[between] = believed(relations, right[told], cost, limits, say)
    known = np.arange(len(x)) < cells
    for row in np.flatnonzero(~alone).tolist():
        here = part.relations.indices[part.relations.indptr[row] : part.relations.indptr[row + 1]]
        entry = part.relations.data[part.relations.indptr[row] : part.relations.indptr[row + 1]]
        open_ = np.flatnonzero(~known[here])
        if len(open_) == 1:
            at = int(open_[0])
            x[here[at]] = (right[row] - entry @ x[here] + entry[at] * x[here[at]]) // entry[at]
            known[here[at]] = True
    return x


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


def _quality(search: Search, steps: Ints | None) -> tuple[int, int]:
    """Steps beyond the neighbours, changes. steps: int64 (cells), of a zero-restricted choice; None: of the search."""
    if steps is not None:
        return 0, search.part.change(steps)
    return int(search.beyond.sum()), search.part.change(search.part.low + search.x[: len(search.part.value)])


def _shown(search: Search, row: int) -> Ints:
    found = np.array(entries(search.matrix, row), np.int64)
    return found[found < len(search.part.value)]
