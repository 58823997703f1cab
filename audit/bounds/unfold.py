"""From a proof over the reduced system to the same proof over the rows that the release states.

A lower bound on a form is proved over the reduced system by multipliers on its rows and by the reduced column bounds:
f x >= y (row bounds) + (f - y'A) (column bounds). What the reduction did is undone in turn, each step exactly:

1. a column bound that propagation found is replaced by the row that gave it, which uses earlier bounds of the row's
   other columns, the latest first;
2. columns that elimination determined are replaced by the combination of equations that gives them;
3. columns that a single equation gave are replaced by that equation, the latest first;
4. differenced rows are written as combinations of stated rows.

What is left are multipliers on stated rows, and base cells that are known to be >= 0. Outward rounding of propagated
bounds falls away, so the bound is the same or a better one.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import inf, lcm

import numpy as np
from scipy.sparse import csr_array

from audit.linear.difference import Differenced
from audit.linear.integers import NO_UPPER
from audit.linear.reduce import Reduced
from audit.linear.system import LinearSystem

Multipliers = dict[int, Fraction]
"""Row -> multiplier."""

Weights = dict[int, Fraction | int]
"""Multipliers, or the weights of a form, while they are added up: whole numbers stay integers, which are quicker."""


def entries_of(matrix: csr_array, row: int) -> Iterator[tuple[int, int]]:
    """(column, entry) pairs of one row."""
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)


def _plain(factor: Fraction | int) -> Fraction | int:
    return factor.numerator if factor.denominator == 1 else factor


def add_row(target: Weights, matrix: csr_array, row: int, factor: Fraction | int) -> None:
    """target += factor * row."""
    factor = _plain(factor)
    for column, entry in entries_of(matrix, row):
        target[column] = target.get(column, 0) + factor * entry


def nonzero(weights: Mapping[int, Fraction | int]) -> Multipliers:
    """Those that are not 0, as fractions."""
    return {k: Fraction(v) for k, v in weights.items() if v}


def left_over(system: LinearSystem, form: csr_array, y: Mapping[int, Fraction]) -> Multipliers:
    """form - y @ system.matrix over base cells, exactly. form: (1 x columns)."""
    rest: Weights = dict(entries_of(form, 0))
    for row, factor in y.items():
        add_row(rest, system.matrix, row, -_plain(factor))
    return nonzero(rest)


def proved_bound(
    system: LinearSystem, form: csr_array, y: Mapping[int, Fraction], *, equation: bool = False
) -> Fraction | None:
    """The lower bound on the form that multipliers on stated rows prove, together with base cells >= 0 where they are;
    None if they prove nothing. equation: base cells >= 0 may not be used."""
    rest = left_over(system, form, y)
    if rest and (equation or not system.nonnegative or any(v < 0 for v in rest.values())):
        return None
    total: Fraction | int = 0
    for row, factor in y.items():
        bound = int(system.lower[row] if factor > 0 else system.upper[row])
        if factor and abs(bound) >= NO_UPPER:
            return None
        total += _plain(factor) * bound
    return Fraction(total)


def through_singletons(reduced: Reduced, differenced: Differenced, rest: Weights, order: Mapping[int, int]) -> Weights:
    """Multipliers on differenced rows that take away what a form has on columns that singletons gave.

    rest: column -> weight of such columns (emptied); order: column -> place among the singletons.
    """
    found: Weights = {}
    singletons = reduced.singletons
    # Latest first: a column's equation holds only columns that were known before it.
    queue = [-order[c] for c in rest]
    heapify(queue)
    while queue:
        k = -heappop(queue)
        column, row = int(singletons.column[k]), int(singletons.row[k])
        weight, divisor = rest.pop(column), int(singletons.entry[k])
        if not weight:
            continue
        factor = weight * divisor if abs(divisor) == 1 else Fraction(weight) / divisor
        for other, entry in entries_of(differenced.matrix, row):
            if other != column:
                if other not in rest:
                    heappush(queue, -order[other])
                rest[other] = rest.get(other, 0) - factor * entry
        found[row] = found.get(row, 0) + factor
    return found


class Unfolder:
    """Turns proofs over one reduced system into proofs over the stated rows.

    `reduced` must come from `reduce(..., reasons=True)` of the same differenced system.
    """

    def __init__(self, system: LinearSystem, differenced: Differenced, reduced: Reduced) -> None:
        if reduced.reasons is None:
            raise ValueError("reduce(..., reasons=True) is needed")
        self._system, self._differenced, self._reduced = system, differenced, reduced
        self._reasons = reasons = reduced.reasons
        # Tightenings by column and side, in the order of time.
        side = 2 * reasons.column + reasons.upper
        self._events = np.argsort(side, kind="stable")
        self._start = np.searchsorted(side[self._events], np.arange(2 * len(reduced.fixed) + 1))
        self._order = {column: k for k, column in enumerate(reduced.singletons.column.tolist())}

    def multipliers_of(self, form: csr_array, y: Mapping[int, Fraction]) -> Multipliers:
        """Multipliers on stated rows that prove at least what y proves of the form over the reduced system.

        Parameters
        ----------
        form: int64 (1 x base cells), the whole form with its fixed columns. y: row of `reduced.matrix` -> multiplier;
            the reduced cost of every column (form - y @ reduced.matrix) uses its bound in `reduced.column_lower`, or
            `column_upper` where it is negative. A maximum is the minimum of the negative form. The proof of a form that
            is cut into components is the union of the proofs of its pieces.

        Returns
        -------
        System row -> multiplier m: form - m @ system.matrix >= 0, and 0 where base cells may be negative;
        `proved_bound` gives the value.

        Raises
        ------
        ValueError: y proves nothing (it needs a bound that is not there).
        """
        rows: Weights = {}
        rest: Weights = dict(entries_of(form, 0))
        for row, factor in y.items():
            self._use(rows, rest, int(self._reduced.row[row]), factor)
        self._undo_propagation(rows, rest)
        self._undo_elimination(rows, rest)
        single: Weights = {c: v for c, v in rest.items() if v and self._reduced.by_singleton[c]}
        for row, weight in through_singletons(self._reduced, self._differenced, single, self._order).items():
            rows[row] = rows.get(row, 0) + weight
        stated: Weights = {}
        for row, weight in rows.items():
            add_row(stated, self._differenced.transform, row, weight)
        return nonzero(stated)

    def _use(self, rows: Weights, rest: Weights, row: int, factor: Fraction | int) -> None:
        rows[row] = rows.get(row, 0) + factor
        add_row(rest, self._differenced.matrix, row, -factor)

    def _undo_propagation(self, rows: Weights, rest: Weights) -> None:
        """Replace column bounds by rows, round by round backwards.

        A column may be wanted by several rows; what they want together is one weight, for which the bound of the
        latest of their rounds is the best of all. Rounds never rise again, so this ends.
        """
        reasons, matrix = self._reasons, self._differenced.matrix
        before: dict[int, float] = {}
        now = inf
        queue: list[tuple[int, int, int]] = []

        def ask(column: int) -> None:
            weight = rest[column]
            if weight and not self._reduced.by_equations[column]:
                event = self._latest(column, weight < 0, min(before.get(column, inf), now + 1))
                if event is not None:
                    heappush(queue, (-int(reasons.round[event]), column, event))

        for column in list(rest):
            ask(column)
        while queue:
            _, column, event = heappop(queue)
            weight = rest[column]
            if not weight or event != self._latest(column, weight < 0, min(before.get(column, inf), now + 1)):
                continue  # asked again since, with another weight
            now = int(reasons.round[event])
            row = int(reasons.row[event])
            entry = dict(entries_of(matrix, row))[column]
            touched = [c for c, _ in entries_of(matrix, row)]
            for c in touched:
                if not rest.get(c):
                    before[c] = now
            self._use(rows, rest, row, Fraction(weight) / entry)
            before[column] = now
            for c in touched:
                ask(c)
        for column, weight in rest.items():
            if weight and not self._reduced.by_equations[column] and (weight < 0 or not self._system.nonnegative):
                raise ValueError("The multipliers use a bound that no row gives.")

    def _latest(self, column: int, upper: bool, before: float) -> int | None:
        """The last tightening of a bound in a round before the given one."""
        side = 2 * column + upper
        events = self._events[self._start[side] : self._start[side + 1]]
        at = bisect_left(events, before, key=lambda e: int(self._reasons.round[e]))
        return int(events[at - 1]) if at else None

    def _undo_elimination(self, rows: Weights, rest: Weights) -> None:
        reduced = self._reduced
        found = {c: v for c, v in rest.items() if v and reduced.by_equations[c] and not reduced.by_singleton[c]}
        if not found or reduced.equations is None:
            return
        scale = lcm(*(v.denominator for v in found.values()))
        y = reduced.equations.multipliers({c: int(v * scale) for c, v in found.items()})
        if y is None:
            raise AssertionError("Columns that the equations determine are combinations of them.")
        for k, factor in y.items():
            self._use(rows, rest, int(reduced.equation_row[k]), factor / scale)
