"""Additive tables of multiples near a large table: a start by annealing, then neighbourhoods by integer programs.

Base cells are what moves; all other cells are their sums, so that everything adds up at any time. Sums may go beyond
their two neighbours at a high price, and mostly none does in the end.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.progress import Progress
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Problem
from tableseal.suppression.protections.annealing import EXPONENTIAL, ROUNDS, Rows, anneal

Ints = NDArray[np.int64]

MOVES = 100
"""Of annealing, for each base cell that can move."""

PRICE = 20
"""Of a step beyond the neighbours, in bases: dearer than any change for its sake."""

SMALLEST, LARGEST = 120, 900
"""Base cells of a neighbourhood. Up to 300 most are settled at the root of the search tree, in 0.03 s."""

TRIES = 12
"""Neighbourhoods of one size without a find, after which they grow by a quarter."""

NODES = 200
"""Of the search tree of a neighbourhood."""


@dataclass(frozen=True)
class Grid:
    """What is searched.

    Attributes
    ----------
    matrix: int64 csr (rows x base cells): rows that count are cells; others are relations, which are to be 0.
    base: of all. value: int64 (rows), true values; low, high: int64 (rows), neighbours in steps. counts: bool (rows).
    column_low: int64 (base cells), lower neighbours; free: bool (base cells), those that are no multiples.
    """

    matrix: csr_array
    base: int
    value: Ints
    low: Ints
    high: Ints
    counts: NDArray[np.bool_]
    column_low: Ints
    free: NDArray[np.bool_]

    def quality(self, sums: Ints) -> tuple[int, int, int]:
        """What does not add up, steps beyond, changes; the smaller the better, the first first."""
        beyond = np.maximum(np.maximum(self.low - sums, sums - self.high), 0)
        change = np.abs(self.base * sums - self.value)[self.counts]
        return int(beyond[~self.counts].sum()), int(beyond[self.counts].sum()), int(change.sum())


def search(grid: Grid, start: Ints, limits: Limits, tell: Progress) -> Ints:
    """Steps of the base cells (int64), near the best. start: where it begins.

    Deterministic, unless a time limit ends it.
    """
    steps = _annealed(grid, start, limits.share(0.4), tell)
    return _mended(grid, steps, limits, tell)


def _annealed(grid: Grid, start: Ints, limits: Limits, tell: Progress) -> Ints:
    run = Runner(compiled=True)
    across, free = csr_array(grid.matrix.T.tocsr()), np.flatnonzero(grid.free)
    inside = grid.free[grid.matrix.indices]
    first = np.concatenate([[0], np.cumsum(inside)])[grid.matrix.indptr]
    price = np.where(grid.counts, PRICE // 4 * grid.base, PRICE * grid.base)
    rows = run.arrays(
        Rows(
            across.indptr.astype(np.int64),
            across.indices.astype(np.int64),
            first.astype(np.int64),
            grid.matrix.indices[inside].astype(np.int64),
            grid.value,
            grid.low,
            grid.high,
            grid.counts.astype(np.int64),
            price,
        )
    )
    up, sums = run.array(start - grid.column_low), run.array(grid.matrix @ start)
    quantiles, moves = run.array(EXPONENTIAL), run.array(free)
    state, number = 20250101, max(1, MOVES * len(free) // ROUNDS)
    for k in range(ROUNDS):
        heat = int(1024 * 2 * grid.base * 0.075 ** (k / ROUNDS))
        state = run(anneal, rows, grid.base, moves, up, sums, quantiles, heat, number, state)
        tell("annealing", k + 1, ROUNDS)
        if limits.seconds_left() <= 0:
            break
    found: Ints = grid.column_low + run.numbers(up)
    return found


def _mended(grid: Grid, steps: Ints, limits: Limits, tell: Progress) -> Ints:
    """Neighbourhoods one after another: each is a few sums, the base cells of which are chosen anew."""
    around = _Neighbourhoods(grid)
    sums = np.asarray(grid.matrix @ steps)
    quality, size, tries = grid.quality(sums), SMALLEST, 0
    while size <= LARGEST:
        if limits.seconds_left() <= 0:
            limits.reached.add("time")
            break
        columns = around.next(sums, size)
        found = _anew(grid, around.across, columns, steps, sums, limits)
        better = None if found is None else np.asarray(grid.matrix @ found)
        if found is not None and better is not None and grid.quality(better) < quality:
            steps, sums, quality, tries = found, better, grid.quality(better), 0
            tell("cells beyond their neighbours", quality[1], len(grid.value))
        else:
            tries += 1
        if tries == TRIES:
            size, tries = size + size // 4, 0
    return steps


class _Neighbourhoods:
    """Base cells that are chosen anew together: those of a few sums, near one that is beyond its neighbours."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.across = grid, csr_array(grid.matrix.T.tocsr())
        inside = grid.free[grid.matrix.indices]
        self._first = np.concatenate([[0], np.cumsum(inside)])[grid.matrix.indptr]
        self._columns = grid.matrix.indices[inside].astype(np.int64)
        self._size = np.diff(self._first)
        self._random = np.random.default_rng(0)
        self._turn = 0

    def next(self, sums: Ints, size: int) -> Ints:
        """At most so many base cells."""
        grid, random = self.grid, self._random
        self._turn += 1
        wrong = np.flatnonzero((sums < grid.low) | (sums > grid.high))
        wrong = wrong[self._size[wrong] > 0]
        found = np.empty(0, np.int64)
        queue: list[int] = []
        if len(wrong) and self._turn % 4:
            column = int(random.choice(self._of(int(random.choice(wrong)))))
            through = self.across.indices[self.across.indptr[column] : self.across.indptr[column + 1]]
            through = through[self._size[through] <= size]
            queue = through[np.argsort(-self._size[through], kind="stable")][:4].tolist()
        usable = np.flatnonzero((self._size >= min(4, size)) & (self._size <= size))
        if not len(usable):
            free = np.flatnonzero(grid.free)
            return np.sort(random.choice(free, min(size, len(free)), replace=False)).astype(np.int64)
        share = np.cumsum(self._size[usable])
        for _ in range(1000):
            at = int(np.searchsorted(share, random.integers(share[-1]), side="right"))
            row = queue.pop(0) if queue else int(usable[at])
            more = np.union1d(found, self._of(row))
            if len(more) > size:
                break
            found = more
        return found if len(found) else np.sort(self._of(int(usable[0])))

    def _of(self, row: int) -> Ints:
        found: Ints = self._columns[self._first[row] : self._first[row + 1]]
        return found


