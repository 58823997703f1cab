"""A withheld cell that stands alone in a relation can be computed: the first cuts, cheap to find."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.decision.cuts import Cut
from audit.decision.equations import Equations


class Lonely:
    """Relations by the cells that stand in them."""

    def __init__(self, equations: Equations) -> None:
        self._rows = csr_array(abs(equations.short.sign()))
        self._cells = equations.cells

    def alone(self, pattern: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """(relation, cell) wherever a withheld cell is the only one in a relation."""
        marked = np.zeros(self._rows.shape[1], np.int64)
        marked[: self._cells] = pattern
        count = self._rows @ marked
        where = self._rows @ (marked * np.arange(len(marked)))
        rows = np.flatnonzero(count == 1)
        return list(zip(rows.tolist(), where[rows].tolist(), strict=True))

    def others(self, relation: int, cell: int) -> NDArray[np.int64]:
        """The other cells of a relation."""
        cells = self._rows.indices[self._rows.indptr[relation] : self._rows.indptr[relation + 1]].astype(np.int64)
        others: NDArray[np.int64] = cells[cells != cell]
        return others

    def cut(self, relation: int, cell: int) -> Cut:
        """A sensitive cell needs another one in each of its relations."""
        others = self.others(relation, cell)
        return Cut(others, np.ones(len(others), np.int64), 1)
