"""Tables in hand: each shows values that cells can take, in every pattern that withholds what it changes."""

import numpy as np
from numpy.typing import NDArray


class Witnesses:
    """Tables that differ from the true one in a few cells, and satisfy every relation.

    A table serves every pattern that withholds all cells that it changes (whatever else the pattern withholds).
    """

    def __init__(self, cells: int, most: int) -> None:
        self._words = np.empty((0, (cells + 63) // 64), np.uint64)
        self._cells = cells
        self._most = most
        self._changed: list[NDArray[np.int64]] = []
        self._values: list[NDArray[np.int64]] = []

    def __len__(self) -> int:
        return len(self._changed)

    def add(self, changed: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        """A table by the cells that it changes and their values there. The oldest is forgotten where there are too
        many."""
        if len(self) == self._most:
            self._words = self._words[1:]
            del self._changed[0], self._values[0]
        marked = np.zeros(self._words.shape[1] * 64, np.bool_)
        marked[changed] = True
        self._words = np.vstack([self._words, packed(marked)])
        self._changed.append(changed)
        self._values.append(values)

    def reach(
        self, pattern: NDArray[np.bool_], value: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Smallest and largest value of every cell in the tables that serve a pattern, the true table included.

        pattern: bool (cells), withheld. value: int64 (cells), true values.
        """
        low, high = value.copy(), value.copy()
        padded = np.zeros(self._words.shape[1] * 64, np.bool_)
        padded[: self._cells] = pattern
        serving = np.flatnonzero(~(self._words & ~packed(padded)).any(axis=1)).tolist()
        if serving:
            cells = np.concatenate([self._changed[w] for w in serving])
            values = np.concatenate([self._values[w] for w in serving])
            np.minimum.at(low, cells, values)
            np.maximum.at(high, cells, values)
        return low, high


def packed(marked: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """64 marks to a word."""
    return np.packbits(marked).view(np.uint64)
