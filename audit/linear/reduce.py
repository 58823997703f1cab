"""From the released system to what is still open: equations first, then bounds, then connected components."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from audit.linear.difference import Differenced
from audit.linear.exact import Echelon, echelon
from audit.linear.integers import NO_LOWER, NO_UPPER, product
from audit.linear.propagate import InfeasibleError, propagate


@dataclass(frozen=True)
class Part:
    """One connected part of the equations: its columns (positions in the system) and what elimination found."""

    columns: NDArray[np.int64]
    echelon: Echelon


@dataclass(frozen=True)
class Reduced:
    """The open rest of a system.

    Attributes
    ----------
    value, fixed: int64, bool (columns of the system): columns with a single value left, by equations or by bounds.
    matrix, lower, upper: the rows that still say something, over all columns; fixed columns are gone from them.
    column_lower, column_upper: bounds that hold for every real solution.
    part_of: int64 (columns): position in `parts` of an unfixed-by-singletons column, -1 otherwise.
    parts: elimination of the equations, part by part.
    rank: rank of all equations of the system.
    singletons: (column, differenced row, entry) of every column that an equation with nothing else left gave, in order.
    component: int64 (columns): label of the open component, -1 for fixed columns.
    """

    value: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    column_lower: NDArray[np.int64]
    column_upper: NDArray[np.int64]
    part_of: NDArray[np.int64]
    parts: tuple[Part, ...]
    rank: int
    singletons: tuple[tuple[int, int, int], ...]
    component: NDArray[np.int64]
    components: int


@dataclass
class _Work:
    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    row: NDArray[np.int64]
    """Which row of the differenced system each row was."""
    value: NDArray[np.int64]
    fixed: NDArray[np.bool_]

    def fix(self, columns: NDArray[np.int64], values: NDArray[np.int64]) -> None:
        """Put values in for columns and drop rows that say nothing more."""
        self.value[columns], self.fixed[columns] = values, True
        known = np.zeros_like(self.value)
        known[columns] = values
        moved = product(self.matrix, known)
        self.lower = np.where(self.lower == NO_LOWER, NO_LOWER, self.lower - moved)
        self.upper = np.where(self.upper == NO_UPPER, NO_UPPER, self.upper - moved)
        keep = np.ones(self.matrix.shape[1], np.int64)
        keep[columns] = 0
        self.matrix = csr_array(self.matrix.multiply(keep.reshape(1, -1)).tocsr())
        self.drop_empty()

    def drop_empty(self) -> None:
        """Drop rows without entries after checking that they hold."""
        self.matrix.eliminate_zeros()
        filled = np.diff(self.matrix.indptr) > 0
        empty = ~filled
        if ((self.lower[empty] > 0) | (self.upper[empty] < 0)).any():
            raise InfeasibleError
        if empty.any():
            self.matrix = csr_array(self.matrix[filled])
            self.lower, self.upper, self.row = self.lower[filled], self.upper[filled], self.row[filled]


def reduce(differenced: Differenced, *, nonnegative: bool, eliminate: bool = True) -> Reduced:
    """Substitute what the equations determine, then what bounds determine, and split the rest.

    eliminate: False leaves out exact elimination (the rank then counts single-column equations only, and determined
    columns are found by bounds instead).

    Raises
    ------
    InfeasibleError: the system has no solution.
    """
    columns = differenced.matrix.shape[1]
    work = _Work(
        differenced.matrix.copy(),
        differenced.lower.copy(),
        differenced.upper.copy(),
        np.arange(differenced.matrix.shape[0]),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.bool_),
    )
    work.drop_empty()
    singletons = _singletons(work, np.diff(differenced.transform.indptr))
    part_of, parts = _eliminate(work) if eliminate else (np.full(columns, -1, dtype=np.int64), ())
    rank = len(singletons) + sum(p.echelon.rank for p in parts)
    _fix_determined(work, parts)
    if nonnegative and (work.value[work.fixed] < 0).any():
        raise InfeasibleError

    low = np.where(work.fixed, work.value, 0 if nonnegative else NO_LOWER)
    high = np.where(work.fixed, work.value, NO_UPPER)
    low, high = propagate(work.matrix, work.lower, work.upper, low, high, integer=False)
    closed = np.flatnonzero((low == high) & ~work.fixed)
    if len(closed):
        work.fix(closed, low[closed])
    label, count = _components(work.matrix, ~work.fixed)
    return Reduced(
        work.value,
        work.fixed,
        work.matrix,
        work.lower,
        work.upper,
        low,
        high,
        part_of,
        parts,
        rank,
        tuple(singletons),
        label,
        count,
    )


def _singletons(work: _Work, length: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Equations with one column give its value; repeat until there are none.

    length: how many released cells each row combines; of several equations for a column the shortest is kept.
    """
    found: list[tuple[int, int, int]] = []
    while True:
        size = np.diff(work.matrix.indptr)
        rows = np.flatnonzero((size == 1) & (work.lower == work.upper))
        if len(rows) == 0:
            return found
        rows = rows[np.argsort(length[work.row[rows]], kind="stable")]
        at = work.matrix.indptr[rows]
        column, entry = work.matrix.indices[at].astype(np.int64), work.matrix.data[at]
        quotient, rest = np.divmod(work.lower[rows], entry)
        if rest.any():
            raise InfeasibleError  # a value between two multiples of the unit
        column, first = np.unique(column, return_index=True)
        found += zip(column.tolist(), work.row[rows[first]].tolist(), entry[first].tolist(), strict=True)
        work.fix(column, quotient[first])


