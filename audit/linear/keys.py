"""One key per cell, so that cells of different tables and their parents can be looked up in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Release

Keys = NDArray[np.int64] | NDArray[np.void]


@dataclass(frozen=True)
class KeySpace:
    """Turns (measure, code of every variable) into one sortable key.

    Mixed-radix 64-bit integers where they fit, else the raw bytes of the row.
    """

    sizes: tuple[int, ...]

    @staticmethod
    def of(release: Release) -> "KeySpace":
        """The key space of a release."""
        return KeySpace((len(release.measures), *(len(h.codes) for h in release.variables.values())))

    def keys(self, measure: NDArray[np.int32], codes: NDArray[np.int32]) -> Keys:
        """Key of each row."""
        bits = sum(max(size, 1).bit_length() for size in self.sizes)
        if bits <= 62:
            key = measure.astype(np.int64)
            for position, size in enumerate(self.sizes[1:]):
                key = key * size + codes[:, position]
            return key
        rows = np.ascontiguousarray(np.column_stack([measure, codes]).astype(">i4"))
        return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()


class Named(Protocol):
    """What is said of a cell: a term of a link, an agreement. codes: positions, one for each variable."""

    @property
    def measure(self) -> str: ...
    @property
    def codes(self) -> tuple[int, ...]: ...


def named_keys(release: Release, said: Sequence[Named]) -> Keys:
    """Keys of the cells of which something is said."""
    measures = {name: at for at, name in enumerate(release.measures)}
    return KeySpace.of(release).keys(
        np.array([measures[one.measure] for one in said], np.int32),
        np.array([one.codes for one in said], np.int32).reshape(-1, len(release.variables)),
    )


DENSE = 8
"""Keys are whole numbers up to this many times their count: one array with a place for each is looked up ten times as
fast as a sorted list."""


@dataclass(frozen=True)
class Lookup:
    """Finds positions of keys in a fixed set.

    position: int64, of each key in ascending order; where `ordered` is None, by the key itself, with -1 for no key.
    """

    ordered: Keys | None
    position: NDArray[np.int64]

    @staticmethod
    def of(keys: Keys) -> "Lookup":
        """A lookup over keys; positions refer to this array (the first of equal ones)."""
        if keys.dtype == np.int64 and len(keys) and keys.min() >= 0 and keys.max() < DENSE * len(keys):
            position = np.full(int(keys.max()) + 2, -1)
            position[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
            return Lookup(None, position)
        order = np.argsort(keys, kind="stable")
        return Lookup(keys[order], order.astype(np.int64))

    def find(self, keys: Keys) -> NDArray[np.int64]:
        """Position of each key, -1 where it is not in the set."""
        if self.ordered is None:
            return self.position[np.clip(keys.astype(np.int64), -1, len(self.position) - 1)]
        if len(self.ordered) == 0:
            return np.full(len(keys), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ordered, keys), len(self.ordered) - 1)
        return np.where(self.ordered[at] == keys, self.position[at], -1)
