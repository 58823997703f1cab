"""What hangs together once published base cells are put in, with no other bounds than released ones.

Propagated column bounds and eliminated columns, which make bounding fast, are no released statements; here nothing of
them is left, so that multipliers of rows turn into multipliers of statements by plain algebra.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.unfold import Multipliers, Weights, add_row, nonzero, singleton_places, through_singletons
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import entries


class Area:
    """One connected part, or several of them side by side.

    component: its rows and columns; bounds of columns say only that no value is negative.
    rows, columns: positions in the differenced and in the whole system.
    """

    def __init__(self, component: Component, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        self.component, self.rows, self.columns = component, rows, columns

    def cost(self, form: Multipliers) -> NDArray[np.int64]:
        """The whole-numbered form on the area's columns."""
        cost = np.zeros(len(self.columns), np.int64)
        for column, weight in form.items():
            at = int(np.searchsorted(self.columns, column))
            if at < len(self.columns) and self.columns[at] == column:
                cost[at] = int(weight)
        return cost


class Areas:
    """All areas of one release."""

    def __init__(self, prepared: Prepared, reduced: Reduced) -> None:
        differenced = prepared.differenced
        self._differenced = differenced
        self._nonnegative = prepared.system.nonnegative
        self._reduced, self._known, self._value = reduced, reduced.by_singleton, reduced.value
        self._place = singleton_places(reduced)
        gone = self._known[differenced.matrix.indices]
        moved = product(entries(differenced.matrix, gone), self._value)
        self._matrix = entries(differenced.matrix, ~gone)
        self._lower = np.where(differenced.lower == NO_LOWER, NO_LOWER, differenced.lower - moved)
        self._upper = np.where(differenced.upper == NO_UPPER, NO_UPPER, differenced.upper - moved)
        rows, columns = self._matrix.shape
        row = np.repeat(np.arange(rows), np.diff(self._matrix.indptr))
        ends = (row + columns, self._matrix.indices)
        graph = coo_array((np.ones(len(row), np.int8), ends), shape=(rows + columns, rows + columns))
        _, label = connected_components(graph, directed=False)
        self._label, self._row_label = label[:columns], label[columns:]
        self._order = np.argsort(self._label, kind="stable")
        self._row_order = np.argsort(self._row_label, kind="stable")
        self._found: dict[tuple[int, ...], Area] = {}

    def of(self, columns: NDArray[np.int64]) -> Area | None:
        """The area that some columns lie in; None if all of them are published."""
        open_columns = columns[~self._known[columns]]
        labels = tuple(np.unique(self._label[open_columns]).tolist())
        if not labels:
            return None
        if labels not in self._found:
            self._found[labels] = self._area(labels)
        return self._found[labels]

    def _area(self, labels: tuple[int, ...]) -> Area:
        columns = _members(self._label, self._order, labels)
        rows = _members(self._row_label, self._row_order, labels)
        component = Component(
            csr_array(self._matrix[rows][:, columns]),
            self._lower[rows],
            self._upper[rows],
            np.full(len(columns), 0 if self._nonnegative else NO_LOWER, np.int64),
            np.full(len(columns), NO_UPPER, np.int64),
            csr_array((0, len(columns)), dtype=np.int64),
        )
        return Area(component, rows, columns)

    def constant(self, form: Multipliers) -> int:
        """What published columns add to a whole-numbered form."""
        return sum(int(weight) * int(self._value[c]) for c, weight in form.items() if self._known[c])

    def of_system(self, form: Multipliers, y: Multipliers) -> Multipliers:
        """Multipliers of system rows that stand for the form's published columns and multipliers y of short rows."""
        total: Weights = {}
        left: Weights = dict(form)
        for row, factor in y.items():
            add_row(left, self._differenced.matrix, row, -factor)
            add_row(total, self._differenced.transform, row, factor)
        known: Weights = {c: x for c, x in left.items() if x and self._known[c]}
        for row, weight in through_singletons(self._reduced, self._differenced, known, self._place).items():
            add_row(total, self._differenced.transform, row, weight)
        return nonzero(total)


def _members(label: NDArray[np.int64], order: NDArray[np.int64], wanted: tuple[int, ...]) -> NDArray[np.int64]:
    start = np.searchsorted(label[order], wanted, side="left")
    end = np.searchsorted(label[order], wanted, side="right")
    return np.sort(np.concatenate([order[a:b] for a, b in zip(start, end, strict=True)])).astype(np.int64)
