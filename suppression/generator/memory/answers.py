"""Answers as the memory keeps them, and what it makes of each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import Ints
from tableseal.audit.hypercube.question import Question, cells_of
from tableseal.suppression.generator.memory.ground import Ground, Marks
from tableseal.suppression.generator.protection import Steps, reach
from tableseal.suppression.generator.sums import Change


@dataclass(frozen=True, repr=False)
class Remembered:
    """All that has to be kept of an answer; everything else follows from it and the hypercube.

    shown: int64 (cells), as they were published, row by row. change: of sums, how they were changed.
    """

    question: Question
    shown: Ints
    change: Change | None = None

    @cached_property
    def identity(self) -> tuple[object, ...]:
        """The same for all questions of which base cells are in which cell."""
        axes, where = (
            tuple((one.variable, one.of_leaf.tobytes()) for one in group)
            for group in (self.question.axes, self.question.where)
        )
        return axes, where, self.question.measure, self.change


@dataclass(frozen=True, repr=False)
class Reading:
    """An answer seen from the base cells (agency knowledge).

    Attributes
    ----------
    cells: int32 (base cells), the cell that each is in; -1: none. more, fewer: int8 (base cells), how many units its
    cell may get and lose for what is shown of it, up to the width. order: int32, base cells that are in some cell, by
    cell. Of each cell: count: int64, units; bases: int64, base cells that are not empty; marks: uint64, their sum.
    """

    answer: Remembered
    cells: NDArray[np.int32]
    more: Steps
    fewer: Steps
    order: NDArray[np.int32]
    count: Ints
    bases: Ints
    marks: Marks

    @staticmethod
    def of(ground: Ground, answer: Remembered) -> "Reading":
        """What a hypercube says of an answer."""
        cells, width = cells_of(answer.question, ground.base), ground.rule.width
        inside = np.flatnonzero(cells >= 0)
        own, size = cells[inside], answer.question.size
        count = np.bincount(own, ground.base.count[inside], size).astype(np.int64)
        marks = np.zeros(size, np.uint64)
        np.add.at(marks, own, ground.marks[inside])
        more, fewer = reach(ground.protection, count, answer.shown, width)
        free = np.full((2, len(cells)), width, np.int8)
        free[0, inside], free[1, inside] = more[own], fewer[own]
        bases = np.bincount(own, minlength=size)
        # Numbers of 16 bits are sorted by their digits, in a tenth of the time.
        order = inside[np.argsort(own.astype(np.uint16) if size <= 2**16 else own, kind="stable")].astype(np.int32)
        return Reading(answer, cells.astype(np.int32), free[0], free[1], order, count, bases, marks)

    @property
    def first(self) -> Ints:
        """int64 (cells): where the base cells of each begin in `order`."""
        return np.cumsum(self.bases) - self.bases
