"""A column of values that may have gaps, as exact multiples of the unit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIMIT = 2**60
"""Largest multiple of the unit that a single value may be; leaves room for sums in 64 bits, which are checked."""


@dataclass(frozen=True)
class Amounts:
    """Values as whole multiples of a measure's unit.

    Attributes
    ----------
    units: int64 (n,); meaningless (0) where not known.
    known: bool (n,).
    """

    units: NDArray[np.int64]
    known: NDArray[np.bool_]

    def __post_init__(self) -> None:
        self.units.setflags(write=False)
        self.known.setflags(write=False)

    def __len__(self) -> int:
        return len(self.units)

    @staticmethod
    def none(n: int) -> "Amounts":
        """n values, none known."""
        return Amounts(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_))

    @staticmethod
    def of(values: list[int | None]) -> "Amounts":
        """From a list with None for gaps."""
        known = np.array([v is not None for v in values], dtype=np.bool_)
        return Amounts(np.array([v or 0 for v in values], dtype=np.int64), known)

    def take(self, rows: NDArray[np.integer]) -> "Amounts":
        """The values at the given rows."""
        return Amounts(self.units[rows], self.known[rows])

    def get(self, row: int) -> int | None:
        """One value, None if not known."""
        return int(self.units[row]) if self.known[row] else None
