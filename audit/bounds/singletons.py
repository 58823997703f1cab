"""Published base cells put in, and taken out again: short rows without them, and multipliers that account for them."""

from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.linear.difference import Differenced
from audit.linear.integers import NO_LOWER, NO_UPPER, product
from audit.linear.reduce import Reduced

Sparse = dict[int, Fraction]
"""Position (row or column) -> coefficient."""


def subtract(target: Sparse, matrix: csr_array, row: int, factor: Fraction) -> None:
    """target -= factor * row."""
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    for column, entry in zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True):
        target[column] = target.get(column, Fraction(0)) - factor * entry


class Singletons:
    """Columns that equations with nothing else left give, one after another.

    known: bool (columns of the system).
    """

    def __init__(self, differenced: Differenced, reduced: Reduced) -> None:
        self._differenced, self._equations = differenced, reduced.singletons
        self._order = {column: k for k, (column, _, _) in enumerate(reduced.singletons)}
        self.known = np.zeros(len(reduced.value), np.bool_)
        self.known[list(self._order)] = True
        self._value = np.where(self.known, reduced.value, 0)

    def without(
        self, matrix: csr_array, lower: NDArray[np.int64], upper: NDArray[np.int64]
    ) -> tuple[csr_array, NDArray[np.int64], NDArray[np.int64]]:
        """Rows over the other columns, and what the values put in leave of their bounds."""
        rest = csr_array(matrix.multiply((~self.known).astype(np.int64).reshape(1, -1)).tocsr())
        rest.eliminate_zeros()
        moved = product(matrix, self._value)
        low = np.where(lower == NO_LOWER, NO_LOWER, lower - moved)
        return rest, low, np.where(upper == NO_UPPER, NO_UPPER, upper - moved)

    def account(self, left: Sparse, total: Sparse) -> None:
        """Write known columns as combinations of system rows.

        left: coefficients of known columns; used up. total: multipliers of system rows, to which the combinations are
        added.
        """
        # Latest first: a column's equation holds only columns that were known before it.
        queue = [-self._order[c] for c in left]
        heapify(queue)
        while queue:
            column, row, entry = self._equations[-heappop(queue)]
            factor = left.pop(column) / entry
            if not factor:
                continue
            span = slice(self._differenced.matrix.indptr[row], self._differenced.matrix.indptr[row + 1])
            for other in self._differenced.matrix.indices[span].tolist():
                if other != column and other not in left:
                    heappush(queue, -self._order[other])
            subtract(left, self._differenced.matrix, row, factor)
            left.pop(column, None)
            subtract(total, self._differenced.transform, row, -factor)