def _components(matrix: csr_array, open_columns: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Label of each open column's component (columns joined by a row), -1 for the others."""
    rows, columns = matrix.shape
    row = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    graph = coo_array(
        (np.ones(len(row), np.int8), (row + columns, matrix.indices)), shape=(rows + columns, rows + columns)
    )
    _, label = connected_components(graph, directed=False)
    label = label[:columns]
    used, compact = np.unique(label[open_columns], return_inverse=True)
    result = np.full(columns, -1, dtype=np.int64)
    result[open_columns] = compact
    return result, len(used)


def _eliminate(work: _Work) -> tuple[NDArray[np.int64], tuple[Part, ...]]:
    """Exact elimination of the equations, connected part by connected part."""
    equations = np.flatnonzero(work.lower == work.upper)
    matrix = csr_array(work.matrix[equations])
    part_of = np.full(matrix.shape[1], -1, dtype=np.int64)
    if len(equations) == 0:
        return part_of, ()
    touched = np.zeros(matrix.shape[1], np.bool_)
    touched[matrix.indices] = True
    label, count = _components(matrix, touched)
    row_label = label[matrix.indices[matrix.indptr[:-1]]]
    order_rows = np.argsort(row_label, kind="stable")
    row_start = np.searchsorted(row_label[order_rows], np.arange(count + 1))
    open_columns = np.flatnonzero(touched)
    order_columns = open_columns[np.argsort(label[open_columns], kind="stable")]
    column_start = np.searchsorted(label[order_columns], np.arange(count + 1))
    parts = []
    for k in range(count):
        rows = order_rows[row_start[k] : row_start[k + 1]]
        columns = np.sort(order_columns[column_start[k] : column_start[k + 1]])
        part_of[columns] = k
        local = csr_array(matrix[rows][:, columns])
        found = echelon(local, work.lower[equations[rows]])
        if not found.consistent:
            raise InfeasibleError
        parts.append(Part(columns, found))
    return part_of, tuple(parts)


def _fix_determined(work: _Work, parts: tuple[Part, ...]) -> None:
    columns, values = [], []
    for part in parts:
        for column, value in part.echelon.determined().items():
            if value.denominator != 1:
                raise InfeasibleError
            columns.append(int(part.columns[column]))
            values.append(int(value))
    if columns:
        work.fix(np.array(columns, dtype=np.int64), np.array(values, dtype=np.int64))
