"""What hangs together once published base cells are put in, with no other bounds than released ones.

Propagated column bounds and eliminated columns, which make bounding fast, are no released statements; here nothing of
them is left, so that multipliers of rows turn into multipliers of statements by plain algebra.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.unfold import Multipliers, Weights, add_row, nonzero, singleton_places, through_singletons
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import csr, empty, entries, row_of_entries, rows_at


class Area:
    """One connected part, or several of them side by side.

    component: its rows and columns; bounds of columns say only that no value is negative.
    rows, columns: positions in the differenced and in the whole system.
    """

    def __init__(self, component: Component, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        self.component, self.rows, self.columns = component, rows, columns

    def own(self, forms: csr_array) -> csr_array:
        """Forms over columns of the system, all of them the area's, over these alone."""
        at = np.searchsorted(self.columns, forms.indices)
        return csr(forms.data, at, forms.indptr, (forms.shape[0], len(self.columns)))


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
        self._label = label[:columns]
        self._order, self._row_order = (np.argsort(own, kind="stable") for own in (self._label, label[columns:]))
        self._sorted, self._sorted_rows = self._label[self._order], label[columns:][self._row_order]
        self._found: dict[tuple[int, ...], Area] = {}
        self.whole = self._component(self._matrix, self._lower, self._upper)

    def divided(self, forms: csr_array) -> list[Area | None]:
        """The area of each form over open columns; None where it has none."""
        label, row = self._label[forms.indices].astype(np.int64), row_of_entries(forms)
        pairs = np.unique(np.stack([row, label]), axis=1) if len(row) else np.empty((2, 0), np.int64)
        start = np.searchsorted(pairs[0], np.arange(forms.shape[0] + 1)).tolist()
        labels = pairs[1].tolist()
        return [self._of(tuple(labels[a:b])) for a, b in pairwise(start)]

    def of(self, columns: NDArray[np.int64]) -> Area | None:
        """The area that some columns lie in; None if all of them are published."""
        return self._of(tuple(np.unique(self._label[columns[~self._known[columns]]]).tolist()))

    def _of(self, labels: tuple[int, ...]) -> Area | None:
        if labels and labels not in self._found:
            self._found[labels] = self._area(labels)
        return self._found.get(labels)

    def _area(self, labels: tuple[int, ...]) -> Area:
        columns = _members(self._sorted, self._order, labels)
        rows = _members(self._sorted_rows, self._row_order, labels)
        own = rows_at(self._matrix, rows)
        at = np.searchsorted(columns, own.indices)
        matrix = csr(own.data, at, own.indptr, (len(rows), len(columns)))
        return Area(self._component(matrix, self._lower[rows], self._upper[rows]), rows, columns)

    def _component(self, matrix: csr_array, lower: NDArray[np.int64], upper: NDArray[np.int64]) -> Component:
        """Rows over columns of which it is known at most that they are not negative."""
        count = matrix.shape[1]
        low = np.full(count, 0 if self._nonnegative else NO_LOWER, np.int64)
        return Component(matrix, lower, upper, low, np.full(count, NO_UPPER, np.int64), empty(count))

    def open_part(self, forms: csr_array) -> tuple[csr_array, NDArray[np.int64]]:
        """(whole-numbered forms without published columns, int64 (forms) what those add)."""
        gone = self._known[forms.indices]
        return entries(forms, ~gone), product(entries(forms, gone), self._value)

    def published(self, form: Multipliers) -> Multipliers:
        """What a form has on published columns."""
        return {c: weight for c, weight in form.items() if self._known[c]}

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
    """Members of some labels. label: in increasing order, of the members `order`."""
    start = np.searchsorted(label, wanted, side="left")
    end = np.searchsorted(label, wanted, side="right")
    return np.sort(np.concatenate([order[a:b] for a, b in zip(start, end, strict=True)])).astype(np.int64)
