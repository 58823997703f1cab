"""The memory of one audience (a user, a group, the public): what all answers together leave possible.

A pure function of plain arrays: a memory and a further answer give another memory, or what stands against it. What has
to be kept are the questions and the values that were shown (`Remembered`); the rest is made of these and the hypercube.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.hypercube.model import Ints
from tableseal.suppression.generator.memory.answers import Reading, Remembered
from tableseal.suppression.generator.memory.cells import Cells
from tableseal.suppression.generator.memory.differences import nested, occupied, viewed
from tableseal.suppression.generator.memory.ground import Ground, Marks, Positions
from tableseal.suppression.generator.memory.kernels import longer, nestings, pair
from tableseal.suppression.generator.memory.moves import Move, Moves, Seeker
from tableseal.suppression.generator.memory.rows import Grown
from tableseal.suppression.generator.memory.views import Views
from tableseal.suppression.generator.protection import Steps

TOLD = 1
"""Small base cells without a move that are found before an answer is refused."""

NOISE = 1e-9
"""What the arithmetic of precisions may add."""


@dataclass(frozen=True, repr=False)
class Memory:
    """What an audience holds.

    Attributes
    ----------
    cells, more, fewer: of each answer, see `Reading` (answers x base cells). answered: its cells.
    up, down: int8 (base cells), how many units each may get and lose alone with all answers as they are, up to the
    width.
    occupied: bool (base cells), small ones that are known not to be empty, by two cells that differ in them alone.
    moves: of small base cells that may not change alone. views: of small sets.
    """

    ground: Ground
    answers: tuple[Remembered, ...]
    cells: Grown
    more: Grown
    fewer: Grown
    answered: Cells
    up: Steps
    down: Steps
    occupied: NDArray[np.bool_]
    moves: Moves
    views: Views

    @staticmethod
    def empty(ground: Ground) -> "Memory":
        """Nothing was answered."""
        number, width = len(ground.base), ground.rule.width
        cells, reach = Grown.empty((number,), np.int32), Grown.empty((number,), np.int8)
        free = np.full(number, width, np.int8)
        nothing = np.zeros(number, np.bool_)
        return Memory(ground, (), cells, reach, reach, Cells.none(), free, free, nothing, Moves.none(), Views.none())

    @property
    def down_alone(self) -> Steps:
        """int8 (base cells): how many units each may lose alone, as long as what is known to be there stays."""
        return np.minimum(self.down, self.most_down).astype(np.int8)

    @property
    def most_down(self) -> Ints:
        """int64 (base cells): how many units each may lose by any move."""
        found: Ints = self.ground.base.count - self.occupied
        return found


@dataclass(frozen=True, repr=False)
class Against:
    """What stands against an answer (agency knowledge).

    bare: int32, small base cells without another table in hand, the first that were found. seen: uint64, marks of small
    sets of which there would be more views than the policy allows.
    """

    bare: Positions
    seen: Marks


def recall(memory: Memory, answers: Iterable[Remembered]) -> Memory:
    """The memory with further answers that were given: after a restart, by another server, or where memories are put
    together. What they give away already is not refused any more: the base cells concerned have no move."""
    for answer in answers:
        memory, _ = _with(memory, answer, len(memory.ground.small) + 1)
    return memory


def judge(memory: Memory, answer: Remembered) -> Memory | Against:
    """The memory with a further answer, or what stands against it. An answer that was given before adds nothing."""
    if any(_same(answer, one) for one in memory.answers):
        return memory
    found, against = _with(memory, answer, TOLD)
    return found if against is None else against


def _same(one: Remembered, other: Remembered) -> bool:
    if one.question.measure != other.question.measure or one.question.shape != other.question.shape:
        return False
    mine, others = one.question.axes + one.question.where, other.question.axes + other.question.where
    return len(mine) == len(others) and all(
        a.variable == b.variable and np.array_equal(a.of_leaf, b.of_leaf) for a, b in zip(mine, others, strict=True)
    )


def _with(memory: Memory, answer: Remembered, most_bare: int) -> tuple[Memory, Against | None]:
    ground = memory.ground
    reading = Reading.of(ground, answer)
    run = Runner(worth_compiling(len(ground.base) * (len(memory.answers) + 1), nestings, pair, longer))
    pairs = nested(ground, memory.cells.array, memory.answered, reading, run)
    found = replace(
        memory,
        answers=(*memory.answers, answer),
        cells=memory.cells.adding(reading.cells[None]),
        more=memory.more.adding(reading.more[None]),
        fewer=memory.fewer.adding(reading.fewer[None]),
        answered=memory.answered.adding(reading),
        up=np.minimum(memory.up, reading.more),
        down=np.minimum(memory.down, reading.fewer),
        occupied=memory.occupied | occupied(ground, pairs),
    )
    seen = np.zeros(0, np.int64)
    if ground.views is not None:
        views = viewed(ground, memory.views, reading, pairs, found.cells, found.answered)
        known = views.known()
        # What is above the limit already (of answers that were put together) is held against no further one.
        before = np.zeros(len(known))
        before[: memory.views.marks.number] = memory.views.known()
        seen = np.flatnonzero(views.small & (known > ground.views + NOISE) & (known > before + NOISE))
        found = replace(found, views=views)
    moves, bare = _moves(found, reading, run, most_bare)
    found = replace(found, moves=moves)
    return found, Against(bare, found.views.marks.array[seen]) if len(bare) or len(seen) else None


def _moves(memory: Memory, reading: Reading, run: Runner, most_bare: int) -> tuple[Moves, Positions]:
    """The moves that explain a further answer, too, with new ones where they do not, and the small base cells without,
    at most so many."""
    ground, moves = memory.ground, memory.moves
    down, most_down = memory.down_alone, memory.most_down
    kept = moves.explain(reading)
    kept &= (moves.signs[:, 0] > 0) | (moves.units <= most_down[moves.at])
    moves = moves.some(kept)
    number = len(ground.base)
    up = np.maximum(memory.up, moves.units_by(1, number))[ground.small]
    lower = np.maximum(down, moves.units_by(-1, number))[ground.small]
    open_cells = ground.small[up + lower < ground.rule.width]
    seeker = Seeker(ground, memory.cells.array, memory.more.array, memory.fewer.array, run)
    new, hard, bare = list[Move](), list[int](), list[int]()
    for longer_too, cells in ((False, open_cells.tolist()), (True, hard)):
        for b in cells:
            if len(bare) == most_bare:
                break
            found = seeker.seek(b, int(memory.up[b]), int(down[b]), int(most_down[b]), longer_too)
            if found is not None:
                new += found
            else:
                (bare if longer_too else hard).append(b)
    return moves.and_(new), np.array(bare, np.int32)
