"""Connected parts of a reduced system, cut out one by one."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import csr, rows_at, spans


class Components:
    """The reduced system in the order of its components: each is cut out at the cost of its own size."""

    def __init__(self, reduced: Reduced) -> None:
        """Sort rows and columns by component."""
        self._reduced = reduced
        matrix = reduced.matrix
        label = reduced.component[matrix.indices[matrix.indptr[:-1]]]
        self._rows, self._row_start = _grouped(label, reduced.components)
        at = np.flatnonzero(reduced.component >= 0)
        columns, self._column_start = _grouped(reduced.component[at], reduced.components)
        self._columns = at[columns]
        self._place = np.zeros(matrix.shape[1], dtype=np.int64)
        self._place[self._columns] = np.arange(len(at)) - self._column_start[reduced.component[self._columns]]
        self._matrix = rows_at(matrix, self._rows)

    def columns(self, c: int) -> NDArray[np.int64]:
        """Columns of component c, in the order in which its tables have them."""
        result: NDArray[np.int64] = self._columns[self._column_start[c] : self._column_start[c + 1]]
        return result

    def component(self, c: int, weights: csr_array, first: int, last: int) -> Component:
        """Component c with the rows first to last - 1 of `weights` (int64 csr over the columns of the system) as
        targets."""
        rows = slice(self._row_start[c], self._row_start[c + 1])
        columns = self.columns(c)
        reduced = self._reduced
        return Component(
            self._local(self._matrix, rows.start, rows.stop, len(columns)),
            reduced.lower[self._rows[rows]],
            reduced.upper[self._rows[rows]],
            reduced.column_lower[columns],
            reduced.column_upper[columns],
            self._local(weights, first, last, len(columns)),
        )

    def columns_of(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many columns some components have."""
        return self._column_start[which + 1] - self._column_start[which]

    def rows_of(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many rows some components have."""
        return self._row_start[which + 1] - self._row_start[which]

    def side_by_side(self, which: NDArray[np.int64], weights: csr_array) -> Component:
        """Some components, in ascending order, as one: columns and rows of the first, of the second, ...

        weights: their targets, over the columns of the system.
        """
        columns = self._columns[spans(self._column_start, which)]
        place = np.zeros(self._matrix.shape[1], np.int64)
        place[columns] = np.arange(len(columns))
        at = spans(self._row_start, which)
        matrix, rows, reduced = rows_at(self._matrix, at), self._rows[at], self._reduced
        return Component(
            csr(matrix.data, place[matrix.indices], matrix.indptr, (len(rows), len(columns))),
            reduced.lower[rows],
            reduced.upper[rows],
            reduced.column_lower[columns],
            reduced.column_upper[columns],
            csr(weights.data, place[weights.indices], weights.indptr, (weights.shape[0], len(columns))),
        )

    def _local(self, matrix: csr_array, first: int, last: int, columns: int) -> csr_array:
        """Some rows, over the columns of their component."""
        indptr = matrix.indptr[first : last + 1]
        span = slice(indptr[0], indptr[-1])
        place = self._place[matrix.indices[span]]
        return csr(matrix.data[span], place, indptr - indptr[0], (last - first, columns))


def _grouped(label: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(positions ordered by label, where each label begins)."""
    order = np.argsort(label, kind="stable")
    return order, np.searchsorted(label[order], np.arange(count + 1))
