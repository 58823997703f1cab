"""What a hypercube is: units (persons, firms) counted by every combination of the finest codes of its variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Level:
    """A way to group the finest codes of a variable.

    Attributes
    ----------
    name: of the level. codes: its codes, in the order of the classification.
    of_leaf: int32 (leaves), the position in `codes` of the code that holds each leaf; -1: none does.
    """

    name: str
    codes: tuple[str, ...]
    of_leaf: Codes = field(repr=False)


@dataclass(frozen=True)
class Variable:
    """A variable. leaves: its finest codes. levels: coarser and finer groupings of them, the coarsest first; the last
    one is the leaves themselves. areas: its codes are places, and tables are judged for each of them."""

    name: str
    leaves: tuple[str, ...]
    levels: tuple[Level, ...] = field(repr=False)
    areas: bool = False


@dataclass(frozen=True, repr=False)
class BaseCells:
    """Cells of the hypercube that are not empty, all of them or a part.

    Attributes
    ----------
    codes: one int32 (cells) for each variable: positions of leaves.
    count: int64 (cells), units, above 0.
    keys: int64 (cells), sum of the units' keys modulo the hypercube's modulus; empty if it has none.
    sums: measure -> int64 (cells), in whole units of it.
    """

    codes: tuple[Codes, ...]
    count: Ints
    keys: Ints
    sums: Mapping[str, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.count)
