"""New inner counts that leave no published count below a base, as near as possible: one integer program, or many small
ones, each of which chooses some inner cells anew while all others stay."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array, hstack, vstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Floats, Outcome, Problem
from tableseal.suppression.protections.semi_controlled_rounding import systematic

Ints = NDArray[np.int64]

WHOLE, NODES = 1_500, 2_000
"""Small inner cells up to which one program is asked for all of them, and the nodes of its search tree."""

SMALLEST, LARGEST, TRIES, FEW = 30, 150, 12, 300
"""Inner cells that are chosen anew together: at first and at most; without a find so often, they grow by a quarter.
Nodes of the search tree."""


@dataclass(frozen=True)
class Counts:
    """forms: int64 csr (published cells x inner cells). inner: int64 (inner cells), true counts. base: of smallness."""

    forms: csr_array
    inner: Ints
    base: int

    @property
    def small(self) -> Ints:
        """Inner cells that may change."""
        return np.flatnonzero((self.inner > 0) & (self.inner < self.base)).astype(np.int64)

    def distance(self, inner: Ints) -> int:
        """Sum of the absolute changes of published cells."""
        return int(np.abs(self.forms @ (inner - self.inner)).sum())

    def leaves_none(self, inner: Ints) -> bool:
        """Whether no published cell is small, in whole numbers: a solver takes what differs from 0 by a millionth of a
        large base for 0."""
        shown = self.forms @ inner
        return not bool(((shown > 0) & (shown < self.base)).any())


@dataclass(frozen=True)
class Nearest:
    """inner: int64 (inner cells), new counts. bound: of the sum of changes; proved: none is below."""

    inner: Ints
    bound: int
    proved: bool


def nearest(counts: Counts, limits: Limits, tell: Progress) -> Nearest:
    """The nearest new counts, or near ones with a bound. Every small count becomes 0 or the base to begin with, which
    leaves nothing small wherever it is added up."""
    small = counts.small
    if not len(small):
        return Nearest(counts.inner, 0, True)
    inner, base = counts.inner.copy(), counts.base
    none = np.zeros(len(small), np.int64)
    inner[small] = systematic(inner[small], base, base // 2, none, np.arange(len(small)))
    bound = 0
    if len(small) <= WHOLE:
        program = _Program.of(counts, inner, small)
        found = program.solved(limits.share(0.5), NODES)
        bound = max(0, int(np.ceil(found.bound - 1e-5))) if np.isfinite(found.bound) else 0
        kept = found.x is not None and counts.leaves_none(program.inner(found.x))
        inner = program.nearer(found, inner)
        if found.status == "optimal" and kept:
            total = counts.distance(inner)
            return Nearest(program.least_largest(inner, total, limits), total, True)
    inner = _mended(counts, inner, limits, tell)
    return Nearest(inner, bound, counts.distance(inner) == bound)


def _mended(counts: Counts, inner: Ints, limits: Limits, tell: Progress) -> Ints:
    """Inner cells of a few published cells at a time."""
    random = np.random.default_rng(0)
    small = counts.small
    movable = np.zeros(len(inner), np.bool_)
    movable[small] = True
    rows = np.flatnonzero(counts.forms @ movable)
    size, tries, best = min(SMALLEST, len(small)), 0, counts.distance(inner)
    while size <= LARGEST:
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            break
        chosen = np.empty(0, np.int64)
        while len(chosen) < min(size, len(small)):
            row = int(random.choice(rows))
            inside = counts.forms.indices[counts.forms.indptr[row] : counts.forms.indptr[row + 1]]
            inside = random.permutation(inside[movable[inside]])
            chosen = np.union1d(chosen, inside[: size - len(chosen)])
        program = _Program.of(counts, inner, chosen.astype(np.int64))
        found = program.solved(limits, FEW)
        tries += 1
        inner = program.nearer(found, inner)
        if counts.distance(inner) < best:
            tries, best = 0, counts.distance(inner)
            tell("sum of changes", best, 0)
        if tries == TRIES:
            size, tries = size + max(1, size // 4), 0
    return inner


@dataclass(frozen=True)
class _Program:
    """Inner cells that are chosen anew. Columns: made 0, made the base (chosen cells); not small (doubtful published
    cells); change above, change below (published cells that may change)."""

    counts: Counts
    now: Ints
    chosen: Ints
    published: Ints
    doubtful: int
    problem: Problem
    cost: Floats
    integral: NDArray[np.bool_]

    @staticmethod
    def of(counts: Counts, now: Ints, chosen: Ints) -> "_Program":
        """now: int64 (inner cells), what all others stay at."""
        base, own, width = counts.base, counts.inner[chosen], len(chosen)
        moved = csr_array(counts.forms[:, chosen])
        cells = np.flatnonzero(np.diff(moved.indptr)).astype(np.int64)
        moved = csr_array(moved[cells])
        unmoved = now.copy()
        unmoved[chosen] = own
        kept = np.asarray(counts.forms[cells] @ unmoved)  # published values if the chosen cells stay true
        truth = np.asarray(counts.forms[cells] @ counts.inner)
        change = csr_array(hstack([moved @ _diagonal(-own), moved @ _diagonal(base - own)]))
        most = kept + moved @ (base - own)
        doubtful = np.flatnonzero(kept - moved @ own < base)
        n, k = len(cells), len(doubtful)
        one, each = (eye_array(size, dtype=np.int64, format="csr") for size in (n, width))
        nothing = csr_array((k, 2 * n), dtype=np.int64)
        moves = hstack([change, csr_array((n, k), dtype=np.int64), -one, one])  # kept + change - truth = above - below
        at_most_one = hstack([each, each, csr_array((width, k + 2 * n), dtype=np.int64)])
        least = hstack([change[doubtful], _diagonal(np.full(k, -base)), nothing])  # value >= base * not small
        cap = hstack([change[doubtful], _diagonal(-most[doubtful]), nothing])  # value <= most * not small
        before = kept[doubtful].astype(np.float64)
        integral = np.arange(2 * width + k + 2 * n) < 2 * width + k
        problem = Problem(
            csr_array(vstack([moves, at_most_one, least, cap])),
            np.concatenate([(truth - kept), np.zeros(width), -before, np.full(k, -np.inf)]).astype(np.float64),
            np.concatenate([(truth - kept), np.ones(width), np.full(k, np.inf), -before]).astype(np.float64),
            np.zeros(len(integral)),
            np.where(integral, 1.0, np.inf),
        )
        cost = np.concatenate([np.zeros(2 * width + k), np.ones(2 * n)])
        return _Program(counts, now, chosen, cells, k, problem, cost, integral)

    def solved(self, limits: Limits, nodes: int) -> Outcome:
        """The smallest sum of changes of these published cells."""
        seconds = limits.seconds_left()
        return Highs().minimise_integer(self.problem, self.cost, seconds, nodes=nodes, integral=self.integral)

    def nearer(self, found: Outcome, than: Ints) -> Ints:
        """int64 (inner cells): new counts by a solution that are nearer and leave nothing small; else the same."""
        if found.x is None:
            return than
        inner, counts = self.inner(found.x), self.counts
        return inner if counts.distance(inner) < counts.distance(than) and counts.leaves_none(inner) else than

    def inner(self, x: Floats) -> Ints:
        """int64 (inner cells): new counts by a solution."""
        width, own = len(self.chosen), self.counts.inner[self.chosen]
        made = np.round(x[: 2 * width]).astype(np.int64)
        result = self.now.copy()
        result[self.chosen] = own - own * (made[:width] + made[width:]) + self.counts.base * made[width:]
        return result

    def least_largest(self, inner: Ints, total: int, limits: Limits) -> Ints:
        """Of choices with this sum of changes, one with the smallest largest change; the same if none is found."""
        n, width = len(self.published), len(self.cost)
        one = eye_array(n, dtype=np.int64, format="csr")
        before = csr_array((n, width - 2 * n), dtype=np.int64)
        rows = self.problem.matrix.shape[0]
        matrix = vstack(
            [
                hstack([self.problem.matrix, csr_array((rows, 1), dtype=np.int64)]),
                hstack([before, one, one, csr_array(np.full((n, 1), -1, np.int64))]),
                hstack([csr_array(self.cost[None].astype(np.int64)), csr_array((1, 1), dtype=np.int64)]),
            ]
        )
        problem = Problem(
            csr_array(matrix),
            np.concatenate([self.problem.lower, np.full(n, -np.inf), [0.0]]),
            np.concatenate([self.problem.upper, np.zeros(n), [float(total)]]),
            np.append(self.problem.column_lower, 0.0),
            np.append(self.problem.column_upper, np.inf),
        )
        largest = np.append(np.zeros(width), 1.0)
        integral = np.append(self.integral, False)
        found = Highs().minimise_integer(problem, largest, limits.seconds_left(), nodes=NODES, integral=integral)
        if found.x is None:
            return inner
        least = self.inner(found.x[:width])
        kept = self.counts.leaves_none(least) and self.counts.distance(least) <= total
        return least if kept else inner


def _diagonal(values: Ints) -> csr_array:
    return csr_array(diags_array(values, dtype=np.int64))
