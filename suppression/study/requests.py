"""Tables that are asked of a generator: a part of the population by some variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Request:
    """A table. where: variable -> position of the code that chooses the population. by: variables that span it."""

    name: str
    where: Mapping[str, int]
    by: tuple[str, ...]

    def tabulated(self, cube: Ints, variables: Sequence[str]) -> Ints:
        """int64 (cells of the table, row by row). cube: int64, an axis for each variable."""
        chosen = cube[tuple(self.where.get(name, slice(None)) for name in variables)]
        left = [name for name in variables if name not in self.where]
        summed = tuple(axis for axis, name in enumerate(left) if name not in self.by)
        kept = [name for name in left if name in self.by]
        table = chosen.sum(axis=summed)
        return np.ascontiguousarray(table.transpose([kept.index(name) for name in self.by])).ravel()
