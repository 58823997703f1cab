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
answered cells differ that are shown differently. Base cells of so many units never become empty, and a small one for
which there is such a pair keeps one unit (`occupied`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.audit.hypercube.model import Ints
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.cells import Held
from tableseal.suppression.generator.memory.ground import Ground, Positions
from tableseal.suppression.generator.memory.kernels import explained
from tableseal.suppression.generator.memory.search import MEMBERS, TRIED, sought
from tableseal.suppression.generator.protection import Steps


@dataclass(frozen=True, repr=False)
class Moves:
    """Moves of small base cells that cannot move alone.

    members: int32 (moves x MEMBERS), base cells, the one whose move it is first; -1: none. signs: int8 (moves x
    MEMBERS), 1: it gets units; -1: it loses them. units: int8 (moves).
    """

    members: Positions
    signs: Steps
    units: Steps

    @staticmethod
    def none() -> "Moves":
        """No moves."""
        shape = (0, MEMBERS)
        return Moves(np.zeros(shape, np.int32), np.zeros(shape, np.int8), np.zeros(0, np.int8))

    @property
    def at(self) -> Positions:
        """int32 (moves): whose."""
        return self.members[:, 0]

    def some(self, which: NDArray[np.bool_]) -> "Moves":
        """Some of them."""
        return Moves(self.members[which], self.signs[which], self.units[which])

    def and_(self, more: "Moves") -> "Moves":
        """With further ones."""
        return Moves(
            np.concatenate([self.members, more.members]),
            np.concatenate([self.signs, more.signs]),
            np.concatenate([self.units, more.units]),
        )

    def explain(self, reading: Reading, run: Runner) -> NDArray[np.bool_]:
        """bool (moves): whether an answer stays possible by each."""
        found = np.zeros(len(self.units), np.int8)
        run(explained, self.members, self.signs, self.units, reading.cells, reading.more, reading.fewer, found)
        return found.astype(np.bool_)

    def units_by(self, sign: int, cells: int) -> Steps:
        """int8 (base cells): by how many units a move of the sign changes each, 0 where there is none."""
        found = np.zeros(cells, np.int8)
        own = self.signs[:, 0] == sign
        np.maximum.at(found, self.at[own], self.units[own])
        return found


@dataclass(frozen=True, repr=False)
class Reach:
    """How far base cells move already. up, down: int8 (base cells), units that each gets and loses in some table in
    hand, up to the width. most_down: int64 (base cells), what each may lose, at most."""

    up: Steps
    down: Steps
    most_down: Ints


@dataclass(frozen=True)
class Effort:
    """How far is sought what lets an answer be given. bare: base cells without a move, at most. looks: see `search`.
    pursuits: directions of estimates, at most."""

    bare: int
    looks: int
    pursuits: int


def sought_moves(
    ground: Ground, held: Held, wanted: Positions, reach: Reach, effort: Effort, run: Runner
) -> tuple[Moves, Positions]:
    """Moves by which base cells change by the required width, and the base cells for which there were none."""
    width = ground.rule.width
    room = len(wanted) * 2 * (width + 1) + 2  # a move is written before it is known whether it is of use
    members, signs = np.full((room, MEMBERS), -1, np.int32), np.zeros((room, MEMBERS), np.int8)
    units, bare = np.zeros(room, np.int8), np.zeros(min(effort.bare, len(wanted)), np.int32)
    numbers = np.zeros(2, np.int64)
    own = (np.zeros((n, m), np.int64) for n, m in ((MEMBERS, TRIED), (MEMBERS, TRIED), (2, MEMBERS)))
    limits = width, held, ground.base.count, ground.solid, effort.bare, effort.looks
    answers = np.zeros((2, held.number), np.int32)
    now = reach.up, reach.down, reach.most_down
    run(sought, wanted, *now, *limits, members, signs, units, bare, *own, *answers, numbers)
    number, without = numbers.tolist()
    return Moves(members[:number], signs[:number], units[:number]), bare[:without]
