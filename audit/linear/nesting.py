"""Which known cells are parts of which: along every grouping of every variable."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.linear.cells import Cells
from audit.linear.keys import KeySpace, Lookup
from audit.model import Release


@dataclass(frozen=True)
class Nesting:
    """One direction in which cells are broken down.

    Attributes
    ----------
    variable, grouping: positions; the direction.
    whole: int64 (known cells): position (among the known cells) of the nearest known cell that contains this one in
        this direction, -1 if there is none. Cells with the same `whole` are disjoint parts of it.
    """

    variable: int
    grouping: int
    whole: NDArray[np.int64]


def nestings(release: Release, cells: Cells, known: NDArray[np.int64]) -> Iterator[Nesting]:
    """Every direction in which at least one of the known cells (positions in `cells`) is part of another."""
    space = KeySpace.of(release)
    measure, codes = cells.measure[known], cells.codes[known]
    lookup = Lookup.of(space.keys(measure, codes))
    for v, hierarchy in enumerate(release.variables.values()):
        for g, parent in enumerate(hierarchy.parents):
            whole = np.full(len(known), -1, dtype=np.int64)
            at = codes[:, v].copy()
            moved = codes.copy()
            todo = np.arange(len(known))
            for _ in range(hierarchy.depth):
                at[todo] = parent[at[todo]]
                todo = todo[at[todo] >= 0]
                if len(todo) == 0:
                    break
                moved[todo, v] = at[todo]
                found = lookup.find(space.keys(measure[todo], moved[todo]))
                whole[todo] = found
                todo = todo[found < 0]
            if (whole >= 0).any():
                yield Nesting(v, g, whole)
