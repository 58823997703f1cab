"""The memory of one audience (a user, a group, the public): what all answers together leave possible.

A pure function of plain arrays: a memory and a further answer give another memory, or what stands against it. What has
to be kept are the questions and the values that were shown (`Remembered`); the rest is made of these and the hypercube.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.hypercube.model import Ints
from tableseal.audit.hypercube.question import cells_of
from tableseal.suppression.generator.memory.answers import Reading, Remembered
from tableseal.suppression.generator.memory.cells import Cells
from tableseal.suppression.generator.memory.contributors import Known
from tableseal.suppression.generator.memory.differences import nested, occupied
from tableseal.suppression.generator.memory.estimates import Estimates, with_answer
from tableseal.suppression.generator.memory.gradients import add_up, descend, seen_of_each, slopes
from tableseal.suppression.generator.memory.ground import Ground, Positions
from tableseal.suppression.generator.memory.inverse import lowered, shared_across
from tableseal.suppression.generator.memory.kernels import explained, nestings
from tableseal.suppression.generator.memory.moves import Effort, Moves, Reach, sought_moves
from tableseal.suppression.generator.memory.nearby import seen_of, shared, solved, squares
from tableseal.suppression.generator.memory.search import sought
from tableseal.suppression.generator.protection import Steps

TOLD = 1
"""Small base cells without a move that are found before an answer is refused."""

LOOKS = 200_000
"""Of the search for moves that explain one answer (see `search`), after which it is refused."""

PASSES = 16
"""So often at least everything is looked at in a search."""

ALL = 2**62
"""No limit on work."""

USUAL, NEAR = Effort(TOLD, LOOKS, ALL), Effort(TOLD, LOOKS // 20, 0)
"""For a table that was asked for, and for those near one. What passes with less passes with more."""

LOOPS = (
    nestings,
    explained,
    sought,
    seen_of,
    shared,
    solved,
    squares,
    seen_of_each,
    add_up,
    slopes,
    descend,
    lowered,
    shared_across,
)

NOBODY = np.zeros(0, np.int64)

NOISE = 1e-9
"""What the arithmetic of precisions may add."""


@dataclass(frozen=True, repr=False)
class Memory:
    """What an audience holds.

    Attributes
    ----------
    answered: cells of all answers that are counts.
    up, down: int8 (base cells), how many units each may get and lose alone with all answers as they are, up to the
    width.
    occupied: bool (base cells), small ones that are known not to be empty, by two cells that differ in them alone.
    lost: bool (base cells), small ones of which answers that were put together leave no other table in hand.
    moves: of small base cells that may not change alone. estimates: how well small ones may be known.
    known: measure -> what sums say of its contributors.
    """

    ground: Ground
    answers: tuple[Remembered, ...]
    answered: Cells
    up: Steps
    down: Steps
    occupied: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    moves: Moves
    estimates: Estimates
    known: Mapping[str, Known] = field(default_factory=dict)

    @staticmethod
    def empty(ground: Ground) -> "Memory":
        """Nothing was answered."""
        number, width = len(ground.base), ground.rule.width
        free = np.full(number, width, np.int8)
        nothing = np.zeros(number, np.bool_)
        return Memory(
            ground, (), Cells.none(number), free, free, nothing, nothing, Moves.none(), Estimates.none(ground)
        )

    def forget(self, longer: "Memory") -> None:
        """Take back what was added to this memory, and is not wanted: nobody may use the longer one any more."""
        self.answered.without(longer.answered)
        self.estimates.rows.without(longer.estimates.rows)

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

    bare: int32, small base cells without another table in hand, the first that were found. seen: int32, small
    base cells that somebody might estimate better than the policy allows. contributors: int64, those of whom more would
    be known than it allows (positions in `Subjects`).
    """

    bare: Positions
    seen: Positions
    contributors: Ints


def recall(memory: Memory, answers: Iterable[Remembered]) -> Memory:
    """The memory with further answers that were given: after a restart, by another server, or where memories are put
    together. What they give away already is held against no further answer."""
    for answer in answers:
        memory, against = _with(memory, answer, Effort(len(memory.ground.small) + 1, ALL, ALL))
        if against is not None and len(against.bare):
            lost = memory.lost.copy()
            lost[against.bare] = True
            memory = replace(memory, lost=lost)
    return memory


