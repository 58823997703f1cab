"""Answered cells of all answers."""

from dataclasses import dataclass

import numpy as np

from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.rows import Grown


@dataclass(frozen=True, repr=False)
class Cells:
    """Answered cells, of all answers one behind the other. count, bases: int64, marks: uint64 (see `Reading`); shown:
    int64. starts: where those of each answer begin, and the end."""

    count: Grown
    bases: Grown
    marks: Grown
    shown: Grown
    starts: tuple[int, ...] = (0,)

    @staticmethod
    def none() -> "Cells":
        """No answers."""
        whole = Grown.empty((), np.int64)
        return Cells(whole, whole, Grown.empty((), np.uint64), whole)

    def adding(self, reading: Reading) -> "Cells":
        """With those of a further answer."""
        return Cells(
            self.count.adding(reading.count),
            self.bases.adding(reading.bases),
            self.marks.adding(reading.marks),
            self.shown.adding(reading.answer.shown),
            (*self.starts, self.starts[-1] + len(reading.count)),
        )
