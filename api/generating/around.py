"""What an audience holds of one base cell: for the agency alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tableseal.audit.hypercube.model import BaseCells, Variable
from tableseal.suppression.generator.memory.memory import Memory


@dataclass(frozen=True)
class Change:
    """A base cell that gets or loses units in another table."""

    codes: tuple[str, ...]
    units: int


@dataclass(frozen=True)
class Around:
    """What stands around a base cell with all answers of an audience.

    Attributes
    ----------
    small: its count is one of those that are protected. up, down: units that it may get and lose alone, up to width,
        the number of further counts that have to stay possible. moves: other tables in hand in which it changes
        together with others. holding: numbers of the answers that hold it, from 0.
    """

    small: bool
    up: int
    down: int
    width: int
    moves: tuple[tuple[Change, ...], ...]
    holding: tuple[int, ...]


def base_cell(base: BaseCells, variables: Sequence[Variable], codes: Sequence[str]) -> int | None:
    """The position of the base cell with these finest codes, one of each variable; None: nobody is counted there, or
    there is no such code."""
    found = np.ones(len(base), np.bool_)
    for variable, column, code in zip(variables, base.codes, codes, strict=True):
        if code not in variable.leaves:
            return None
        found &= column == variable.leaves.index(code)
    return int(np.flatnonzero(found)[0]) if found.any() else None


def around(memory: Memory, cell: int, variables: Sequence[Variable]) -> Around:
    """What stands around the base cell at this position."""
    ground, moves = memory.ground, memory.moves

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
    return Around(
        bool(ground.base.count[cell] < ground.threshold),
        int(memory.up[cell]),
        int(memory.down_alone[cell]),
        ground.rule.width,
        tuple(found),
        tuple(np.flatnonzero(memory.cells.array[:, cell] >= 0).tolist()),
    )
