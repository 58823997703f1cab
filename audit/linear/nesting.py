"""Which known cells are parts of which: along every grouping of every variable."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.keys import KeySpace, Lookup
from tableseal.audit.model import Release


@dataclass(frozen=True)
class CellCodes:
    """Cells by measure (n,) and codes (n x variables)."""

    measure: NDArray[np.int32]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.measure)


@dataclass(frozen=True)
class Nesting:
    """One direction in which cells are broken down.

    Attributes
    ----------
    variable, grouping: positions; the direction.
    whole: int64 (known cells): the cell that this one is the nearest known part of in this direction, -1 if there is
        none. Cells with the same `whole` are disjoint parts of it.
    """

    variable: int
    grouping: int
    whole: NDArray[np.int64]


def nestings(release: Release, known: CellCodes, wholes: CellCodes | None = None) -> Iterator[Nesting]:
    """Every direction in which at least one known cell is part of another.

    With `wholes`, of cells of that list instead (`whole` is a position there): known cells that equal one of them or
    lie inside it with no other known cell in between.
    """
    space = KeySpace.of(release)
    lookup = Lookup.of(space.keys(known.measure, known.codes))
    targets = None if wholes is None else Lookup.of(space.keys(wholes.measure, wholes.codes))
    for v, hierarchy in enumerate(release.variables.values()):
        for g, parent in enumerate(hierarchy.parents):
            whole = np.full(len(known), -1, dtype=np.int64)
            at = known.codes[:, v].copy()
            moved = known.codes.copy()
            todo = np.arange(len(known))
            if targets is not None:
                whole = targets.find(space.keys(known.measure, moved))
                todo = todo[whole < 0]
            for _ in range(hierarchy.depth):
                at[todo] = parent[at[todo]]
                todo = todo[at[todo] >= 0]
                if len(todo) == 0:
                    break
                moved[todo, v] = at[todo]
                keys = space.keys(known.measure[todo], moved[todo])
                blocked = lookup.find(keys)
                found = blocked if targets is None else targets.find(keys)
                whole[todo] = found
                todo = todo[(found < 0) & (blocked < 0)]
            if (whole >= 0).any():
                yield Nesting(v, g, whole)
