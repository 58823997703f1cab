"""Tables that differ from one in hand by many exchanges: two base cells give a unit each, two others take it, and all
sums stay.

Where a survey's combinations are nearly all empty, in its records and in every corner, this shows of thousands at once
that they can be something else (basic moves: Diaconis & Sturmfels 1998).
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.in_hand.tables import Table, fits
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import rows_at

Ints = NDArray[np.int64]

SEED = 19980226

MOST_PAIRS = 4_000_000
"""Pairs of base cells that are compared; those of short rows come first."""

PASSES = 4
"""Times that exchanges are looked for among the base cells that have not exchanged anything yet."""


class Exchanges:
    """Pairs of base cells whose exchange changes the same sums by the same amounts: one of them undoes the other."""

    def __init__(self, reduced: Reduced, table: Table) -> None:
        """table: whole units that fit, as far as they are known."""
        self._reduced, self._table = reduced, table
        self._generator = np.random.default_rng(SEED)
        value, known = table.value, table.known & ~reduced.fixed
        self._falls, self._rises = known & (value > reduced.column_lower), known & (value < reduced.column_upper)
        one, other = _pairs(reduced)
        marks = self._generator.integers(-(2**63), 2**63, reduced.matrix.shape[0], np.int64)
        of_column = reduced.matrix.T @ marks
        change = of_column[one] - of_column[other]
        turned = change < 0
        one, other = np.where(turned, other, one), np.where(turned, one, other)
        _, group, count = np.unique(np.abs(change), return_inverse=True, return_counts=True)
        several = count[group] > 1
        self._one, self._other, self._group = one[several], other[several], group[several]

    def table(self, wanted: NDArray[np.bool_]) -> Table:
        """One in which as many as can be of some base cells (bool, columns) have another value; each time another."""
        value, free = self._table.value.copy(), self._table.known.copy()
        for _ in range(PASSES):
            up, down = self._chosen(free, wanted)
            value[up] += 1
            value[down] -= 1
            free[up] = free[down] = False
        return Table(value, fits(self._reduced, value, self._table.known), False)

    def _chosen(self, free: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """(base cells that take a unit, those that give one): free ones, each once."""
        falls, rises = self._falls & free, self._rises & free
        one, other = self._one, self._other
        rising, falling = rises[one] & falls[other], falls[one] & rises[other]
        at = np.flatnonzero(rising | falling)
        order = at[np.lexsort((self._generator.random(len(at)), self._group[at]))]
        # Next to each other in a group: the first one way, the second the other way.
        first, second = order[:-1], order[1:]
        fitting = (self._group[first] == self._group[second]) & rising[first] & falling[second]
        first, second = first[fitting], second[fitting]
        cells = np.stack([one[first], other[second], other[first], one[second]])
        different = (cells[0] != cells[1]) & (cells[2] != cells[3])
        different &= (cells[0] != cells[3]) & (cells[1] != cells[2])
        cells = cells[:, different]
        rank = np.empty(cells.shape[1], np.int64)
        rank[np.lexsort((self._generator.random(cells.shape[1]), -wanted[cells].sum(axis=0)))] = np.arange(len(rank))
        best = np.full(len(free), len(rank))
        np.minimum.at(best, cells.ravel(), np.tile(rank, 4))
        kept = cells[:, (best[cells] == rank).all(axis=0)]
        return kept[:2].ravel(), kept[2:].ravel()


def _pairs(reduced: Reduced) -> tuple[Ints, Ints]:
    """Pairs of base cells that have a row in common, each once."""
    matrix = reduced.matrix
    length = np.diff(matrix.indptr).astype(np.int64)
    order = np.argsort(length, kind="stable")
    taken = order[np.cumsum(length[order] * (length[order] - 1) // 2) <= MOST_PAIRS]
    keys = [np.empty(0, np.int64)]
    for size in np.unique(length[taken]).tolist():
        columns = rows_at(matrix, taken[length[taken] == size]).indices.reshape(-1, size).astype(np.int64)
        columns.sort(axis=1)
        one, other = np.triu_indices(size, 1)
        keys.append((columns[:, one] * matrix.shape[1] + columns[:, other]).ravel())
    one, other = np.divmod(np.unique(np.concatenate(keys)), matrix.shape[1])
    return one, other
