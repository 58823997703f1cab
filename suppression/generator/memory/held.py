"""What an audience holds of one base cell, and what it would take to learn its count: for the agency alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Variable
from tableseal.suppression.generator.memory.answers import Remembered
from tableseal.suppression.generator.memory.memory import Memory


@dataclass(frozen=True)
class Change:
    """A base cell that gets or loses units in another table."""

    codes: tuple[str, ...]
    units: int


@dataclass(frozen=True)
class Holding:
    """What all answers of an audience together say of one base cell.

    Attributes
    ----------
    small: its count is one of those that are protected. occupied: it is known not to be empty, for two cells that
        differ in it alone are shown differently. views: it is known as by the mean of so many independent changes at
        most; None: it is not looked at, for its count is not small.
    up, down: units that it may get and lose alone, up to width, the number of further counts that have to stay
        possible. moves: other tables in hand, in which it changes together with others.
    answers: numbers of the answers that hold it, from 0.
    """

    small: bool
    occupied: bool
    views: float | None
    up: int
    down: int
    width: int
    moves: tuple[tuple[Change, ...], ...]
    answers: tuple[int, ...]


def base_cell(base: BaseCells, variables: Sequence[Variable], codes: Sequence[str]) -> int | None:
    """The position of the base cell with these finest codes, one of each variable; None: nobody is counted there, or
    there is no such code."""
    found = np.ones(len(base), np.bool_)
    for variable, column, code in zip(variables, base.codes, codes, strict=True):
        if code not in variable.leaves:
            return None
        found &= column == variable.leaves.index(code)
    return int(np.flatnonzero(found)[0]) if found.any() else None


def _holds(answer: Remembered, base: BaseCells, cell: int) -> bool:
    """Whether the base cell is in some cell of an answer."""
    return all(
        one.of_leaf[base.codes[one.variable][cell]] >= 0 for one in (*answer.question.axes, *answer.question.where)
    )


def holding(memory: Memory, cell: int, variables: Sequence[Variable]) -> Holding:
    """What is held of the base cell at this position."""
    ground, moves = memory.ground, memory.moves
    seen = np.flatnonzero(ground.small == cell)

    def change(member: int, units: int) -> Change:
        pairs = zip(variables, ground.base.codes, strict=True)
        return Change(tuple(v.leaves[int(column[member])] for v, column in pairs), units)

    found = [
        tuple(
            change(int(member), int(sign) * int(moves.units[k]))
            for member, sign in zip(moves.members[k], moves.signs[k], strict=True)
            if member >= 0
        )
        for k in np.flatnonzero(moves.at == cell).tolist()
    ]
    return Holding(
        small=bool(ground.base.count[cell] < ground.threshold),
        occupied=bool(memory.occupied[cell]),
        views=float(memory.estimates.known[seen[0]]) if len(seen) else None,
        up=int(memory.up[cell]),
        down=int(memory.down_alone[cell]),
        width=ground.rule.width,
        moves=tuple(found),
        answers=tuple(k for k, one in enumerate(memory.answers) if _holds(one, ground.base, cell)),
    )