def judge(memory: Memory, answer: Remembered, effort: Effort = USUAL) -> Memory | Against:
    """The memory with a further answer, or what stands against it. An answer that was given before adds nothing.

    effort: what takes more is refused.
    """
    if any(answer.identity == one.identity for one in memory.answers):
        return memory
    found, against = _with(memory, answer, effort)
    if against is None:
        return found
    memory.forget(found)
    return against


def _with(memory: Memory, answer: Remembered, effort: Effort) -> tuple[Memory, Against | None]:
    if answer.question.measure is not None:
        return _with_sums(memory, answer, answer.question.measure, effort)
    ground = memory.ground
    reading = Reading.of(ground, answer)
    run = _runner(memory)
    found, seen = replace(memory, answers=(*memory.answers, answer)), ground.small[:0]
    if ground.precision is not None:
        limit, every = ground.precision + NOISE, effort.bare > TOLD
        work = effort.pursuits
        estimates, seen = with_answer(ground, memory.estimates, reading, limit, run, pursuits=work, every=every)
        found = replace(found, estimates=estimates)
        if len(seen) and not every:
            return found, Against(ground.small[:0], seen, NOBODY)
    found = replace(
        found,
        answered=memory.answered.adding(reading),
        up=np.minimum(memory.up, reading.more),
        down=np.minimum(memory.down, reading.fewer),
        occupied=memory.occupied | occupied(ground, nested(ground, memory.answered, reading, run)),
    )
    moves, bare = _moves(found, found.moves.explain(reading, run), run, effort)
    found = replace(found, moves=moves)
    return found, Against(bare, seen, NOBODY) if len(bare) or len(seen) else None


def _with_sums(memory: Memory, answer: Remembered, measure: str, effort: Effort) -> tuple[Memory, Against | None]:
    """With sums: more may be known of contributors, and base cells with a small count not to be empty."""
    ground, known, beyond = memory.ground, memory.known, NOBODY
    contributors = ground.contributors.get(measure)
    if contributors is not None and answer.change is not None:  # else no sums of it are given any more
        before = known.get(measure) or Known.nothing(contributors.subjects)
        after, beyond = contributors.with_answer(ground.marks, before, answer.question, answer.shown, answer.change)
        known = {**known, measure: after}
    told = cells_of(answer.question, ground.base) >= 0
    found = replace(
        memory,
        answers=(*memory.answers, answer),
        known=known,
        occupied=memory.occupied | (told & (ground.base.count < ground.threshold)),
    )
    if len(beyond) and effort.bare <= TOLD:
        return found, Against(ground.small[:0], ground.small[:0], beyond)
    moves, bare = _moves(found, np.ones(len(memory.moves.units), np.bool_), _runner(memory), effort)
    found = replace(found, moves=moves)
    return found, Against(bare, ground.small[:0], beyond) if len(bare) or len(beyond) else None


def worth_loops(base_cells: int, answers: int) -> bool:
    """Whether loops run compiled beside so many answers."""
    return worth_compiling(base_cells * answers * PASSES, *LOOPS)


def _runner(memory: Memory) -> Runner:
    return Runner(worth_loops(len(memory.ground.base), len(memory.answers) + 1))


def _moves(memory: Memory, kept: NDArray[np.bool_], run: Runner, effort: Effort) -> tuple[Moves, Positions]:
    """The moves that explain all answers, with new ones where they do not, and the small base cells without.

    kept: bool (moves), those that explain the latest one.
    """
    ground, moves, most_down = memory.ground, memory.moves, memory.most_down
    kept = kept & ((moves.signs[:, 0] > 0) | (moves.units <= most_down[moves.at]))
    moves = moves.some(kept)
    number = len(ground.base)
    up = np.maximum(memory.up, moves.units_by(1, number))
    down = np.maximum(memory.down_alone, moves.units_by(-1, number))
    wanted = ground.small[((up + down < ground.rule.width) & ~memory.lost)[ground.small]]
    if not len(wanted):
        return moves, wanted
    # Those that most answers hold fast come first, so that a refusal is found soon.
    tight = (memory.answered.more.array[wanted] == 0).sum(axis=1) + (memory.answered.fewer.array[wanted] == 0).sum(
        axis=1
    )
    wanted = wanted[np.argsort(-tight, kind="stable")]
    new, bare = sought_moves(ground, memory.answered.held, wanted, Reach(up, down, most_down), effort, run)
    return moves.and_(new), bare
