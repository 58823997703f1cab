"""Additive tables of multiples near a large table: a start by messages, then small integer programs where they meet.

Cells and sums move alike: a neighbourhood is some hundred cells that hang together closely, and all relations that they
touch are kept while all other cells stay. First relations that the start has broken are mended, then steps beyond the
neighbours are taken back, then changes become smaller.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Problem
from tableseal.suppression.protections.beliefs import believed
from tableseal.suppression.protections.exchanges import Exchanges
from tableseal.suppression.protections.method import Tools
from tableseal.suppression.protections.multiples import Chosen, Part, program, steps_of
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_bound import least_change, multipliers
from tableseal.suppression.protections.neighbourhood import entries, neighbourhood

Ints = NDArray[np.int64]

PRICE = 20
"""Of a step beyond the neighbours, in bases: dearer than any change for its sake."""

BROKEN = 200
"""Of one that a relation is off, in bases: dearer than any step beyond."""

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

NODES = 200
"""Of the search tree of a neighbourhood."""

EXCHANGING = 0.7
"""Of the time that is left, for exchanges."""

MIDDLE, FEW = 12_000, 500
"""Cells up to which one integer program is asked for the whole part besides, and nodes of its search tree (of 6,200
cells of a cube half a minute, and 0.3% nearer than the search)."""

CLOSED = 1_000
"""Cells among which it is proved that no zero-restricted choice exists."""

PROOFS = 40
"""Places where that is tried."""


class Search:
    """A choice for a part that becomes better step by step.

    Attributes
    ----------
    x: int64 (cells, then sums that no table shows), steps above the lower neighbours.
    off: int64 (relations), by how much each is off.
    """

    def __init__(self, part: Part, x: Ints) -> None:
        self.part, self.x = part, x
        self.matrix, self.across = part.relations, csr_array(part.relations.T.tocsr())
        self.off: Ints = self.matrix @ x - part.right
        more = len(x) - len(part.value)
        self._between = np.concatenate([part.between, np.zeros(more, np.int64)])
        lowest = part.low if (part.value >= 0).all() else np.full(len(part.value), 2**40)
        self._lowest = np.concatenate([lowest, np.full(more, 2**40)])
        self._cost = np.concatenate([part.base - 2.0 * part.residual, np.zeros(more)])
        self._step = np.concatenate([np.full(len(part.value), float(part.base)), np.zeros(more)])
        self._dear = self._step * PRICE
        self._random = np.random.default_rng(0)

    @property
    def beyond(self) -> Ints:
        """int64 (cells): steps beyond the neighbours."""
        cells = len(self.part.value)
        x: Ints = self.x[:cells]
        found: Ints = np.maximum(np.maximum(x - self.part.between, -x), 0)
        return found

    def rows(self, cells: Ints) -> Ints:
        """Relations that cells touch."""
        found: Ints = np.unique(csr_array(self.across[cells]).indices).astype(np.int64)
        return found

    def around(self, row: int, size: int) -> Ints:
        """Cells near a relation that hang together most closely: always one with the fewest relations yet untouched."""
        return neighbourhood(self.matrix, self.across, row, size, self._random)

    def improve(self, cells: Ints, limits: Limits) -> bool:
        """Choose some cells anew while all others stay; whether that was better."""
        program = _Program.of(self, cells)
        found = Highs().minimise_integer(
            program.problem, program.cost, limits.seconds_left(), nodes=NODES, integral=program.integral
        )
        if found.x is None:
            return False
        n = len(cells)
        parts = np.round(found.x[: 3 * n]).astype(np.int64)
        x = parts[:n] + parts[n : 2 * n] - parts[2 * n :]
        off = self.off[program.rows] + program.own @ (x - self.x[cells])
        if self._worth(cells, x, off) >= self._worth(cells, self.x[cells], self.off[program.rows]):
            return False
        self.x[cells], self.off[program.rows] = x, off
        return True

    def _worth(self, cells: Ints, x: Ints, off: Ints) -> tuple[int, float, float]:
        """What is off, prices of steps beyond, changes: the smaller the better, the first first."""
        between, step = self._between[cells], self._step[cells]
        beyond = np.maximum(np.maximum(x - between, -x), 0)
        inside = np.clip(x, 0, between)
        return int(np.abs(off).sum()), float((self._dear[cells] * beyond).sum()), float(
            (self._cost[cells] * inside + step * beyond).sum()
        )  # fmt: skip

    def impossible(self, row: int, limits: Limits) -> bool:
        """Whether relations near one allow for no zero-restricted choice of their cells, whatever all others are."""
        cells = self.around(row, CLOSED)
        rows = self.rows(cells)
        inside = np.isin(self.matrix.indices, cells)
        entries = np.repeat(np.arange(self.matrix.shape[0]), np.diff(self.matrix.indptr))
        missing = np.bincount(entries[~inside], minlength=self.matrix.shape[0])
        own = rows[missing[rows] == 0]
        if not len(own):
            return False
        right = self.part.right[own].astype(np.float64)
        matrix = csr_array(csr_array(self.matrix[own])[:, cells])
        shown = cells < len(self.part.value)
        low = np.where(shown, 0.0, -np.inf)
        high = np.where(shown, self._between[cells], np.inf).astype(np.float64)
        problem = Problem(matrix, right, right, low, high)
        found = Highs().minimise_integer(problem, np.zeros(len(cells)), limits.seconds_left(), nodes=10 * NODES)
        return found.status == "infeasible"


@dataclass(frozen=True)
class _Program:
    """A neighbourhood. Columns: steps between the neighbours, beyond the upper one, beyond the lower one (cells each);
    what broken relations stay off, above and below. rows: its relations; own: int64 csr (rows x cells)."""

    rows: Ints
    own: csr_array
    problem: Problem
    cost: NDArray[np.float64]
    integral: NDArray[np.bool_]

    @staticmethod
    def of(search: Search, cells: Ints) -> "_Program":
        rows = search.rows(cells)
        own = csr_array(csr_array(search.matrix[rows])[:, cells])
        now, off = search.x[cells], search.off[rows]
        right = (own @ now - off).astype(np.float64)
        broken = np.flatnonzero(off)
        n, k = len(cells), len(broken)
        slack = csr_array((np.ones(k, np.int64), (broken, np.arange(k))), shape=(len(rows), k))
        unseen = cells >= len(search.part.value)
        between = np.where(unseen, 0, search._between[cells])
        above = np.where(unseen, np.inf, np.maximum(1, now - between))
        below = np.where(unseen, np.inf, np.minimum(np.maximum(1, -now), search._lowest[cells]))
        high = np.concatenate([between, above, below, np.full(2 * k, np.inf)]).astype(np.float64)
        dear, step = search._dear[cells], search._step[cells]
        stays = np.full(2 * k, float(BROKEN * search.part.base))
        cost = np.concatenate([search._cost[cells], dear + step, dear + step, stays])
        problem = Problem(csr_array(hstack([own, own, -own, slack, -slack])), right, right, np.zeros(len(high)), high)
        return _Program(rows, own, problem, cost, np.arange(len(high)) < 3 * n)


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
    best = False
    if int(part.between.sum()) <= MIDDLE and not proved:
        found, least = program(part, limits.share(0.7), whole=True, nodes=FEW)
        better = None if found.x is None else steps_of(part, found.x)
        if (
            found.x is not None
            and better is not None
            and (search.off.any() or _quality(search, better) < _quality(search, None))
        ):
            search = Search(part, np.concatenate([better - part.low, np.round(found.x[cells:]).astype(np.int64)]))
        proved, best, bound = proved or found.status == "infeasible", found.status == "optimal", max(bound, least)
    if not best and (not exchanged or cells <= MIDDLE):
        refine(search, limits.share(0.9), tools.progress)
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
