"""What single relations say: a withheld cell that is alone in one can be computed, and of two each gives the other."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.equations import Equations


class Lonely:
    """Relations by the cells that stand in them."""

    def __init__(self, equations: Equations) -> None:
        self._rows = csr_array(abs(equations.short.sign()))
        self._cells = equations.cells
        self._unseen = equations.always_open.astype(np.int64)
        self._unseen[self._cells :] = 1

    def alone(self, pattern: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """(relation, cell) wherever a withheld cell is the only one in a relation."""
        marked = np.zeros(self._rows.shape[1], np.int64)
        marked[: self._cells] = pattern
        count = self._rows @ marked
        where = self._rows @ (marked * np.arange(len(marked)))
        rows = np.flatnonzero(count == 1)
        return list(zip(rows.tolist(), where[rows].tolist(), strict=True))

    def asked(self, cells: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """(relation, cell) of some cells (bool), in relations of nothing but cells that are published or withheld."""
        plain = np.flatnonzero(self._rows @ self._unseen == 0)
        row, cell = self._rows[plain][:, : self._cells].nonzero()
        kept = cells[cell]
        return list(zip(plain[row[kept]].tolist(), cell[kept].tolist(), strict=True))

    def others(self, relation: int, cell: int) -> NDArray[np.int64]:
        """The other cells of a relation."""
        cells = self._rows.indices[self._rows.indptr[relation] : self._rows.indptr[relation + 1]].astype(np.int64)
        others: NDArray[np.int64] = cells[cells != cell]
        return others

    def cut(self, relation: int, cell: int) -> Cut:
        """A sensitive cell needs another one in each of its relations."""
        others = self.others(relation, cell)
        return Cut(others, np.ones(len(others), np.int64), 1)


class Tied:
    """Withheld cells of which publishing one gives another, through relations that hold two of them."""

    def __init__(self, equations: Equations, asked: NDArray[np.int64]) -> None:
        """asked: int64, cells that must be able to move."""
        equal = np.flatnonzero(equations.lower == equations.upper)
        self._rows = csr_array(abs(csr_array(equations.matrix[equal]).sign()))
        self._always_open, self._cells, self._asked = equations.always_open, equations.cells, asked

    def needed(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (cells): those of a pattern (bool, cells) that give one that must be able to move."""
        open_columns = self._always_open.copy()
        open_columns[: self._cells] |= pattern
        marked = open_columns.astype(np.int64)
        rows = self._rows[np.flatnonzero(self._rows @ marked == 2)]
        ends = rows.indices[open_columns[rows.indices]].reshape(-1, 2)
        graph = coo_array((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(len(marked),) * 2)
        _, label = connected_components(graph, directed=False)
        result = np.isin(label[: self._cells], label[self._asked])
        return result & pattern
