"""Bounds of columns from one row after another, with the multipliers that prove them: most ends need no solver.

Propagation (the shuttle algorithm of Buzzigoli and Giusti, 1999) over real values: a bound rests on one row and on
bounds of the row's other columns that were known a round before. Taken back round by round, that is a combination of
rows; nothing is rounded on the way, so that the combination proves the bound by itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Multipliers
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.sparse import row_of_entries

ROUNDS = 8
"""Rounds after which it is left to other methods (3d20: 1,187 of 1,529 ends need one round, all but a few four)."""

LARGE = 2**50
"""Bounds from which no further round is made: 64 bits must hold sums of them."""

Ints = NDArray[np.int64]


class Propagated:
    """What propagation proves of forms over one component.

    Sides of columns are 0 (x is at least low[0]) and 1 (-x is at least low[1]).
    """

    def __init__(self, component: Component) -> None:
        self._matrix, self._row = component.matrix, row_of_entries(component.matrix)
        self._ends = component.lower, np.where(component.upper == NO_UPPER, NO_LOWER, -component.upper)
        high = component.column_upper
        self._low = np.stack([component.column_lower, np.where(high == NO_UPPER, NO_LOWER, -high)])
        self._length = np.diff(self._matrix.indptr)
        # Of each round (2 x columns): the row that a better bound rests on, -1: none is better.
        self._rows: list[Ints] = []
        self._found: dict[tuple[int, int, int], dict[int, int]] = {}

    def prove(self, forms: csr_array, targets: Ints) -> list[Multipliers | None]:
        """Multipliers for form @ x >= target of each form (csr int64, forms x columns); None where there are none."""
        found: list[Multipliers | None] = [None] * len(targets)
        left = np.arange(len(targets))
        for made in range(ROUNDS + 1):
            reached = self._value(forms)[left] >= targets[left]
            for f in left[reached].tolist():
                found[f] = self._multipliers(forms, f, made)
            left = left[~reached]
            if len(left) == 0 or not self._round():
                break
        return found

    def _value(self, forms: csr_array) -> Ints:
        """What the bounds of columns make of the forms; NO_LOWER: nothing."""
        side = (forms.data < 0).astype(np.int64)
        low = self._low[side, forms.indices]
        none = _summed((low == NO_LOWER).astype(np.int64), forms.indptr) > 0
        value: Ints = _summed(np.abs(forms.data) * np.where(low == NO_LOWER, 0, low), forms.indptr)
        return np.where(none, NO_LOWER, value)

    def _round(self) -> bool:
        """Better bounds from each row; False if there are none."""
        known = self._low != NO_LOWER
        heaviest = int(_summed(np.abs(self._matrix.data), self._matrix.indptr).max(initial=1))
        if int(np.abs(np.where(known, self._low, 0)).max(initial=0)) * heaviest >= LARGE:
            return False
        better = self._low.copy()
        chosen = np.full(better.shape, -1, np.int64)
        for way, end in ((1, self._ends[0]), (-1, self._ends[1])):
            self._through(way, end, better, chosen)
        if (chosen < 0).all():
            return False
        self._low = better
        self._rows.append(chosen)
        return True

    def _through(self, way: int, end: Ints, better: Ints, chosen: Ints) -> None:
        """Improve bounds by way * row @ x >= end: what the other columns take at most is taken off."""
        matrix, row = self._matrix, self._row
        entry, column = way * matrix.data, matrix.indices
        others = (entry > 0).astype(np.int64)  # -entry * x is bounded by this side of x
        low = self._low[others, column]
        none = low == NO_LOWER
        part = np.where(none, 0, np.abs(entry) * np.where(none, 0, low))
        lacking = _summed(none.astype(np.int64), matrix.indptr)[row] - none
        usable = np.flatnonzero((lacking == 0) & (end[row] != NO_LOWER) & (np.abs(entry) == 1))
        value = (end[row] + _summed(part, matrix.indptr)[row] - part)[usable]
        side, at, by = 1 - others[usable], column[usable], row[usable]
        place = side * matrix.shape[1] + at
        order = np.lexsort((by, self._length[by], -value, place))  # the best, of these the shortest row
        first = order[np.flatnonzero(np.diff(place[order], prepend=-1))]
        first = first[value[first] > better[side[first], at[first]]]
        better[side[first], at[first]] = value[first]
        chosen[side[first], at[first]] = by[first]

    def _multipliers(self, forms: csr_array, f: int, made: int) -> Multipliers:
        span = slice(forms.indptr[f], forms.indptr[f + 1])
        total: dict[int, int] = {}
        for column, weight in zip(forms.indices[span].tolist(), forms.data[span].tolist(), strict=True):
            _add(total, self._of(int(weight < 0), column, made), abs(weight))
        rows = sorted(row for row, factor in total.items() if factor)
        return Multipliers(np.array(rows, np.int64), np.array([total[row] for row in rows], np.int64))

    def _of(self, side: int, column: int, made: int) -> dict[int, int]:
        """Multipliers of the bound on one side of a column after some rounds."""
        while made and self._rows[made - 1][side, column] < 0:
            made -= 1
        if not made:
            return {}
        key = side, column, made
        if key not in self._found:
            row = int(self._rows[made - 1][side, column])
            span = slice(self._matrix.indptr[row], self._matrix.indptr[row + 1])
            columns, entries = self._matrix.indices[span].tolist(), self._matrix.data[span].tolist()
            factor = (1 - 2 * side) * entries[columns.index(column)]
            total = {row: factor}
            # In the first round the others have nothing but their own bounds.
            for other, entry in zip(columns, entries, strict=True) if made > 1 else ():
                if other != column:
                    _add(total, self._of(int(factor * entry > 0), other, made - 1), abs(entry))
            self._found[key] = total
        return self._found[key]


def _add(total: dict[int, int], more: dict[int, int], times: int) -> None:
    for row, factor in more.items():
        total[row] = total.get(row, 0) + times * factor


def _summed(values: Ints, start: Sequence[int] | NDArray[np.integer]) -> Ints:
    """Sums of the values of each row of a csr matrix with these row starts."""
    total: Ints = np.append(0, np.cumsum(values))
    start = np.asarray(start)
    result: Ints = total[start[1:]] - total[start[:-1]]
    return result
