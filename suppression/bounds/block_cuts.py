"""What blocks need, each by itself, as cuts in exact numbers (see `audit.decision.cuts` for cuts of the whole)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.equations import stored
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.sparse import row_of_entries, stacked
from tableseal.suppression.bounds.blocks import Block
from tableseal.suppression.bounds.opened import Opened, Short
from tableseal.suppression.bounds.whole_multiples import MOST
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.shortfalls import MARGIN
from tableseal.suppression.search.master import Row

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST = 1e-3
"""Share from which a cell counts as withheld, and by which a cut has to be broken."""

LARGEST = 2**40
"""Distances of ends in units, beyond which they are left out."""

WIDER = (1.0, 64.0)
"""Times the distance of an end that others may move, in turn: no farther than it gives cuts that bind most, but not for
every end that falls short (34,440 cells, 3,390 ends that fall short: 1,373 with the first, 1,250 with the second)."""

LIGHT = 1e-5
"""Weights below go to the right side."""

UP = 1 + 16 * float(np.finfo(np.float64).eps)
"""More than a few roundings take away. (A larger weight asks for less.)"""


@dataclass(frozen=True)
class _Questions:
    """Whether columns can move one way.

    column: int64; way: int64, 1 down, -1 up; goal: int64, units, the widest first. end: int64, position of the end.
    pair: int64, the same for both ways of one end in one block.
    """

    column: Ints
    way: Ints
    goal: Ints
    end: Ints
    pair: Ints

    def some(self, which: NDArray[np.bool_] | Ints) -> "_Questions":
        """Some of them."""
        return _Questions(self.column[which], self.way[which], self.goal[which], self.end[which], self.pair[which])


class BlockCuts:
    """The cuts of blocks. A column is a cell in a block."""

    def __init__(self, problem: Problem, own: Sequence[Block], ends: Ends, run: Runner) -> None:
        """ends: those that every safe pattern has to meet, of outsiders."""
        equations, self._run, self._ends = problem.equations, run, ends
        self._cell = np.concatenate([np.empty(0, np.int64), *(cells for cells, _ in own)])
        self._block = np.repeat(np.arange(len(own)), [len(cells) for cells, _ in own])
        self._relations = _side_by_side(equations.short, own)
        value, least, most = (a[self._cell] for a in (equations.value, equations.column_lower, equations.column_upper))
        self._down = np.where(least == NO_LOWER, NO_UPPER, value - least)
        self._up = np.where(most == NO_UPPER, NO_UPPER, most - value)
        self._may, self._forced = problem.may[self._cell], problem.primary[self._cell]
        self._questions = self._of_all_ends(len(problem.cost))
        self._before, self._quiet = np.zeros(len(self._cell)), np.zeros((2, len(own)), np.bool_)
        """Shares when blocks were asked last; which broke nothing then: of ends, and of all that may be asked."""

    def broken(self, share: Floats, place: Ints, *, besides: bool, limits: Limits) -> Iterator[Row]:
        """Cuts that a pattern breaks which withholds cells in part.

        share: float64 (cells of the problem). place: int64 (cells of the problem), number of each candidate. besides:
        also of cells that are withheld for others.
        """
        own = np.where(self._may | self._forced, share[self._cell], 0.0)
        self._quiet[:, self._block[own != self._before]] = False
        self._before = own
        asked_again = ~self._quiet[int(besides)][self._block]
        questions = self._questions.some(asked_again[self._questions.column])
        inside = (own > LEAST) & asked_again
        inside[questions.column] = True
        columns = np.flatnonzero(inside)
        opened = Opened(csr_array(self._relations[:, columns]), self._run)
        self._quiet[: 1 + int(besides)] = True
        for wider in WIDER:
            short, reached, made = self._short(opened, columns, questions, own, wider, limits)
            asked = questions.some(short)
            relation, scale = self._relation(opened, columns, asked.column, made)
            pair, weight = self._not_met(asked, reached, self._contributions(relation, asked, scale), scale > 0)
            weight, right = self._left(weight)
            broken = weight @ own < right - LEAST
            self._quiet[:, self._block[asked.column]] = False
            yield from self._rows(weight, right, np.flatnonzero(broken), place)
            # An end of two ways is asked both ways again.
            questions = questions.some(np.isin(questions.pair, np.setdiff1d(asked.pair, pair[broken])))
        if besides:
            yield from self._besides(opened, columns, own, place, limits)

    def _of_all_ends(self, cells: int) -> _Questions:
        """The questions of all ends in all blocks."""
        ends = self._ends
        by_cell, kept = np.argsort(self._cell, kind="stable"), np.flatnonzero(ends.distance < LARGEST)
        start = np.searchsorted(self._cell[by_cell], np.arange(cells + 1))
        count = np.diff(start)[ends.cell[kept]]
        end = np.repeat(kept, count)
        column = by_cell[np.arange(len(end)) - np.repeat(np.cumsum(count) - count, count) + start[ends.cell[end]]]
        down, up = np.flatnonzero(ends.sign[end] >= 0), np.flatnonzero(ends.sign[end] <= 0)
        pair = np.concatenate([down, up])
        way = np.repeat([1, -1], [len(down), len(up)])
        goal = np.where(way == 1, ends.down[end[pair]], ends.up[end[pair]])
        order = np.lexsort((way, pair, -goal))
        order = order[~np.isin(pair[order], pair[goal <= 0])]  # what asks for nothing is met
        return _Questions(column[pair], way, goal, end[pair], pair).some(order)

    def _short(
        self, opened: Opened, columns: Ints, questions: _Questions, own: Floats, wider: float, limits: Limits
    ) -> tuple[Ints, Floats, csr_array]:
        """(int64, questions that fall short; float64, how far each gets; float64 csr (those x open columns), what its
        move is made of), as far as there is time."""
        found: list[Short] = []
        at, share, first = np.searchsorted(columns, questions.column), own[columns], 0
        down, up = self._down[columns].astype(np.float64), self._up[columns].astype(np.float64)
        while first < len(questions.goal) and not limits.out_of_time():
            # Ends whose distances are alike are asked with the same limits, in units of the widest.
            widest = float(max(questions.goal[first], 1))
            last = int(np.searchsorted(-questions.goal, -widest / 2, side="right"))
            low, high = (np.minimum(room, wider * widest) / widest * share for room in (down, up))
            asked = np.arange(first, max(last, first + 1))
            goal = questions.goal[asked] / widest
            short = opened.short(-low, high, at[asked], questions.way[asked], goal, limits)
            found.append(Short(asked[short.number], short.reached * widest, short.made))
            first = int(asked[-1]) + 1
        if not found:
            return np.empty(0, np.int64), np.empty(0), csr_array((0, len(columns)), dtype=np.float64)
        return (
            np.concatenate([short.number for short in found]),
            np.concatenate([short.reached for short in found]),
            stacked([short.made for short in found]),
        )

    def _relation(self, opened: Opened, columns: Ints, asked: Ints, made: csr_array) -> tuple[csr_array, Ints]:
        """(int64 csr (rows x columns), int64): scale * the move of a column asked = relation @ moves of others, for all
        moves that keep the relations of blocks; nothing, with a scale of 0, where no multipliers were found."""
        multiplier = opened.multipliers(np.searchsorted(columns, asked), made)
        held = csr_array(multiplier @ self._relations)
        row, column = row_of_entries(held), held.indices
        own = column == asked[row]
        scale = np.zeros(len(asked), np.int64)
        scale[row[own]] = held.data[own]
        scale[(scale < 0) | (scale > MOST)] = 0  # of floats that were no fractions
        used = ~own & (self._may | self._forced)[column] & (scale[row] > 0)
        relation = coo_array((-held.data[used], (row[used], column[used])), shape=held.shape)
        return csr_array(relation), scale

    def _contributions(self, relation: csr_array, asked: _Questions, scale: Ints) -> csr_array:
        """float64 csr (questions x columns): the share of its way, at most 1, that each column can move the one asked,
        rounded up; rows without a scale are left at 0."""
        row, column = row_of_entries(relation), relation.indices
        up = (relation.data > 0) == (asked.way[row] == -1)
        room, rate = np.where(up, self._up[column], self._down[column]), np.abs(relation.data)
        most = (asked.goal * scale)[row]
        whole = room > most // rate
        share = np.minimum(np.where(whole, most, rate * np.where(whole, 0, room)) / most * UP, 1.0)
        return csr_array((np.where(whole, 1.0, share), column, relation.indptr), shape=relation.shape)

    def _not_met(
        self, asked: _Questions, reached: Floats, weight: csr_array, told: NDArray[np.bool_]
    ) -> tuple[Ints, csr_array]:
        """(int64: pair; float64 csr (ends x columns)): a covering inequality for each end that is not met: what is
        withheld has to come to 1. told: bool (questions), whether weights are known."""
        ends = self._ends
        one_way = np.flatnonzero(told & (ends.sign[asked.end] != 0))
        order = np.argsort(asked.pair, kind="stable")
        twice = np.flatnonzero(np.diff(asked.pair[order]) == 0)
        twice = twice[told[order[twice]] & told[order[twice + 1]]]
        first, second = order[twice], order[twice + 1]
        either = ends.either[asked.end[first]]
        narrow = ~either & (reached[first] + reached[second] < asked.goal[first] * (1.0 - MARGIN))
        together = csr_array(weight[first[narrow]] + weight[second[narrow]])
        together.data = np.minimum(together.data * UP, 1.0)
        largest = csr_array(weight[first[either]].maximum(weight[second[either]]))
        pair = np.concatenate([asked.pair[one_way], asked.pair[first[narrow]], asked.pair[first[either]]])
        return pair, stacked([csr_array(weight[one_way]), together, largest])

    def _left(self, weight: csr_array) -> tuple[csr_array, Floats]:
        """(weights of cells that may be withheld, right sides) once what is withheld anyway is put in, and what hardly
        weighs; nothing where that is enough."""
        row, column = row_of_entries(weight), weight.indices
        size, count = np.bincount(row, minlength=weight.shape[0]), weight.shape[0]
        forced = np.bincount(row, weight.data * self._forced[column], count) * (UP + size * (UP - 1))
        left = np.where(size > 0, 1.0 - forced, 0.0)
        own = np.where(self._forced[column] | (left[row] < LIGHT), 0.0, weight.data) / np.maximum(left, LIGHT)[row] * UP
        light = own < LIGHT
        right = 1.0 - np.bincount(row, np.where(light, own, 0.0), count) * (UP + size * (UP - 1))
        used = ~light
        found = csr_array(coo_array((np.minimum(own[used], 1.0), (row[used], column[used])), shape=weight.shape))
        return found, np.where(left < LIGHT, 0.0, right)

    def _besides(self, opened: Opened, columns: Ints, own: Floats, place: Ints, limits: Limits) -> Iterator[Row]:
        """A cell that is withheld for others must be able to move, which takes one of those that its move is made of;
        else a pattern without it would be safe, too."""
        share = own[columns]
        at = np.flatnonzero((self._may & ~self._forced)[columns] & (share > 10 * LEAST))
        at = at[np.argsort(-share[at], kind="stable")]
        short = opened.short(-share, share, at, np.full(len(at), -1), share[at], limits)
        asked = columns[at[short.number]]
        relation, scale = self._relation(opened, columns, asked, short.made)
        row, column = row_of_entries(relation), relation.indices
        free = (np.bincount(row, self._forced[column], len(asked)) == 0) & (scale > 0)
        helps = np.where(free[row], 1.0, 0.0)
        total = np.bincount(row, helps * own[column], len(asked))
        broken = np.flatnonzero(free & (total < own[asked] - LEAST))
        self._quiet[1, self._block[asked[broken]]] = False
        which = np.append(row, np.arange(len(asked)))
        weight = coo_array(
            (np.append(helps, -np.ones(len(asked))), (which, np.append(column, asked))), shape=relation.shape
        )
        yield from self._rows(csr_array(weight), np.zeros(len(asked)), broken, place)

    def _rows(self, weight: csr_array, right: Floats, which: Ints, place: Ints) -> Iterator[Row]:
        """Some rows over candidates."""
        for k in which.tolist():
            inside = slice(weight.indptr[k], weight.indptr[k + 1])
            yield Row(place[self._cell[weight.indices[inside]]], weight.data[inside], float(right[k]))


def _side_by_side(short: csr_array, own: Sequence[Block]) -> csr_array:
    """int64 csr (relations of blocks x cells of blocks): each block has its own columns."""
    place = np.full(short.shape[1], -1, np.int64)
    row, column, data, rows, columns = [], [], [], 0, 0
    for cells, relations in own:
        place[cells] = np.arange(columns, columns + len(cells))
        which, cell, coefficient = stored(short, relations)
        row.append(which + rows)
        column.append(place[cell])
        data.append(coefficient)
        rows, columns = rows + len(relations), columns + len(cells)
    nothing = np.empty(0, np.int64)
    entries = (np.concatenate([nothing, *row]), np.concatenate([nothing, *column]))
    return csr_array(coo_array((np.concatenate([nothing, *data]), entries), shape=(rows, columns)))


def outsiders(ends: Ends, sure: Sequence[bool]) -> Ends:
    """Those of ends that an outsider sets and every safe pattern meets. sure: of each requirement."""
    kept = (ends.attacker == 0) & np.array(sure, np.bool_)[ends.requirement]
    at = np.flatnonzero(kept)
    return Ends(
        ends.requirement[at],
        ends.cell[at],
        ends.sign[at],
        ends.down[at],
        ends.up[at],
        ends.either[at],
        None,
        ends.attacker[at],
        ends.wide,
    )