def _anew(grid: Grid, across: csr_array, columns: Ints, steps: Ints, sums: Ints, limits: Limits) -> Ints | None:
    """The best steps of some base cells while all others stay; None: the program found none."""
    touched = np.concatenate([across.indices[across.indptr[c] : across.indptr[c + 1]] for c in columns.tolist()])
    rows = np.unique(touched)
    own = csr_array(csr_array(grid.matrix[rows])[:, columns])
    others = sums[rows] - own @ steps[columns]
    n, m = len(columns), len(rows)
    one = eye_array(m, dtype=np.int64, format="csr")
    right = (grid.low[rows] - others).astype(np.float64)
    residual = np.where(grid.counts[rows], grid.value[rows] - grid.base * grid.low[rows], 0)
    counts = grid.counts[rows].astype(np.float64)
    price = np.where(grid.counts[rows], PRICE * grid.base, 10 * PRICE * grid.base).astype(np.float64)
    cost = np.concatenate([np.zeros(n), counts * (grid.base - 2.0 * residual), price, price])
    low = grid.column_low[columns].astype(np.float64)
    problem = Problem(
        csr_array(hstack([own, -one, -one, one])),
        right,
        right,
        np.concatenate([low, np.zeros(3 * m)]),
        np.concatenate([low + 1, (grid.high - grid.low)[rows], np.full(2 * m, np.inf)]),
    )
    integral = np.arange(len(cost)) < n
    found = Highs().minimise_integer(problem, cost, limits.seconds_left(), nodes=NODES, integral=integral)
    if found.x is None:
        return None
    result = steps.copy()
    result[columns] = np.round(found.x[:n]).astype(np.int64)
    return result
