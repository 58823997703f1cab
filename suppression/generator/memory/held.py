"""What an audience holds of a set of base cells, and what it would take to learn its count: for the officer."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tableseal.suppression.generator.memory.memory import Memory


@dataclass(frozen=True)
class Holding:
    """What all answers together say of one base cell (agency knowledge)."""

    count: Annotated[int, "Its true count."]
    answers: Annotated[int, "Answers in which it is in some cell."]
    up: Annotated[int, "So many units more explain all answers, it alone being changed, up to the width."]
    down: Annotated[int, "So many fewer."]
    others: Annotated[
        tuple[tuple[tuple[int, ...], int], ...],
        "The table in hand where it may not change alone: positions of codes of base cells, and the change of each.",
    ]
    occupied: Annotated[bool, "It is known not to be empty: two cells that differ in it alone are shown differently."]
    views: Annotated[float, "It is known as by the mean of so many independent changes of it."]
    tight: Annotated[int, "Answers that show its cell as large, or as small, as it can be shown; of the two the more."]


def holding(memory: Memory, b: int) -> Holding:
    """Of one base cell, by its position."""
    ground, cells = memory.ground, memory.cells.array[:, b]
    at = memory.views.by_mark.find(ground.marks[[b]])[0]
    change: dict[int, int] = {}
    for k in np.flatnonzero(memory.moves.at == b)[:1].tolist():
        for member, sign in zip(memory.moves.members[k].tolist(), memory.moves.signs[k].tolist(), strict=True):
            if member >= 0:
                change[member] = sign * int(memory.moves.units[k])
    tight = [(array.array[:, b] < ground.rule.width).sum() for array in (memory.more, memory.fewer)]
    return Holding(
        count=int(ground.base.count[b]),
        answers=int((cells >= 0).sum()),
        up=int(memory.up[b]),
        down=int(memory.down_alone[b]),
        others=tuple((tuple(int(code[c]) for code in ground.base.codes), units) for c, units in change.items()),
        occupied=bool(memory.occupied[b]),
        views=0.0 if at < 0 else float(memory.views.known()[at]),
        tight=int(max(tight)),
    )
