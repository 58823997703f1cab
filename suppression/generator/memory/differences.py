"""Pairs of sums whose difference is a small set of units."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.cells import Cells
from tableseal.suppression.generator.memory.ground import Ground, Marks
from tableseal.suppression.generator.memory.kernels import nestings


@dataclass(frozen=True, repr=False)
class Nested:
    """Pairs of one cell of a new and one of an earlier answer, the larger one with a small set besides.

    larger, smaller: uint64, marks; their difference is the mark of the small set. differ: bool, they are shown
    differently.
    """

    larger: Marks
    smaller: Marks
    differ: NDArray[np.bool_]


def nested(ground: Ground, answered: Cells, new: Reading, run: Runner) -> Nested:
    """Of a new answer and all earlier ones."""
    out = np.empty((len(new.count) * (len(answered.starts) - 1) + answered.starts[-1], 3), np.int64)
    mine = new.cells, new.order, new.first, new.bases, new.count
    number = run(nestings, *mine, answered.held, ground.threshold, out)
    own, other, is_larger = out[:number].T
    marks, theirs = new.marks[own], answered.marks.array[other]
    larger, smaller = np.where(is_larger == 1, marks, theirs), np.where(is_larger == 1, theirs, marks)
    return Nested(larger, smaller, new.answer.shown[own] != answered.shown.array[other])


def occupied(ground: Ground, pairs: Nested) -> NDArray[np.bool_]:
    """bool (base cells): those that are known not to be empty: two cells differ in them alone, and are shown
    differently."""
    marks, whose = ground.marks_of_small
    found = np.zeros(len(ground.base), np.bool_)
    found[whose[np.isin(marks, (pairs.larger - pairs.smaller)[pairs.differ])]] = True
    return found
