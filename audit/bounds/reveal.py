"""The arithmetic that leaves a cell one value, over released cells.

A cell x = f'(base cells) is proved to be at least its value by multipliers y on rows and z >= 0 on non-negative base
cells with f = A'y + z, where only rows and zeros that are tight at a solution in hand are used: then the bound equals
the value. If z = 0 and all rows are equations, the equations alone give it. Of all such combinations the shortest (in
released cells named) is found by a small linear program, rounded to fractions, completed by the published base cells
and checked exactly; nothing unchecked is shown.
"""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack, vstack

from audit.bounds.certify import Rational, rationalise
from audit.bounds.problem import as_floats
from audit.linear.integers import NO_LOWER, NO_UPPER, product
from audit.linear.reduce import Reduced
from audit.prepare import Prepared
from audit.solvers.protocol import Floats, Problem, Solver, WarmSolver

Multipliers = dict[int, Fraction]
"""System row -> multiplier."""


@dataclass(frozen=True)
class Argument:
    """Why a form is at least and at most certain values.

    kind: `equation`, `bounds` or `integer` (the two ends leave one whole multiple).
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


@dataclass(frozen=True)
class _Area:
    """The rows and columns that hang together with a form once published base cells are put in."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    matrix: csr_array


class Revealer:
    """Finds arguments for forms of one prepared release."""

    def __init__(self, prepared: Prepared, reduced: Reduced, solver: Solver) -> None:
        system = prepared.system
        self._prepared, self._reduced, self._solver = prepared, reduced, solver
        differenced = prepared.differenced
        self._transform = csr_array(vstack([differenced.transform, prepared.short_equations], format="csr"))
        value = product(prepared.short_equations, np.where(system.exact, system.lower, 0))
        self._matrix = csr_array(self._transform @ system.matrix)
        self._lower = np.concatenate([differenced.lower, value])
        self._upper = np.concatenate([differenced.upper, value])
        self._sparse_rows = differenced.matrix.shape[0]
        self._order = {column: k for k, (column, _, _) in enumerate(reduced.singletons)}
        by_singleton = np.zeros(system.matrix.shape[1], np.int64)
        for column, _, _ in reduced.singletons:
            by_singleton[column] = 1
        self._known = by_singleton.astype(np.bool_)
        self._value = np.where(self._known, reduced.value, 0)
        open_part = csr_array(self._matrix.multiply((1 - by_singleton).reshape(1, -1)).tocsr())
        open_part.eliminate_zeros()
        self._open = open_part
        self._by_column = csc_array(open_part[: self._sparse_rows])
        moved = product(self._matrix, self._value)
        self._rest_lower = np.where(self._lower == NO_LOWER, NO_LOWER, self._lower - moved)
        self._rest_upper = np.where(self._upper == NO_UPPER, NO_UPPER, self._upper - moved)
        # How many released cells a row names (published base cells that it leaves over will be named too): what the
        # shortest argument is measured by.
        left_over = np.diff(self._matrix.indptr) - np.diff(open_part.indptr)
        self._length = (np.diff(self._transform.indptr) + left_over).astype(np.float64)
        self._areas: dict[int, _Area] = {}
        self._programs: dict[int, WarmSolver] = {}

    def explain(self, form: csr_array) -> Argument | None:
        """An argument for the only value of a form (1 x columns), None if none could be confirmed."""
        columns = form.indices[~self._known[form.indices]]
        area = self._area(columns)
        target = np.zeros(self._open.shape[1], np.int64)
        target[form.indices] = form.data
        equation = self._direct(area, columns, form, target) or self._equation(area, target)
        if equation is not None:
            value = self._check(form, equation, None)
            if value is not None:
                return Argument("equation", equation, equation, value, value, False, False)
        ends = []
        for sign in (1, -1):
            point = self._vertex(area, sign * target)
            found = None if point is None else self._multipliers(area, sign * target, point)
            value = None if found is None else self._check(form * sign, found, point)
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
        """Closure of some columns under "stands in a sparse row with", with all rows that lie inside it."""
        if len(columns) == 1 and int(columns[0]) in self._areas:
            return self._areas[int(columns[0])]
        seen_columns = np.zeros(self._open.shape[1], np.bool_)
        seen_rows = np.zeros(self._open.shape[0], np.bool_)
        seen_columns[columns] = True
        new = columns
        while len(new):
            rows = np.unique(self._by_column[:, new].indices)
            rows = rows[~seen_rows[rows]]
            seen_rows[rows] = True
            reached = np.unique(self._open[rows].indices)
            new = reached[~seen_columns[reached]]
            seen_columns[new] = True
        size = np.diff(self._open.indptr)[self._sparse_rows :]
        inside = abs(self._open[self._sparse_rows :]) @ (~seen_columns).astype(np.int64) == 0
        longer = self._sparse_rows + np.flatnonzero(inside & (size > 0))
        r, c = np.concatenate([np.flatnonzero(seen_rows), longer]), np.flatnonzero(seen_columns)
        area = _Area(r, c, csr_array(self._open[r][:, c]))
        if len(columns) == 1:
            for column in c.tolist():
                self._areas[column] = area
        return area

    def _vertex(self, area: _Area, target: NDArray[np.int64]) -> Floats | None:
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
        outcome = self._solver.warm(problem).minimise(target[columns].astype(np.float64))
        return outcome.x if outcome.status == "optimal" else None

    def _direct(
        self, area: _Area, columns: NDArray[np.int64], form: csr_array, target: NDArray[np.int64]
    ) -> Multipliers | None:
        """The shortest single equation whose open part is the form itself: total minus published parts."""
        local = np.zeros(len(area.rows), np.int64)
        if len(columns) == 0:  # only published base cells: nothing to combine
            return self._complete(area, target, Rational(local, 1))
        exact = self._rest_lower[area.rows] == self._rest_upper[area.rows]
        same_size = np.diff(area.matrix.indptr) == len(columns)
        wanted = target[area.columns]
        fits = exact & same_size & (area.matrix @ wanted == len(columns)) & (form.data == 1).all()
        rows = np.flatnonzero(fits)
        if len(rows) == 0:
            return None
        local[rows[np.argmin(self._length[area.rows[rows]])]] = 1
        return self._complete(area, target, Rational(local, 1))

    def _equation(self, area: _Area, target: NDArray[np.int64]) -> Multipliers | None:
        """Shortest combination of equations that gives the form; one warm program per area."""
        exact = np.flatnonzero(self._rest_lower[area.rows] == self._rest_upper[area.rows])
        if len(exact) == 0:
            return None
        key = int(area.columns[0])
        if key not in self._programs:
            by_row = csr_array(area.matrix.T)[:, exact]
            matrix = csr_array(hstack([by_row, -by_row], format="csr"))
            size, zero = matrix.shape[1], np.zeros(matrix.shape[0])
            self._programs[key] = self._solver.warm(Problem(matrix, zero, zero, np.zeros(size), np.full(size, np.inf)))
        program = self._programs[key]
        program.set_rows(target[area.columns].astype(np.float64))
        outcome = program.minimise(np.tile(self._length[area.rows[exact]], 2))
        if outcome.status != "optimal" or outcome.x is None:
            return None
        y = np.zeros(len(area.rows))
        y[exact] = outcome.x[: len(exact)] - outcome.x[len(exact) :]
        rational = rationalise(y)
        return None if rational is None else self._complete(area, target, rational)

    def _multipliers(self, area: _Area, target: NDArray[np.int64], point: Floats) -> Multipliers | None:
        """Shortest y and z >= 0 with target = A'y + z over the area, using only what is tight at the point."""
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
        right = target[area.columns].astype(np.float64)
        size = matrix.shape[1]
        problem = Problem(matrix, right, right, np.zeros(size), np.full(size, np.inf))
        outcome = self._solver.warm(problem).minimise(np.concatenate(cost))
        if outcome.status != "optimal" or outcome.x is None:
            return None
        y = np.zeros(len(area.rows))
        np.add.at(y, plus, outcome.x[: len(plus)])
        np.add.at(y, minus, -outcome.x[len(plus) : len(plus) + len(minus)])
        rational = rationalise(y)
        return None if rational is None else self._complete(area, target, rational)

    def _complete(self, area: _Area, target: NDArray[np.int64], y: Rational) -> Multipliers:
        """Multipliers over system rows: the found combination, plus the published base cells that it leaves over."""
        d = y.denominator
        weights = np.zeros(self._transform.shape[0], np.int64)
        weights[area.rows] = y.numerator
        rest = target * d - self._matrix.T @ weights
        combined = self._transform.T @ weights
        total = {int(r): Fraction(int(combined[r]), d) for r in np.flatnonzero(combined)}
        left = {int(c): Fraction(int(rest[c]), d) for c in np.flatnonzero(rest) if self._known[c]}
        differenced = self._prepared.differenced
        # Latest first: a column's equation holds only columns that were known before it.
        queue = [-self._order[c] for c in left]
        heapify(queue)
        while queue:
            column, row, entry = self._reduced.singletons[-heappop(queue)]
            factor = left.pop(column) / entry
            if not factor:
                continue
            span = slice(differenced.matrix.indptr[row], differenced.matrix.indptr[row + 1])
            for other, e in zip(
                differenced.matrix.indices[span].tolist(), differenced.matrix.data[span].tolist(), strict=True
            ):
                if other != column:
                    if other not in left:
                        heappush(queue, -self._order[other])
                    left[other] = left.get(other, Fraction(0)) - factor * e
            span = slice(differenced.transform.indptr[row], differenced.transform.indptr[row + 1])
            for r, t in zip(
                differenced.transform.indices[span].tolist(), differenced.transform.data[span].tolist(), strict=True
            ):
                total[r] = total.get(r, Fraction(0)) + factor * t
        return {r: v for r, v in total.items() if v}

    def _rest(self, form: csr_array, y: Multipliers) -> dict[int, Fraction]:
        """form - A'y over base cells, exactly."""
        system = self._prepared.system
        rest = {int(c): Fraction(int(w)) for c, w in zip(form.indices, form.data, strict=True)}
        for row, factor in y.items():
            span = slice(system.matrix.indptr[row], system.matrix.indptr[row + 1])
            for c, e in zip(system.matrix.indices[span].tolist(), system.matrix.data[span].tolist(), strict=True):
                rest[c] = rest.get(c, Fraction(0)) - factor * e
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
