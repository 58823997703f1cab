"""The arithmetic that leaves a cell one value, over released cells.

A cell x = f'(base cells) is proved to be at least its value by multipliers y on rows and z >= 0 on non-negative base
cells with f = A'y + z, where only rows and zeros that are tight at a solution in hand are used: then the bound equals
the value. If z = 0 and all rows are equations, the equations alone give it. Of all such combinations the shortest (in
released cells named) is found by a small linear program, rounded to fractions, completed by the published base cells
and checked exactly; nothing unchecked is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack, vstack

from audit.bounds.certify import Rational, rationalise
from audit.bounds.problem import as_floats
from audit.bounds.singletons import Singletons, subtract
from audit.linear.integers import NO_UPPER, product
from audit.linear.reduce import Reduced
from audit.prepare import Prepared
from audit.solvers.protocol import Floats, Problem, Solver, WarmSolver

Multipliers = dict[int, Fraction]
"""System row -> multiplier."""


@dataclass(frozen=True)
class Argument:
    """Why a form is at least and at most certain values.

    kind: `equation`, `bounds` or `integer` (whole multiples only leave one value; see `by_cases`).
    lower, upper: multipliers of the two ends (equal for an equation); lower_value, upper_value: what they prove.
    zeros_lower, zeros_upper: some base cells' non-negativity is used for that end.
    """

    kind: Literal["equation", "bounds", "integer"]
    lower: Multipliers
    upper: Multipliers
    lower_value: Fraction
    upper_value: Fraction
    zeros_lower: bool
    zeros_upper: bool

    @property
    def by_cases(self) -> bool:
        """The ends leave more than one whole multiple; the others are ruled out case by case (audit.bounds.integer)."""
        return floor(self.upper_value) > ceil(self.lower_value)


@dataclass(frozen=True)
class _Area:
    """The rows and columns that hang together with a form once published base cells are put in."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    matrix: csr_array

    def weights(self, form: csr_array) -> NDArray[np.int64]:
        """The form's weights on the area's columns."""
        result = np.zeros(len(self.columns), np.int64)
        at = np.searchsorted(self.columns, form.indices)
        inside = (at < len(self.columns)) & (self.columns[np.minimum(at, len(self.columns) - 1)] == form.indices)
        result[at[inside]] = form.data[inside]
        return result


def _entries(matrix: csr_array, row: int) -> Iterator[tuple[int, int]]:
    """(column, entry) pairs of one row."""
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)


def _multipliers(rows: NDArray[np.int64], y: Rational) -> Multipliers:
    used = np.flatnonzero(y.numerator)
    return {int(rows[k]): Fraction(int(y.numerator[k]), y.denominator) for k in used}


