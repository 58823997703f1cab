"""Arrays that grow at their end, without being copied each time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class _Room:
    array: NDArray[Any]
    used: int


@dataclass(frozen=True, repr=False)
class Grown:
    """The first so many entries of an array (along its last axis), never changed once they are there. What is added
    goes behind them in place if nobody has added anything there, else into a copy."""

    room: _Room
    number: int

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: type[np.generic]) -> "Grown":
        """No entries yet. shape: of one entry."""
        return Grown(_Room(np.empty((*shape, 0), dtype), 0), 0)

    @property
    def array(self) -> NDArray[Any]:
        """The entries, not to be written to."""
        return self.room.array[..., : self.number]

    @property
    def with_room(self) -> NDArray[Any]:
        """The entries, and room behind them: one block of memory, for loops that know the number."""
        return self.room.array

    def adding(self, entries: NDArray[Any]) -> "Grown":
        """With further entries behind these."""
        end = self.number + entries.shape[-1]
        room = self.room
        if room.used != self.number or end > room.array.shape[-1]:
            larger = np.empty((*room.array.shape[:-1], max(end, 2 * self.number, 8)), room.array.dtype)
            larger[..., : self.number] = self.array
            room = _Room(larger, self.number)
        room.array[..., self.number : end] = entries
        room.used = end
        return Grown(room, end)

    def without(self, longer: "Grown") -> None:
        """Take back what was added to these entries, and is not wanted: its room may be used again."""
        if longer.room is self.room and longer.room.used == longer.number:
            self.room.used = self.number


@dataclass(frozen=True, repr=False)
class NewRows:
    """Rows of A that an answer adds (see `estimates`).

    row: int32 (base cells), which one each is in, from 1 on; 0: none. first: the first one's number; number: how many.
    """

    row: NDArray[np.int32]
    first: int
    number: int
