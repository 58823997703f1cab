"""Connected parts of a table, each with a model of its own that is kept while patterns change."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.equations import Equations
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 3000
"""Regions that are kept at once."""

ROOMY = 2
SPARE = 50
"""A region is used for a part of it unless it has this many times as many columns, and so many more."""


@dataclass(frozen=True)
class Region:
    """What a model of moves from a table is made of.

    columns, rows: int64, positions among all columns and relations. matrix: int64 csr (rows x columns).
    low, high: float64 (rows), between which the moves of a row must add up. down, up: float64 (columns), how far a
    column can move if it is withheld.
    """

    columns: Ints
    rows: Ints
    matrix: csr_array
    low: Floats
    high: Floats
    down: Floats
    up: Floats


def region_of(equations: Equations, columns: Ints) -> Region:
    """Moves of some columns (int64, ascending) from the true table."""
    rows = np.unique(equations.by_column[columns].indices).astype(np.int64)
    whole = csr_array(equations.matrix[rows])
    lower, upper = equations.lower[rows], equations.upper[rows]
    held = whole @ equations.value
    loose = lower != upper
    low = np.where(loose, np.where(lower == NO_LOWER, -np.inf, (lower - held) * 1.0), 0.0)
    high = np.where(loose, np.where(upper == NO_UPPER, np.inf, (upper - held) * 1.0), 0.0)
    least, most = equations.column_lower[columns], equations.column_upper[columns]
    down, up = room(equations.value[columns], least, most)
    return Region(columns, rows, csr_array(whole[:, columns]), low, high, down, up)


def room(value: Ints, least: Ints, most: Ints) -> tuple[Floats, Floats]:
    """How far values can fall and rise within bounds; infinite without one."""
    down = np.where(least == NO_LOWER, np.inf, (value - least) * 1.0)
    up = np.where(most == NO_UPPER, np.inf, (most - value) * 1.0)
    return down, up


Model = TypeVar("Model")


class Regions(Generic[Model]):
    """Models by the columns that they are about; what is kept changes no answer."""

    def __init__(self, equations: Equations, make: Callable[[Region], Model]) -> None:
        self._equations, self._make = equations, make
        self._owner = np.full(equations.matrix.shape[1], -1, np.int64)
        self._models: list[tuple[int, Model]] = []

    def of(self, columns: Ints) -> Model:
        """A model about these columns (int64, ascending) and perhaps more, which the caller has to hold still."""
        owner = self._owner[columns]
        if owner[0] >= 0 and (owner == owner[0]).all():
            size, kept = self._models[int(owner[0])]
            if size <= ROOMY * len(columns) + SPARE:
                return kept
        if len(self._models) >= MOST:
            self._models.clear()
            self._owner[:] = -1
        self._owner[columns] = len(self._models)
        model = self._make(region_of(self._equations, columns))
        self._models.append((len(columns), model))
        return model
