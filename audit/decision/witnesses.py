"""Tables in hand: each shows values that cells can take, in every pattern that withholds what it changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import compiled
from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.kernels import serve
from tableseal.audit.sparse import row_of_entries

FEW, TOGETHER = 256, 1000
"""Tables that are looked at together where one is enough, and marks that are set one by one; sets of cells."""

MANY_WORDS = 1_000_000
"""Words of marks from which a compiled loop looks at them."""


@dataclass(frozen=True)
class FeasibleTable:
    """cells: int64, that it changes, each once; moves: int64, by how much, in 1 / denominator."""

    cells: NDArray[np.int64]
    moves: NDArray[np.int64]
    denominator: int = 1

    @cached_property
    def key(self) -> bytes:
        """What tells it from others. (Made once: hundreds of oracles, one for each kind of attacker, may have it.)"""
        return self.cells.tobytes() + self.moves.tobytes() + self.denominator.to_bytes(8)

    def fits(self, value: NDArray[np.int64], lower: NDArray[np.int64], upper: NDArray[np.int64]) -> bool:
        """Whether it stays within bounds (int64, of all columns) of whole units, moved from values."""
        cells, moves, parts = self.cells, self.moves, self.denominator
        least, most = value[cells] + moves // parts, value[cells] - (-moves // parts)
        return bool(((least >= lower[cells]) & (most <= upper[cells])).all())


class Witnesses:
    """Tables that differ from the true one in a few cells, and satisfy every relation.

    A table serves every pattern that withholds all cells that it changes (whatever else the pattern withholds). Which
    ends it meets is looked at once, when it comes in: the same tables answer for thousands of patterns.

    Attributes
    ----------
    times_met: int64 (ends), how many tables have met each.
    """

    def __init__(self, cells: int, most: int, ends: Ends) -> None:
        """most: tables that are remembered; the oldest are forgotten."""
        self._most, self._ends = most, ends
        self._count = 0
        self.times_met = np.zeros(len(ends), np.int64)
        # Marks are kept of cells that some table changes, in the order in which they first did.
        self._mark = np.full(cells, -1, np.int64)
        self._marked = np.empty(0, np.int64)
        self._changes = np.zeros((0, 0), np.uint64)
        self._meets = np.zeros((0, (len(ends) + 63) // 64), np.uint64)
        self._keys: set[bytes] = set()
        self._tables: list[FeasibleTable] = []

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, table: FeasibleTable) -> NDArray[np.bool_]:
        """Remember a table; bool (ends): those that it meets."""
        of, shown = ends_shown(self._ends, [table])
        if table.key not in self._keys:
            self._remember([table], of, shown)
        met = np.zeros(len(self._ends), np.bool_)
        met[shown] = True
        return met

    def add_all(self, tables: Sequence[FeasibleTable]) -> None:
        """Remember many tables, in order."""
        fresh = list({table.key: table for table in tables if table.key not in self._keys}.values())
        for first in range(0, len(fresh), self._most):
            part = fresh[first : first + self._most]
            self._remember(part, *ends_shown(self._ends, part))

    def _remember(self, tables: Sequence[FeasibleTable], of: NDArray[np.int64], shown: NDArray[np.int64]) -> None:
        """Remember new tables, all different and at most as many as can be, with the ends that they meet."""
        at = (self._count + np.arange(len(tables))) % self._most
        self._count += len(tables)
        for place, table in zip(at.tolist(), tables, strict=True):
            self._put(table, place)
        changed, row = tables[0].cells, at
        if len(tables) > 1:
            changed = np.concatenate([table.cells for table in tables])
            row = np.repeat(at, [len(table.cells) for table in tables])
        new = changed[self._mark[changed] < 0]
        if len(tables) > 1:  # one table changes each cell once
            new = new[np.sort(np.unique(new, return_index=True)[1])]
        self._mark[new] = len(self._marked) + np.arange(len(new))
        self._marked = np.concatenate([self._marked, new])
        self._grow()
        self._changes[at] = self._meets[at] = 0
        _mark(self._changes, row, self._mark[changed])
        _mark(self._meets, at[of], shown)
        np.add.at(self.times_met, shown, 1)

    def _put(self, table: FeasibleTable, at: int) -> None:
        """Keep a table at a place, instead of the one that was there."""
        if at < len(self._tables):
            self._keys.discard(self._tables[at].key)
            self._tables[at] = table
        else:
            self._tables.append(table)
        self._keys.add(table.key)

    def ask(self, ends: Ends) -> None:
        """Look at the tables for these ends from now on; the ends so far stay in front."""
        before, self._ends = len(self._ends), ends
        of, shown = ends_shown(ends.since(before), self._tables)
        self.times_met = np.append(self.times_met, np.bincount(shown, minlength=len(ends) - before))
        self._meets = _enlarged(self._meets, self._meets.shape[0], (len(ends) + 63) // 64)
        _mark(self._meets, of, before + shown)

    def since(self, count: int) -> list[FeasibleTable]:
        """Tables that came in after the first `count`, as far as they are remembered."""
        start = max(count, self._count - len(self._tables))
        return [self._tables[k % self._most] for k in range(start, self._count)]

    @property
    def count(self) -> int:
        """How many tables have come in."""
        return self._count

    def met(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (ends): which the tables meet that serve a pattern (bool, cells)."""
        return self._met(self._serving(pattern))

    def meet(self, end: int, pattern: NDArray[np.bool_]) -> bool:
        """Whether they meet one end: asked of the tables that do so under any pattern, a few at a time."""
        marked = self._meets.view(np.uint8)[: len(self._tables), end // 8] >> (7 - end % 8) & 1
        asked, published = np.flatnonzero(marked), self._published(pattern)
        return any(
            bool((~(self._changes[few] & published).any(axis=1)).any())
            for few in np.split(asked, range(FEW, len(asked), FEW))
        )

    def met_without(self, pattern: NDArray[np.bool_], known: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """bool (sets of cells x ends): the same for patterns that publish a set of cells besides."""
        times, of_set, end = self.lost_without(pattern, known)
        result = np.tile(times > 0, (len(known), 1))
        result[of_set, end] = False
        return result

    def lost_without(
        self, pattern: NDArray[np.bool_], known: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(how many tables that serve a pattern meet each end; sets of cells and ends, ascending, that no table meets
        if the set is published besides, though others do).

        A set of few cells stops few tables: what is lost is what only these meet.
        """
        serving = self._serving(pattern)
        meets = self._ends_met(serving)
        times = np.bincount(meets.indices, minlength=len(self._ends))
        changes = incidence([self._tables[at].cells for at in serving.tolist()], len(self._mark)).T.tocsr()
        sets, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for first in range(0, len(known), TOGETHER):
            published = incidence(known[first : first + TOGETHER], len(self._mark))
            stopped = csr_array(published @ changes)
            stopped.data[:] = 1
            met = csr_array(stopped @ meets)
            met.sort_indices()
            lost = np.flatnonzero(met.data == times[met.indices])
            sets.append(first + row_of_entries(met)[lost])
            ends.append(met.indices[lost].astype(np.int64))
        return times, np.concatenate(sets), np.concatenate(ends)

    def _ends_met(self, tables: NDArray[np.int64]) -> csr_array:
        """int64 csr (tables x ends): which tables meet which ends."""
        marks = self._meets[tables]
        row, word = np.nonzero(marks != 0)
        at, bit = np.nonzero(np.unpackbits(marks[row, word][:, None].view(np.uint8), axis=1))
        start = np.searchsorted(row[at], np.arange(len(tables) + 1))
        shape = len(tables), len(self._ends)
        return csr_array((np.ones(len(at), np.int64), 64 * word[at] + bit, start), shape=shape)

    def _met(self, tables: NDArray[np.int64]) -> NDArray[np.bool_]:
        words = np.bitwise_or.reduce(self._meets[tables], axis=0)
        return np.unpackbits(words.view(np.uint8), count=len(self._ends)).astype(np.bool_)

    def reach(self, cell: int, pattern: NDArray[np.bool_]) -> tuple[int, int]:
        """How far the tables that serve a pattern move a cell: least (at most 0) and most (at least 0)."""
        low = high = 0
        for at in self._serving(pattern).tolist():
            table = self._tables[at]
            for move in table.moves[table.cells == cell].tolist():
                # The whole part of a move is shown as well, by a table in between.
                low, high = min(low, -(-move // table.denominator)), max(high, move // table.denominator)
        return low, high

    def serving(self, pattern: NDArray[np.bool_]) -> list[FeasibleTable]:
        """The tables that serve a pattern."""
        return [self._tables[at] for at in self._serving(pattern).tolist()]

    def _serving(self, pattern: NDArray[np.bool_]) -> NDArray[np.int64]:
        changes, published = self._changes[: len(self._tables)], self._published(pattern)
        if changes.size < MANY_WORDS:
            return np.flatnonzero(~(changes & published).any(axis=1))
        result = np.empty(len(changes), np.int64)
        compiled(serve)(changes.view(np.int64), published.view(np.int64), result)
        return np.flatnonzero(result)

    def _published(self, pattern: NDArray[np.bool_]) -> NDArray[np.uint64]:
        return packed(~pattern[self._marked], self._changes.shape[1])

    def _grow(self) -> None:
        """Make room for all tables and all marks."""
        rows, words = self._changes.shape
        if len(self._tables) > rows:
            rows = min(self._most, max(64, 2 * rows, len(self._tables)))
        if len(self._marked) > 64 * words:
            words = max((len(self._marked) + 63) // 64, 2 * words)
        if (rows, words) != self._changes.shape:
            self._changes = _enlarged(self._changes, rows, words)
            self._meets = _enlarged(self._meets, rows, self._meets.shape[1])


def incidence(sets: Sequence[Sequence[int] | NDArray[np.int64]], cells: int) -> csr_array:
    """int64 csr (sets x cells): what each set of cells holds."""
    start = np.cumsum([0, *map(len, sets)])
    inside = np.concatenate([np.empty(0, np.int64), *(np.asarray(own, np.int64) for own in sets)])
    return csr_array((np.ones(len(inside), np.int64), inside, start), shape=(len(sets), cells))


def _enlarged(old: NDArray[np.uint64], rows: int, words: int) -> NDArray[np.uint64]:
    new = np.zeros((rows, words), np.uint64)
    new[: old.shape[0], : old.shape[1]] = old
    return new


def packed(marked: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """64 marks to a word."""
    result = np.zeros(words * 8, np.uint8)
    octets = np.packbits(marked)
    result[: len(octets)] = octets
    return result.view(np.uint64)


def _mark(marks: NDArray[np.uint64], row: NDArray[np.int64] | int, at: NDArray[np.int64]) -> None:
    """Set marks as `packed` does, in one row or one of each."""
    octets = marks.view(np.uint8)
    place, mark = row * octets.shape[1] + at // 8, (128 >> at % 8).astype(np.uint8)
    if len(at) <= FEW:
        np.bitwise_or.at(octets.reshape(-1), place, mark)
        return
    order = np.argsort(place, kind="stable")
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    octets.reshape(-1)[place[order[first]]] |= np.bitwise_or.reduceat(mark[order], first)


def ends_shown(ends: Ends, tables: Sequence[FeasibleTable]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """int64, (position of a table, end) ascending: which ends each of them meets."""
    sizes = [len(table.cells) for table in tables]
    nothing = np.empty(0, np.int64)
    return ends.shown_by(
        np.repeat(np.arange(len(tables)), sizes),
        np.concatenate([nothing, *(table.cells for table in tables)]),
        np.concatenate([nothing, *(table.moves for table in tables)]),
        np.repeat(np.array([table.denominator for table in tables], np.int64), sizes),
    )
