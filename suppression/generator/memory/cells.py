"""What all answers hold, one behind the other: their cells, and which cell of each a base cell is in."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.rows import Grown


class Held(NamedTuple):
    """The same for loops. Of base cells (base cells x room for answers): cells, int32; more, fewer, int8. number: of
    answers. Of cells: starts, first, bases, count, int64. order: int32."""

    cells: Any
    more: Any
    fewer: Any
    number: int
    starts: Any
    first: Any
    bases: Any
    count: Any
    order: Any


@dataclass(frozen=True, repr=False)
class Cells:
    """Answered cells, of all answers one behind the other.

    Attributes
    ----------
    cells, more, fewer: see `Reading` (base cells x answers). count, bases: int64, marks: uint64 (see `Reading`), shown:
    int64, of each cell. starts: where those of each answer begin, and the end. order: int32, base cells of each cell
    one behind the other; first: int64 (cells), where they begin.
    """

    cells: Grown
    more: Grown
    fewer: Grown
    count: Grown
    bases: Grown
    marks: Grown
    shown: Grown
    first: Grown
    order: Grown
    starts: tuple[int, ...] = (0,)

    @staticmethod
    def none(base_cells: int) -> "Cells":
        """No answers from so many base cells."""
        whole, steps = Grown.empty((), np.int64), Grown.empty((base_cells,), np.int8)
        positions = Grown.empty((), np.int32)
        cells = Grown.empty((base_cells,), np.int32)
        return Cells(cells, steps, steps, whole, whole, Grown.empty((), np.uint64), whole, whole, positions)

    @property
    def held(self) -> Held:
        """For loops."""
        return Held(
            self.cells.with_room,
            self.more.with_room,
            self.fewer.with_room,
            len(self.starts) - 1,
            np.array(self.starts, np.int64),
            self.first.with_room,
            self.bases.with_room,
            self.count.with_room,
            self.order.with_room,
        )

    def adding(self, new: Reading) -> "Cells":
        """With those of a further answer."""
        return Cells(
            self.cells.adding(new.cells[:, None]),
            self.more.adding(new.more[:, None]),
            self.fewer.adding(new.fewer[:, None]),
            self.count.adding(new.count),
            self.bases.adding(new.bases),
            self.marks.adding(new.marks),
            self.shown.adding(new.answer.shown),
            self.first.adding(self.order.number + new.first),
            self.order.adding(new.order),
            (*self.starts, self.starts[-1] + len(new.count)),
        )

    def without(self, longer: "Cells") -> None:
        """Take back an answer that was added, and is not given."""
        for name in ("cells", "more", "fewer", "count", "bases", "marks", "shown", "first", "order"):
            getattr(self, name).without(getattr(longer, name))
