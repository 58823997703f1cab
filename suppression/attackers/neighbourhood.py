"""Which cells hang together under a pattern, as the audit of insiders sees it.

An insider is asked about the cells that hang together with what it knows and others do not. What the audit calls so
follows from its own reduction: from the short rows that it makes of a release, and from what these and bounds
determine. The relations of a search do not tell that, so it is asked in the same way here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.neighbourhood import Neighbourhood
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.model import Release
from tableseal.audit.prepare import prepare
from tableseal.audit.reduction import reduction
from tableseal.suppression.problem.places import Places
from tableseal.suppression.protections.apply import protected_release


class PatternNeighbourhood:
    """Of a release under one pattern."""

    def __init__(
        self, release: Release, cells: Cells, places: Places, primary: NDArray[np.bool_], pattern: NDArray[np.bool_]
    ) -> None:
        """primary: bool (cells), those that are asked about; pattern: bool (cells), all withheld ones."""
        protected = protected_release(release, cells, primary, pattern)
        listed, _ = merge_cells(protected)
        prepared = prepare(protected, listed)
        open_cells = prepared.system.open_cells
        keys = zip(listed.measure[open_cells].tolist(), map(tuple, listed.codes[open_cells].tolist()), strict=True)
        self._cell = np.array([places.at(*key) for key in keys], np.int64)
        self._place = {cell: place for place, cell in enumerate(self._cell.tolist())}
        targets = np.flatnonzero(primary[self._cell])
        self._neighbourhood = Neighbourhood(reduction(prepared), prepared.system.forms, targets)

    def near(self, known: Sequence[int]) -> NDArray[np.int64]:
        """int64, sensitive cells that hang together with what is known of some cells."""
        return self._cell[self._neighbourhood.of([self._place[cell] for cell in known if cell in self._place])]
