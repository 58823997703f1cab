"""From the released system to what is still open: equations first, then bounds, then connected components."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.difference import Differenced
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.linear.graph import connected
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.propagate import Bounds, InfeasibleError, propagate
from tableseal.audit.sparse import csr, entries, rows_at, without_zeros


@dataclass(frozen=True)
class Singletons:
    """Columns that an equation with nothing else left gave, in order.

    column, row, entry: int64; `row` is a row of the differenced system, whose other columns stand earlier in the list.
    """

    column: NDArray[np.int64]
    row: NDArray[np.int64]
    entry: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.column)


@dataclass(frozen=True)
class Reduced:
    """The open rest of a system, and how it came about.

    Columns leave in this order: `singletons`; then those in no singleton that `equations` determine; then those whose
    bounds met. Rows are always rows of the differenced system with the columns that left before put in.

    Attributes
    ----------
    value, fixed: int64, bool (columns of the system): columns with a single value left, by equations or by bounds.
    matrix, lower, upper: the rows that still say something, over all columns; fixed columns are gone from them.
    row: int64 (rows of `matrix`), which row of the differenced system each one is.
    column_lower, column_upper: bounds that hold for every real solution.
    singletons: see there. by_singleton, by_equations: bool (columns), columns that singletons gave; those and the ones
        that elimination gave.
    equations: elimination of what singletons leave of the equations, over all columns; None if it was left out.
    equation_row: int64, which row of the differenced system each of its equations is.
    rank: rank of all equations of the system.
    component: int64 (columns): label of the open component, -1 for fixed columns.
    """

    value: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    row: NDArray[np.int64]
    column_lower: NDArray[np.int64]
    column_upper: NDArray[np.int64]
    singletons: Singletons
    by_singleton: NDArray[np.bool_]
    by_equations: NDArray[np.bool_]
    equations: Elimination | None
    equation_row: NDArray[np.int64]
    rank: int
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
        gone = self.fixed[self.matrix.indices]
        moved = product(entries(self.matrix, gone), self.value)
        self.lower = np.where(self.lower == NO_LOWER, NO_LOWER, self.lower - moved)
        self.upper = np.where(self.upper == NO_UPPER, NO_UPPER, self.upper - moved)
        self.matrix = entries(self.matrix, ~gone)
        self.drop_empty()

    def drop_empty(self) -> None:
        """Drop rows without entries after checking that they hold."""
        filled = np.diff(self.matrix.indptr) > 0
        empty = ~filled
        if ((self.lower[empty] > 0) | (self.upper[empty] < 0)).any():
            raise InfeasibleError
        if empty.any():
            indptr = np.append(self.matrix.indptr[:-1][filled], self.matrix.indptr[-1])
            shape = len(indptr) - 1, self.matrix.shape[1]
            self.matrix = csr(self.matrix.data, self.matrix.indices, indptr, shape)
            self._keep(filled)

    def drop_bounded(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        """Drop rows of one column that its bounds say just as well: what is known of base cells one by one hides no
        network from those who look for one."""
        single = np.flatnonzero(np.diff(self.matrix.indptr) == 1)
        at = self.matrix.indptr[single]
        column, entry = self.matrix.indices[at], self.matrix.data[at]
        unit, same = np.abs(entry) == 1, entry > 0
        least = np.where(same, low[column], -high[column])
        most = np.where(same, high[column], -low[column])
        said = unit & (least >= self.lower[single]) & (most <= self.upper[single])
        if said.any():
            kept = np.ones(len(self.row), np.bool_)
            kept[single[said]] = False
            self.matrix = rows_at(self.matrix, np.flatnonzero(kept))
            self._keep(kept)

    def _keep(self, rows: NDArray[np.bool_]) -> None:
        self.lower, self.upper, self.row = self.lower[rows], self.upper[rows], self.row[rows]


def reduce(
    differenced: Differenced, *, nonnegative: bool, eliminate: bool = True, first: Bounds | None = None
) -> Reduced:
    """Substitute what the equations determine, then what bounds determine, and split the rest.

    eliminate: False leaves out exact elimination (the rank then counts single-column equations only, and determined
    columns are found by bounds instead). first: bounds of columns that are known to hold, to go on from.

    Raises
    ------
    InfeasibleError: the system has no solution.
    """
    columns = differenced.matrix.shape[1]
    work = _Work(
        without_zeros(differenced.matrix),
        differenced.lower,
        differenced.upper,
        np.arange(differenced.matrix.shape[0]),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.bool_),
    )
    work.drop_empty()
    singletons = _singletons(work, np.diff(differenced.transform.indptr))
    by_singleton = work.fixed.copy()
    exact = np.flatnonzero(work.lower == work.upper)
    equation_row = work.row[exact]
    equations = Elimination(rows_at(work.matrix, exact), work.lower[exact]) if eliminate else None
    rank = len(singletons)
    if equations is not None:
        rank += equations.rank
        _fix_determined(work, equations)
    by_equations = work.fixed.copy()
    if nonnegative and (work.value[work.fixed] < 0).any():
        raise InfeasibleError

    least, greatest = first or (np.full(columns, 0 if nonnegative else NO_LOWER), np.full(columns, NO_UPPER))
    low, high = np.where(work.fixed, work.value, least), np.where(work.fixed, work.value, greatest)
    low, high = propagate(work.matrix, work.lower, work.upper, low, high, integer=False)
    closed = np.flatnonzero((low == high) & ~work.fixed)
    if len(closed):
        work.fix(closed, low[closed])
    work.drop_bounded(low, high)
    label, count = _components(work.matrix, ~work.fixed)
    return Reduced(
        value=work.value,
        fixed=work.fixed,
        matrix=work.matrix,
        lower=work.lower,
        upper=work.upper,
        row=work.row,
        column_lower=low,
        column_upper=high,
        singletons=singletons,
        by_singleton=by_singleton,
        by_equations=by_equations,
        equations=equations,
        equation_row=equation_row,
        rank=rank,
        component=label,
        components=count,
    )


def _singletons(work: _Work, length: NDArray[np.int64]) -> Singletons:
    """Equations with one column give its value; repeat until there are none.

    length: how many released cells each row combines; of several equations for a column the shortest is kept.
    """
    found = [(np.empty(0, np.int64),) * 3]
    while True:
        size = np.diff(work.matrix.indptr)
        rows = np.flatnonzero((size == 1) & (work.lower == work.upper))
        if len(rows) == 0:
            return Singletons(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        rows = rows[np.argsort(length[work.row[rows]], kind="stable")]
        at = work.matrix.indptr[rows]
        column, entry = work.matrix.indices[at].astype(np.int64), work.matrix.data[at]
        quotient, rest = np.divmod(work.lower[rows], entry)
        if rest.any():
            raise InfeasibleError  # a value between two multiples of the unit
        column, first = np.unique(column, return_index=True)
        found.append((column, work.row[rows[first]], entry[first]))
        work.fix(column, quotient[first])


def _components(matrix: csr_array, open_columns: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """Label of each open column's component (columns joined by a row), -1 for the others."""
    _, label = connected(matrix)
    used, compact = np.unique(label[open_columns], return_inverse=True)
    result = np.full(matrix.shape[1], -1, dtype=np.int64)
    result[open_columns] = compact
    return result, len(used)


def _fix_determined(work: _Work, equations: Elimination) -> None:
    if not equations.consistent:
        raise InfeasibleError
    columns, values = equations.determined()
    columns, value = columns[values.known], values.whole()
    if len(columns):
        work.fix(columns, value[values.known])
