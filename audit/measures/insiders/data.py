"""What the agency knows of contributors, looked up for the insider audit."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.bounds.engine import CellBounds
from audit.linear.cells import Cells
from audit.measures.insiders.formulas import End
from audit.model import Release, Status
from audit.prepare import Prepared
from audit.rules.contributions import Contributions
from audit.rules.facts import Facts


def _is_one(low: End, high: End) -> bool:
    return low is not None and low == high


class Data:
    """A prepared release by its open cells.

    targets: positions (among the open cells) of the withheld cells that outsiders cannot compute.
    """

    def __init__(self, prepared: Prepared, found: CellBounds) -> None:
        self.prepared = prepared
        self.release: Release = prepared.release
        self.cells: Cells = prepared.cells
        self.open_cells = prepared.system.open_cells
        status = self.cells.status[self.open_cells]
        exposed = np.array(
            [b.lower.outer is not None and b.lower.outer == b.upper.outer for b in found.bounds], np.bool_
        )
        self.targets = np.flatnonzero((status >= Status.SECONDARY) & ~exposed)

    @cached_property
    def is_count(self) -> NDArray[np.bool_]:
        """bool (cells), of a count."""
        kinds = np.array([m.kind == "count" for m in self.release.measures.values()], np.bool_)
        result: NDArray[np.bool_] = kinds[self.cells.measure]
        return result

    @cached_property
    def contributors(self) -> NDArray[np.int64]:
        """int64 (cells), number of contributors where it is known, -1 elsewhere; of a count the value itself."""
        cells = self.cells
        counts = np.where(cells.truth.known, cells.truth.units, -1)
        listed = np.where(cells.frequency.known, cells.frequency.units, -1)
        return np.where(self.is_count, counts, listed)

    @cached_property
    def contributions(self) -> Contributions | None:
        """Contributor by contributor, from the microdata."""
        return Facts(self.release, self.cells).contributions

    def contribution(self, rank: int, cell: int) -> int | None:
        """The (rank + 1)-th largest contribution to a cell, None where it is not known."""
        return self.cells.contributors[rank].get(cell) if rank < len(self.cells.contributors) else None

    def nested(self, one: int, other: int) -> bool:
        """True if one of two open cells is part of the other. By codes: linked cells may be written over different base
        tables."""
        a, b = int(self.open_cells[one]), int(self.open_cells[other])
        if self.cells.measure[a] != self.cells.measure[b]:
            return False
        inside = around = True
        for v, hierarchy in enumerate(self.release.variables.values()):
            part, whole = (set(hierarchy.members[[int(self.cells.codes[c, v])]].indices.tolist()) for c in (a, b))
            inside &= part <= whole
            around &= part >= whole
        return inside or around
