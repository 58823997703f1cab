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
    """The first so many entries of an array (along its first axis), never changed once they are there. What is added
    goes behind them in place if nobody has added anything there, else into a copy."""

    room: _Room
    number: int

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: type[np.generic]) -> "Grown":
        """No entries yet. shape: of one entry."""
        return Grown(_Room(np.empty((0, *shape), dtype), 0), 0)

    @property
    def array(self) -> NDArray[Any]:
        """The entries, not to be written to."""
        return self.room.array[: self.number]

    def adding(self, entries: NDArray[Any]) -> "Grown":
        """With further entries behind these."""
        end = self.number + len(entries)
        room = self.room
        if room.used != self.number or end > len(room.array):
            larger = np.empty((max(end, 2 * self.number, 8), *room.array.shape[1:]), room.array.dtype)
            larger[: self.number] = self.array
            room = _Room(larger, self.number)
        room.array[self.number : end] = entries
        room.used = end
        return Grown(room, end)
