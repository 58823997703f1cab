"""Tables in hand: for each base cell with a small count another table that explains all answers.

The table is written as a move: units that few base cells get and lose. One base cell alone is enough where all cells
that contain it may be one unit larger (or smaller) for what is shown of them. Else others take the opposite change.

**Why a move for each small base cell is enough.** Let every base cell b with 1 <= T_b < t have a move m with m_b not 0
such that T + m is not negative and explains all answers, and every base cell that m changes in the opposite direction
has T >= t. Take any set S of base cells with a total of 1 to t - 1, whatever an intruder does to single it out:
differences of nested or shifted categories, of areas, trackers, sums against totals, all answers together. S contains
some b that is not empty, and T_b <= T_S < t. No cell of S has a count of t or more, so none of them changes in the
direction opposite to b: the total of S changes by m_b at least. So two tables explain all answers and differ in S, and
nobody can say for certain what S holds.

**Units.** Cells of the same units are changed alike, which is all that keys give away (see `protection`). A move that
adds units makes no two cells of different units alike. One that takes units may, if it empties a set by which two
answered cells differ that are shown differently. Base cells of `solid` never become empty, and a small one for which
there is such a pair keeps one unit (`occupied`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.ground import Ground, Positions
from tableseal.suppression.generator.memory.kernels import FIRSTS, MEMBERS, THIRDS, longer, pair
from tableseal.suppression.generator.protection import Steps

TRIES = 32
"""Pairs that explain all answers, of which the one that shares most cells is kept: it is likely to explain the next."""


@dataclass(frozen=True, repr=False)
class Moves:
    """Moves of small base cells that cannot move alone.

    at: int32 (moves), whose. members: int32 (moves x MEMBERS), base cells, the own one first; -1: none. signs: int8
    (moves x MEMBERS), 1: it gets units; -1: it loses them. units: int8 (moves).
    """

    at: Positions
    members: Positions
    signs: Steps
    units: Steps

    @staticmethod
    def none() -> "Moves":
        """No moves."""
        shape = (0, MEMBERS)
        return Moves(np.zeros(0, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int8), np.zeros(0, np.int8))

    def some(self, which: NDArray[np.bool_]) -> "Moves":
        """Some of them."""
        return Moves(self.at[which], self.members[which], self.signs[which], self.units[which])

    def and_(self, more: "list[Move]") -> "Moves":
        """With further ones."""
        if not more:
            return self
        at, members, signs, units = zip(*more, strict=True)
        return Moves(
            np.concatenate([self.at, np.array(at, np.int32)]),
            np.concatenate([self.members, np.array(members, np.int32)]),
            np.concatenate([self.signs, np.array(signs, np.int8)]),
            np.concatenate([self.units, np.array(units, np.int8)]),
        )

    def explain(self, reading: Reading) -> NDArray[np.bool_]:
        """bool (moves): whether an answer stays possible by each."""
        there = self.members >= 0
        cell = np.where(there, reading.cells[self.members], -1)
        inside = cell >= 0
        change = self.signs * self.units[:, None]
        net = ((cell[:, :, None] == cell[:, None, :]) & inside[:, None, :] & there[:, None, :]) * change[:, None, :]
        total = net.sum(axis=2)
        good = (total <= reading.more[self.members]) & (-total <= reading.fewer[self.members])
        found: NDArray[np.bool_] = (good | ~inside).all(axis=1)
        return found

    def units_by(self, sign: int, cells: int) -> Steps:
        """int8 (base cells): by how many units a move of the sign changes each, 0 where there is none."""
        found = np.zeros(cells, np.int8)
        own = self.signs[:, 0] == sign
        np.maximum.at(found, self.at[own], self.units[own])
        return found


Move = tuple[int, list[int], list[int], int]
"""Whose, members, signs, units."""


@dataclass(frozen=True, repr=False)
class Seeker:
    """Looks for moves. cells, more, fewer: (answers x base cells), see `Reading`."""

    ground: Ground
    cells: Positions
    more: Steps
    fewer: Steps
    run: Runner

    def seek(self, b: int, up: int, down: int, most_down: int, longer_too: bool) -> list[Move] | None:
        """Moves with which b changes by the required width, up and down together; None: there are none in reach.

        up, down: what b does alone. most_down: what it may lose, at most. longer_too: moves of more than two base
        cells.
        """
        width = self.ground.rule.width
        for raised in range(width, -1, -1):
            lowered = width - raised
            if lowered > max(most_down, down):
                continue
            wanted = [(1, raised)] * (raised > up) + [(-1, lowered)] * (lowered > down)
            found = [self._move(b, sign, units, longer_too) for sign, units in wanted]
            if all(move is not None for move in found):
                return [move for move in found if move is not None]
        return None

    def _move(self, b: int, sign: int, units: int, longer_too: bool) -> Move | None:
        return self._pair(b, sign, units) or (self._longer(b, sign, units) if longer_too else None)

    def _pair(self, b: int, sign: int, units: int) -> Move | None:
        own, other = (self.more, self.fewer) if sign > 0 else (self.fewer, self.more)
        at = int(self.run(pair, b, units, self.cells, own, other, len(self.cells), self.ground.solid, TRIES))
        return None if at < 0 else (b, [b, at, -1, -1], [sign, -sign, -sign, sign], units)

    def _longer(self, b: int, sign: int, units: int) -> Move | None:
        alike = self.ground.every if sign > 0 else self.ground.above(units)
        members, signs = np.full(MEMBERS, -1, np.int64), np.zeros(MEMBERS, np.int64)
        first, lacking = np.zeros(FIRSTS, np.int64), np.zeros(FIRSTS, np.int64)
        answers = self.cells, self.more, self.fewer, len(self.cells)
        room = members, signs, first, lacking, np.zeros(THIRDS, np.int64)
        found = self.run(longer, b, sign, units, *answers, self.ground.solid, alike, *room)
        return (b, members.tolist(), signs.tolist(), units) if found else None
