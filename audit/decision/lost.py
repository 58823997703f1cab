"""What tables in hand show to nobody who knows a set of cells, of many sets and ends at once, and further tables one by
one: as marks, because with few tables nearly all pairs are lost."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.witnesses import FeasibleTable, ends_shown, incidence

TOGETHER = 500
"""Tables that are looked at together."""


class Lost:
    """Pairs of an end and a set of cells of which no table is in hand that meets the end and leaves the set alone."""

    def __init__(self, ends: Ends, known: Sequence[Sequence[int]], tables: Sequence[FeasibleTable], cells: int) -> None:
        """known: sets of cells; tables: those in hand that serve a pattern."""
        self._ends, self._known, self._cells = ends, incidence(known, cells), cells
        self._lost = np.ones((len(ends), len(known)), np.bool_)
        self.add(tables)

    def add(self, tables: Sequence[FeasibleTable]) -> None:
        """Further tables that serve the pattern."""
        for first in range(0, len(tables), TOGETHER):
            some = tables[first : first + TOGETHER]
            of, end = ends_shown(self._ends, some)
            changes = incidence([table.cells for table in some], self._cells)
            moved = np.asarray(csr_array(changes @ self._known.T).todense()) > 0
            start = np.searchsorted(of, np.arange(len(some) + 1))
            for at in range(len(some)):
                self._lost[end[start[at] : start[at + 1]]] &= moved[at]

    def of(self, end: int) -> NDArray[np.bool_]:
        """bool (sets) of an end."""
        own: NDArray[np.bool_] = self._lost[end]
        return own

    def count(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64 (ends): how many sets are lost. wanted: bool (requirements x sets), those that count."""
        return np.array([np.count_nonzero(self._lost[e] & wanted[q]) for e, q in enumerate(self._ends.requirement)])

    def cells(self, sets: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64, the cells of some sets (bool)."""
        return np.unique(self._known[np.flatnonzero(sets)].indices).astype(np.int64)
