"""How far open cells of a table can move while they are withheld in part, and what says so where it is not far enough.

Only open cells are looked at, in classes that move together; what hangs together of these is asked in a dense
dictionary of floats. Multipliers on relations are read off from there and rounded to fractions: whoever reckons with
these in whole numbers has something that holds, however far the floats were off.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.equations import connected
from tableseal.audit.sparse import row_of_entries
from tableseal.suppression.bounds.classes import classes
from tableseal.suppression.bounds.whole_multiples import NOTHING, whole_multiples
from tableseal.suppression.search.kernels.moves import Moves, dictionary
from tableseal.suppression.search.kernels.shortfalls import MARGIN, shortfalls

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST = 4_000_000
"""Entries (relations times classes) of what hangs together, beyond which nothing is asked there."""

ROWS_AT_ONCE = 400

ENTRIES_AT_ONCE = 8_000_000
"""Of multipliers."""


@dataclass(frozen=True)
class Short:
    """Questions whose cells cannot move as far as they were asked.

    number: int64, of each question. reached: float64, how far its cell gets at most. made: float64 csr (questions x
    open cells), move of its cell = made @ moves.
    """

    number: Ints
    reached: Floats
    made: csr_array


@dataclass(frozen=True)
class _Part:
    """What hangs together. leaders: int64, its classes; moves: its dictionary; cells: int64, basic leaders at first;
    independent: int64, as many rows of what is left of relations, which give them."""

    leaders: Ints
    moves: Moves
    cells: Ints
    independent: Ints


@dataclass(frozen=True)
class _Pivots:
    """Relations that give cells by others, and these cells, by what hangs together. label: int64, ascending; square:
    float64 csc (relations x cells), in blocks of one label."""

    relation: Ints
    cell: Ints
    label: Ints
    square: csc_array

    def solved(self, first: int, last: int, wanted: Floats) -> Floats:
        """float64 (rows x relations of a label): multipliers of which the sum of relations has these coefficients;
        nothing where floats do not give any."""
        from scipy.sparse.linalg import splu  # late: many searches come to an end without it

        if last == first:
            return wanted
        start = self.square.indptr[first : last + 1]
        inside = slice(start[0], start[-1])
        own = csc_array(
            (self.square.data[inside], self.square.indices[inside] - first, start - start[0]), shape=(last - first,) * 2
        )
        try:
            found: Floats = splu(own).solve(np.ascontiguousarray(wanted.T), trans="T").T
        except RuntimeError:  # singular
            return np.zeros_like(wanted)
        return found


class Opened:
    """Open cells of relations."""

    def __init__(self, relations: csr_array, run: Runner) -> None:
        """relations: int64 csr (relations x open cells), each 0 for every move."""
        self._relations, self._run = csr_array(relations.astype(np.float64)), run
        self._classes = classes(self._relations)
        count = relations.shape[1]
        self._apart = _hanging_together(self._relations)[1]
        members = np.flatnonzero(self._classes.leader >= 0)
        self._members = members[np.argsort(self._classes.leader[members], kind="stable")]
        left = self._classes.left
        at = np.flatnonzero(np.diff(left.indptr))
        left = csr_array(left[at])
        self._left, self._row_of_left = left, at
        of_row, of_cell = _hanging_together(left)
        held = np.zeros(count, np.bool_)
        held[left.indices] = True
        self._part_of = np.where(held, of_cell, -1)
        self._rows_of, self._leaders_of = _grouped(of_row), _grouped(self._part_of)
        self._parts: dict[int, _Part | None] = {}
        self._solving: tuple[int, _Pivots] | None = None

    def short(self, low: Floats, high: Floats, asked: Ints, way: Ints, goal: Floats, limits: Limits) -> Short:
        """The questions that fall short, as far as there is time.

        low <= 0 <= high: float64 (open cells), how far each may move. asked: int64 (questions), open cells, of which
        each may itself go that far; way: 1 down, -1 up; goal: float64, how far.
        """
        ratio, own = self._classes.ratio, self._classes.leader[asked]
        rate = ratio[asked]
        least, most, at_least, at_most = self._limits(low, high)
        # In terms of leaders: where they have to go, and which of their cells stops them first.
        way, goal = np.where(rate > 0, way, -way), goal / np.abs(rate)
        limit, tight = np.where(way == 1, -least[own], most[own]), np.where(way == 1, at_least[own], at_most[own])
        still = np.flatnonzero(own < 0)
        tied = np.flatnonzero((own >= 0) & (tight != asked) & (limit < goal * (1.0 - MARGIN)))
        reached = np.zeros(len(asked))
        reached[tied] = limit[tied]
        number, which, cell, value = [still, tied], [tied], [tight[tied]], [rate[tied] / ratio[tight[tied]]]
        part = np.where(own >= 0, self._part_of[own], -1)
        part[tied] = -1
        for of_part, questions in _grouped(part).items():
            one = None if limits.out_of_time() else self._part(of_part)
            if one is None:
                continue
            one.moves.low[:], one.moves.high[:] = least[one.leaders], most[one.leaders]
            seen = np.zeros(len(one.leaders)), np.zeros(len(one.leaders))
            for now in np.split(questions, range(ROWS_AT_ONCE, len(questions), ROWS_AT_ONCE)):
                rows, found = np.zeros((len(now), len(one.leaders))), np.zeros(len(now))
                local = np.searchsorted(one.leaders, own[now])
                self._run(shortfalls, one.moves, *seen, local, way[now], goal[now], found, rows)
                reached[now] = found
                k, column = np.nonzero(np.abs(rows) > NOTHING)
                leader, k_of = one.leaders[column], now[k]
                member = np.where((rows[k, column] > 0) == (way[k_of] != 1), at_most[leader], at_least[leader])
                number.append(now[found < goal[now]])
                which.append(k_of)
                cell.append(member)
                value.append(rows[k, column] * rate[k_of] / ratio[member])
        entries = (np.concatenate(which), np.concatenate(cell))
        made = csr_array(coo_array((np.concatenate(value), entries), shape=(len(asked), len(low))))
        numbers = np.sort(np.concatenate(number))
        return Short(numbers, (reached * np.abs(rate))[numbers], csr_array(made[numbers]))

    def multipliers(self, asked: Ints, made: csr_array) -> csr_array:
        """int64 csr (rows x relations): multipliers of which the sum of relations says, in some multiple, that the move
        of each cell asked (int64, open cells) = made @ moves; rows without any where floats do not tell."""
        rows = made.shape[0]
        pivots = self._pivots()
        one = csr_array((np.ones(rows), asked, np.arange(rows + 1)), shape=made.shape)
        wanted = csr_array(csr_array(one - made)[:, pivots.cell])
        which, column, data = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for label, own in _grouped(self._apart[asked]).items():
            first, last = np.searchsorted(pivots.label, [label, label + 1]).tolist()
            size = max(1, ENTRIES_AT_ONCE // max(1, last - first))
            for some in np.split(own, range(size, len(own), size)):
                found = pivots.solved(first, last, csr_array(wanted[some])[:, first:last].toarray())
                row, at, number = whole_multiples(found)
                which.append(some[row])
                column.append(pivots.relation[first + at])
                data.append(number)
        entries = (np.concatenate(which), np.concatenate(column))
        return csr_array(coo_array((np.concatenate(data), entries), shape=(rows, self._relations.shape[0])))

    def _pivots(self) -> _Pivots:
        """Which relations give which cells by others, as far as parts were asked."""
        parts = [part for part in self._parts.values() if part is not None]
        if self._solving is None or self._solving[0] != len(parts):
            relation = np.concatenate([self._classes.relation, *(self._row_of_left[p.independent] for p in parts)])
            cell = np.concatenate([self._classes.cell, *(p.cells for p in parts)])
            order = np.argsort(self._apart[cell], kind="stable")
            relation, cell = relation[order], cell[order]
            square = csc_array(csr_array(self._relations[relation])[:, cell])
            self._solving = len(parts), _Pivots(relation, cell, self._apart[cell], square)
        return self._solving[1]

    def _part(self, number: int) -> _Part | None:
        """What hangs together, made when it is asked first; None where it is too large."""
        if number not in self._parts:
            self._parts[number] = self._made(self._rows_of[number], self._leaders_of[number])
        return self._parts[number]

    def _made(self, rows: Ints, leaders: Ints) -> _Part | None:
        if len(rows) * len(leaders) > LARGEST:
            return None
        from scipy.linalg import lu

        dense = np.ascontiguousarray(self._left[rows].toarray()[:, leaders])
        moves = self._run(dictionary, dense.copy())
        basic = np.array(moves.basic, np.int64)
        order = lu(dense[:, basic], p_indices=True)[0]
        return _Part(leaders, moves, leaders[basic], rows[np.argsort(order)[: len(basic)]])

    def _limits(self, low: Floats, high: Floats) -> tuple[Floats, Floats, Ints, Ints]:
        """(float64 least, most; int64: of which cell each is) by leaders: how far classes may move, which is as far as
        the tightest of their cells may."""
        members, count = self._members, len(low)
        leader, ratio = self._classes.leader[members], self._classes.ratio[members]
        one, other = low[members] / ratio, high[members] / ratio
        result: list[Floats] = []
        tight: list[Ints] = []
        for bound, sign in ((np.minimum(one, other), -1), (np.maximum(one, other), 1)):
            order = np.lexsort((sign * bound, leader))
            first = np.flatnonzero(np.diff(leader[order], prepend=-1))
            limit, at = np.zeros(count), np.zeros(count, np.int64)
            limit[leader[order[first]]], at[leader[order[first]]] = bound[order[first]], members[order[first]]
            result.append(limit)
            tight.append(at)
        return result[0], result[1], tight[0], tight[1]


def _grouped(label: Ints) -> dict[int, Ints]:
    """The positions of each label but -1."""
    at = np.flatnonzero(label >= 0)
    at = at[np.argsort(label[at], kind="stable")]
    numbers, first = np.unique(label[at], return_index=True)
    return dict(zip(numbers.tolist(), np.split(at, first[1:]), strict=True)) if len(at) else {}


def _hanging_together(matrix: csr_array) -> tuple[Ints, Ints]:
    """(label of each row, label of each column): what hangs together."""
    rows, columns = matrix.shape
    label = connected(rows + columns, row_of_entries(matrix), rows + matrix.indices)
    return label[:rows], label[rows:]
