"""Linear programming values of many ends: whole ones in an array, the few others beside it."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

UNKNOWN = NO_LOWER
"""Stands for "not known" among whole values."""


class LinearValues:
    """A value per end where it is known; reads and writes like a list of Fraction | None."""

    def __init__(self, count: int) -> None:
        """Nothing is known of `count` ends."""
        self._whole = np.full(count, UNKNOWN)
        self._other: dict[int, Fraction] = {}

    def __getitem__(self, k: int) -> Fraction | None:
        value = int(self._whole[k])
        return self._other.get(k) if value == UNKNOWN else as_fraction(value)

    def __setitem__(self, k: int, value: Fraction | None) -> None:
        self._other.pop(k, None)
        fits = value is not None and value.denominator == 1 and abs(value) < NO_UPPER
        self._whole[k] = int(value) if fits and value is not None else UNKNOWN
        if value is not None and not fits:
            self._other[k] = value

    def know(self, at: NDArray[np.intp], values: NDArray[np.int64]) -> None:
        """Whole values of several ends, between NO_LOWER and NO_UPPER."""
        self._whole[at] = values
        for k in self._other.keys() & set(at.tolist()) if self._other else ():
            del self._other[k]

    def unknown(self) -> NDArray[np.bool_]:
        """bool (ends): whose value is not known."""
        result: NDArray[np.bool_] = self._whole == UNKNOWN
        result[list(self._other)] = False
        return result

    def listed(self, sign: NDArray[np.int64]) -> list[Fraction | None]:
        """Every value times its sign."""
        found: list[Fraction | None] = list(map(as_fraction, (self._whole * sign).tolist()))
        for k in np.flatnonzero(self._whole == UNKNOWN).tolist():
            other = self._other.get(k)
            found[k] = None if other is None else int(sign[k]) * other
        return found


@lru_cache(maxsize=1 << 16)
def as_fraction(value: int) -> Fraction:
    """A whole number as a fraction; the same ones come again and again."""
    return Fraction(value)
