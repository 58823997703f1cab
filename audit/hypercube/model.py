"""What a hypercube is: units (persons, firms) counted by every combination of the finest codes of its variables."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.contributions import Contributions
from tableseal.audit.model import Measure

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
    sums: measure -> int64 (cells), in whole units of it. contributions: to the measures; None: they are not kept.
    """

    codes: tuple[Codes, ...]
    count: Ints
    keys: Ints
    sums: Mapping[str, Ints] = field(default_factory=dict)
    contributions: Contributions | None = None

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True)
class Hypercube:
    """All that is said of a hypercube besides its cells.

    Attributes
    ----------
    title: of the data. variables: in the order by which cells are sorted. measures: what can be added up besides units.
    modulus: keys of cells are added up modulo this; None: there are none. keys_of: what the keys were made for: records
        (a cell's key is the sum of its records' keys) or base cells, where nothing is known of records.
    impossible: combinations of codes that cannot occur (structural zeros), by the variables that each one names: all
        base cells that have one of the codes of each.
    units: how many are counted in all. cells: that are not empty.
    ranks: so many of the largest contributions to the measures are kept; None: none, nor who contributes.
    """

    title: str
    variables: tuple[Variable, ...]
    measures: Mapping[str, Measure]
    modulus: int | None
    keys_of: Literal["records", "cells"] | None
    impossible: tuple[Mapping[str, tuple[str, ...]], ...]
    units: int
    cells: int
    ranks: int | None = None

    @property
    def combinations(self) -> int:
        """Base cells, empty ones too."""
        return prod(len(variable.leaves) for variable in self.variables)


class Cells(Protocol):
    """Where the base cells of a hypercube are: in memory, or in files."""

    @property
    def about(self) -> Hypercube:
        """What is said of the hypercube."""
        ...

    def parts(self, variables: Collection[int], measures: Collection[str]) -> Iterable[BaseCells]:
        """All cells, a part at a time. Only these variables (positions) and measures need be there; columns of codes of
        others may be empty."""
        ...


@dataclass(frozen=True, repr=False)
class HeldCells:
    """Cells in memory."""

    about: Hypercube
    held: BaseCells

    def parts(self, variables: Collection[int], measures: Collection[str]) -> Iterable[BaseCells]:
        """See `Cells`."""
        return (self.held,)
