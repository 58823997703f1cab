"""What one block needs, as cuts in exact numbers (see `audit.decision.cuts` for cuts of the whole).

A dictionary in floats says how the move of a cell is made of moves of others; multipliers on the relations of the block
are read off from that, rounded to fractions, and the row that they give is computed from them again, in whole numbers:
so every cut holds, however far the floats were off.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import Runner
from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.equations import stored
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.bounds.blocks import Block
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.moves import dictionary
from tableseal.suppression.search.kernels.shortfalls import shortfalls
from tableseal.suppression.search.master import Row

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENOMINATORS = (1, 2, 3, 4, 6)
"""Of multipliers; rows with others are left out."""

NEARLY = 1e-6

LEAST = 1e-3
"""Share from which a cell counts as withheld, and by which a cut has to be broken."""

LARGEST = 2**40
"""Distances of ends in units, beyond which they are left out."""

ROWS_AT_ONCE = 400


@dataclass(frozen=True)
class _Asked:
    """Ends of outsiders inside a block, the widest first. cell: int64, places; sign, down, up, either: see `Ends`."""

    cell: Ints
    sign: Ints
    down: Ints
    up: Ints
    either: NDArray[np.bool_]

    @property
    def distance(self) -> Floats:
        """float64: the widest way."""
        return np.maximum(self.down, self.up).astype(np.float64)


class BlockCuts:
    """The cuts of one block."""

    def __init__(self, problem: Problem, block: Block, ends: Ends, run: Runner) -> None:
        """ends: those that every safe pattern has to meet, of outsiders."""
        from scipy.linalg import lu  # late: many searches come to an end without it

        self.cells, rows = block
        count, equations = len(self.cells), problem.equations
        place = np.full(equations.matrix.shape[1], -1, np.int64)
        place[self.cells] = np.arange(count)
        which, column, coefficient = stored(equations.short, rows)
        matrix = np.zeros((len(rows), count))
        matrix[which, place[column]] = coefficient
        self._run = run
        self._moves = run(dictionary, matrix.copy())
        self._basic = np.array(self._moves.basic, np.int64)
        order = lu(matrix[:, self._basic], p_indices=True)[0]
        independent = np.argsort(order)[: len(self._basic)]
        self._inverse = np.linalg.inv(matrix[np.ix_(independent, self._basic)])
        self._rows = csr_array(matrix[independent].astype(np.int64))
        value, least, most = (a[self.cells] for a in (equations.value, equations.column_lower, equations.column_upper))
        self._down = np.where(least == NO_LOWER, NO_UPPER, value - least)
        self._up = np.where(most == NO_UPPER, NO_UPPER, most - value)
        self._may, self._forced = problem.may[self.cells], problem.primary[self.cells]
        at = place[ends.cell]
        inside = np.flatnonzero((at >= 0) & (ends.distance < LARGEST))
        inside = inside[np.argsort(-ends.distance[inside], kind="stable")]
        self._kept: tuple[Floats, bool] | None = None
        """Shares that broke nothing here, and whether cells withheld for others were asked."""
        self._asked = _Asked(at[inside], ends.sign[inside], ends.down[inside], ends.up[inside], ends.either[inside])

    def cuts(self, share: Floats, place: Ints, *, besides: bool) -> Iterator[Row]:
        """Cuts that a pattern breaks which withholds cells in part.

        share: float64 (cells of the problem). place: int64 (cells of the problem), number of each candidate. besides:
        also of cells that are withheld for others.
        """
        own = np.where(self._may | self._forced, share[self.cells], 0.0)
        moving = np.flatnonzero(self._may & (own > 10 * LEAST)) if besides else np.empty(0, np.int64)
        if len(moving) == 0 and len(self._asked.cell) == 0:
            return
        if self._kept is not None and self._kept[1] >= besides and np.array_equal(self._kept[0], own):
            return
        moving = moving[np.argsort(-own[moving], kind="stable")]
        rows = np.zeros((ROWS_AT_ONCE, len(own)))
        of, end = np.zeros(ROWS_AT_ONCE, np.int64), np.zeros(ROWS_AT_ONCE, np.int64)
        asked = self._asked
        count = self._run(
            shortfalls,
            self._moves,
            own,
            self._down.astype(np.float64),
            self._up.astype(np.float64),
            asked.cell,
            asked.sign,
            asked.distance,
            moving,
            rows,
            of,
            end,
        )
        self._kept = (own, besides) if count == 0 else None
        rest, denominator, exact = self._exact(rows[:count], of[:count])
        for k in np.flatnonzero(exact).tolist():
            parts, cell, number = int(denominator[k]), int(of[k]), int(end[k])
            found = self._besides(rest[k], cell) if number < 0 else self._of_end(rest[k], parts, cell, number)
            if found is None:
                continue
            weight, right = found
            if float(weight @ own) < right - LEAST:
                used = np.flatnonzero(weight)
                yield Row(place[self.cells[used]], weight[used], right)

    def _exact(self, rows: Floats, of: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """(int64, rows x cells: rest; int64: denominator; bool: whether fractions were found) with denominator times
        the move of a cell = rest @ moves, for all moves that keep the relations of the block."""
        numbers = np.arange(len(rows))
        combined = -rows
        combined[numbers, of] += 1.0
        multiplier = combined[:, self._basic] @ self._inverse
        denominator, found = np.ones(len(rows), np.int64), np.zeros(len(rows), np.bool_)
        whole = np.zeros(multiplier.shape, np.int64)
        for parts in DENOMINATORS:
            left = np.flatnonzero(~found)
            scaled = multiplier[left] * parts
            rounded = np.rint(scaled)
            fits = (np.abs(scaled - rounded) < NEARLY).all(axis=1) & (np.abs(rounded) < 2.0**20).all(axis=1)
            at = left[fits]
            whole[at], denominator[at], found[at] = rounded[fits].astype(np.int64), parts, True
        rest = -(self._rows.T @ whole.T).T
        rest[numbers, of] += denominator
        return rest, denominator, found

    def _of_end(self, rest: Ints, parts: int, cell: int, end: int) -> tuple[Floats, float] | None:
        """(float64, cells: weight, right side) of the cut that an end gives: what others contribute must bring the cell
        far enough; None if what is withheld anyway may do."""
        asked = self._asked
        down, up = int(asked.down[end]), int(asked.up[end])
        if asked.sign[end] != 0:
            right = (down if asked.sign[end] == 1 else up) * parts
            room = self._contributions(rest if asked.sign[end] == 1 else -rest, right)
        elif asked.either[end]:
            right = down * up * parts
            if right >= 2**30:
                return None
            falls, rises = self._contributions(rest, right), self._contributions(-rest, right)
            room = np.maximum(np.minimum(falls * up, right), np.minimum(rises * down, right))
        else:
            right = max(down, up) * parts
            room = self._contributions(rest, right) + self._contributions(-rest, right)
        room[cell] = 0  # the cell itself never helps: what the row says of it was put in
        if rest[cell] != 0:
            return None
        left = right - int(room[self._forced].sum())
        if left <= 0:
            return None
        # Rounded up: a larger weight asks for less.
        weight = np.minimum(np.nextafter(room.astype(np.float64) / left, np.inf), 1.0)
        weight[(room == 0) | self._forced | ~self._may] = 0.0
        return weight, 1.0

    def _contributions(self, rest: Ints, most: int) -> Ints:
        """int64 (cells): what each, withheld, can contribute to minus rest @ moves, at most so much."""
        room, rate = np.where(rest > 0, self._down, self._up), np.abs(rest)
        enough = room > most // np.maximum(rate, 1)
        return np.where(enough & (rate > 0), most, rate * np.where(enough, 0, room))

    def _besides(self, rest: Ints, cell: int) -> tuple[Floats, float] | None:
        """(weight, right side): a cell that is withheld must be able to move, which takes one of those that its move is
        made of; else a pattern without it would be safe, too."""
        helps = rest != 0
        helps[cell] = False
        if (helps & self._forced).any():
            return None
        weight = (helps & self._may).astype(np.float64)
        weight[cell] = -1.0
        return weight, 0.0


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