class Revealer:
    """Finds arguments for forms of one prepared release."""

    def __init__(self, prepared: Prepared, reduced: Reduced, solver: Solver) -> None:
        system = prepared.system
        self._prepared, self._solver = prepared, solver
        differenced = prepared.differenced
        self._transform = csr_array(vstack([differenced.transform, prepared.short_equations], format="csr"))
        value = product(prepared.short_equations, np.where(system.exact, system.lower, 0))
        self._matrix = csr_array(self._transform @ system.matrix)
        self._lower = np.concatenate([differenced.lower, value])
        self._upper = np.concatenate([differenced.upper, value])
        self._sparse_rows = differenced.matrix.shape[0]
        self._singletons = Singletons(differenced, reduced)
        self._known = self._singletons.known
        found = self._singletons.without(self._matrix, self._lower, self._upper)
        open_part, self._rest_lower, self._rest_upper = found
        self._open = open_part
        self._sparse = csc_array(open_part[: self._sparse_rows])
        self._longer = csc_array(open_part[self._sparse_rows :])
        # How many released cells a row names (published base cells that it leaves over will be named too): what the
        # shortest argument is measured by.
        left_over = np.diff(self._matrix.indptr) - np.diff(open_part.indptr)
        self._length = (np.diff(self._transform.indptr) + left_over).astype(np.float64)
        self._areas: dict[int, _Area] = {}
        self._programs: dict[bytes, WarmSolver] = {}

    def explain(self, form: csr_array) -> Argument | None:
        """An argument for the only value of a form (1 x columns), None if none could be confirmed."""
        columns = form.indices[~self._known[form.indices]]
        area = self._area(columns)
        equation = self._direct(area, form, columns) or self._equation(area, form)
        if equation is not None:
            value = self._check(form, equation, None)
            if value is not None:
                return Argument("equation", equation, equation, value, value, False, False)
        ends = []
        for sign in (1, -1):
            signed = csr_array(form * sign)
            point = self._vertex(area, signed)
            found = None if point is None else self._multipliers(area, signed, point)
            value = None if found is None else self._check(signed, found, point)
            if found is None or value is None:
                return None
            ends.append((found, value))
        (low, low_value), (high, high_value) = ends
        high, high_value = {r: -y for r, y in high.items()}, -high_value
        kind: Literal["bounds", "integer"] = "bounds" if low_value == high_value else "integer"
        return Argument(
            kind,
            low,
            high,
            low_value,
            high_value,
            self._uses_zeros(form, low),
            self._uses_zeros(form, high),
        )

    def _area(self, columns: NDArray[np.int64]) -> _Area:
        """Closure of some columns under "stands in a sparse row with", with all longer rows that lie inside it."""
        if len(columns) == 1 and int(columns[0]) in self._areas:
            return self._areas[int(columns[0])]
        seen_columns, seen_rows, new = set(columns.tolist()), set[int](), columns
        while len(new):
            rows = [r for r in np.unique(self._sparse[:, new].indices).tolist() if r not in seen_rows]
            seen_rows.update(rows)
            reached = np.unique(self._open[rows].indices).tolist() if rows else []
            new = np.array([c for c in reached if c not in seen_columns], dtype=np.int64)
            seen_columns.update(new.tolist())
        c = np.array(sorted(seen_columns), dtype=np.int64)
        longer, inside = np.unique(self._longer[:, c].indices, return_counts=True)
        longer = self._sparse_rows + longer[inside == np.diff(self._open.indptr)[self._sparse_rows + longer]]
        r = np.concatenate([np.array(sorted(seen_rows), dtype=np.int64), longer])
        area = _Area(r, c, csr_array(self._open[r][:, c]))
        if len(columns) == 1:
            for column in c.tolist():
                self._areas[column] = area
        return area

    def _vertex(self, area: _Area, form: csr_array) -> Floats | None:
        """A solution of the area where the form is least."""
        columns = area.columns
        low = 0.0 if self._prepared.system.nonnegative else -np.inf
        problem = Problem(
            area.matrix,
            as_floats(self._rest_lower[area.rows]),
            as_floats(self._rest_upper[area.rows]),
            np.full(len(columns), low),
            np.full(len(columns), np.inf),
        )
        outcome = self._solver.warm(problem).minimise(area.weights(form).astype(np.float64))
        return outcome.x if outcome.status == "optimal" else None

    def _direct(self, area: _Area, form: csr_array, columns: NDArray[np.int64]) -> Multipliers | None:
        """The shortest single equation whose open part is the form itself: total minus published parts."""
        if len(columns) == 0:  # only published base cells: nothing to combine
            return self._complete({}, form)
        if (form.data != 1).any():
            return None
        exact = self._rest_lower[area.rows] == self._rest_upper[area.rows]
        same_size = np.diff(area.matrix.indptr) == len(columns)
        rows = area.rows[exact & same_size & (area.matrix @ area.weights(form) == len(columns))]
        if len(rows) == 0:
            return None
        return self._complete({int(rows[np.argmin(self._length[rows])]): Fraction(1)}, form)

    def _equation(self, area: _Area, form: csr_array) -> Multipliers | None:
        """Shortest combination of equations that gives the form; one warm program per area."""
        exact = np.flatnonzero(self._rest_lower[area.rows] == self._rest_upper[area.rows])
        if len(exact) == 0:
            return None
        key = area.columns.tobytes()
        if key not in self._programs:
            by_row = csr_array(area.matrix.T)[:, exact]
            matrix = csr_array(hstack([by_row, -by_row], format="csr"))
            size, zero = matrix.shape[1], np.zeros(matrix.shape[0])
            self._programs[key] = self._solver.warm(Problem(matrix, zero, zero, np.zeros(size), np.full(size, np.inf)))
        program = self._programs[key]
        program.set_rows(area.weights(form).astype(np.float64))
        outcome = program.minimise(np.tile(self._length[area.rows[exact]], 2))
        if outcome.status != "optimal" or outcome.x is None:
            return None
        y = rationalise(outcome.x[: len(exact)] - outcome.x[len(exact) :])
        return None if y is None else self._complete(_multipliers(area.rows[exact], y), form)

    def _multipliers(self, area: _Area, form: csr_array, point: Floats) -> Multipliers | None:
        """Shortest y and z >= 0 with form = A'y + z over the area, using only what is tight at the point."""
        lower, upper = self._rest_lower[area.rows], self._rest_upper[area.rows]
        exact = lower == upper
        value = area.matrix @ point
        near = 1e-6 * np.maximum(1.0, np.abs(value))
        plus = np.flatnonzero(exact | (np.abs(value - lower) < near))  # y > 0 uses the lower side of a row
        minus = np.flatnonzero(exact | (np.abs(value - upper) < near))
        by_row = csr_array(area.matrix.T)
        blocks = [by_row[:, plus], -by_row[:, minus]]
        cost = [self._length[area.rows[plus]], self._length[area.rows[minus]]]
        if self._prepared.system.nonnegative:
            zero = np.flatnonzero(np.abs(point) < 1e-6)
            blocks.append(
                csr_array(
                    (np.ones(len(zero), np.int64), (zero, np.arange(len(zero)))), shape=(len(area.columns), len(zero))
                )
            )
            cost.append(np.full(len(zero), 0.01))
        matrix = csr_array(hstack(blocks, format="csr"))
        right = area.weights(form).astype(np.float64)
        size = matrix.shape[1]
        problem = Problem(matrix, right, right, np.zeros(size), np.full(size, np.inf))
        outcome = self._solver.warm(problem).minimise(np.concatenate(cost))
        if outcome.status != "optimal" or outcome.x is None:
            return None
        y = np.zeros(len(area.rows))
        np.add.at(y, plus, outcome.x[: len(plus)])
        np.add.at(y, minus, -outcome.x[len(plus) : len(plus) + len(minus)])
        rational = rationalise(y)
        return None if rational is None else self._complete(_multipliers(area.rows, rational), form)

    def _complete(self, found: Multipliers, form: csr_array) -> Multipliers:
        """Multipliers over system rows of a combination of short rows, plus the published base cells it leaves over."""
        total: Multipliers = {}
        rest = {c: Fraction(w) for c, w in _entries(form, 0)}
        for row, factor in found.items():
            subtract(rest, self._matrix, row, factor)
            subtract(total, self._transform, row, -factor)
        self._singletons.account({c: v for c, v in rest.items() if v and self._known[c]}, total)
        return {r: v for r, v in total.items() if v}

    def _rest(self, form: csr_array, y: Multipliers) -> dict[int, Fraction]:
        """form - A'y over base cells, exactly."""
        rest = {c: Fraction(w) for c, w in _entries(form, 0)}
        for row, factor in y.items():
            subtract(rest, self._prepared.system.matrix, row, factor)
        return {c: v for c, v in rest.items() if v}

    def _uses_zeros(self, form: csr_array, y: Multipliers) -> bool:
        return bool(self._rest(form, y))

    def _check(self, form: csr_array, y: Multipliers, point: Floats | None) -> Fraction | None:
        """The lower bound that the multipliers prove, in exact arithmetic; None if they prove nothing."""
        system = self._prepared.system
        rest = self._rest(form, y)
        if point is None and rest:
            return None
        if any(v < 0 for v in rest.values()) or (rest and not system.nonnegative):
            return None
        total = Fraction(0)
        for row, factor in y.items():
            bound = int(system.lower[row] if factor > 0 else system.upper[row])
            if abs(bound) >= NO_UPPER:
                return None
            total += factor * bound
        return total
