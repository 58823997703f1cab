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
from itertools import chain
from math import ceil, floor, lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack

from tableseal.audit.bounds.candidates import candidates
from tableseal.audit.bounds.certify import Rational, rationalise
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.bounds.unfold import (
    Multipliers,
    Weights,
    add_row,
    entries_of,
    is_combined,
    left_over,
    nonzero,
    proved_bound,
    proved_value,
    singleton_places,
    through_singletons,
)
from tableseal.audit.linear.graph import connected
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.solvers.protocol import Floats, Problem, Solver, WarmSolver
from tableseal.audit.sparse import (
    empty,
    entries,
    products,
    row_of_entries,
    rows_at,
    stacked,
    transposed,
    without_zeros,
)

MOST_PROGRAMS = 300
"""Arguments of a release that are made as short as they can be (some 10 ms each); the others are what elimination
gives, which is a tenth longer (measured)."""


LARGEST_AREA = 1_000
"""Open base cells that hang together up to which the shortest argument is looked for."""


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
        """The ends leave more than one whole multiple; the others are ruled out case by case (`split_trees.py`)."""
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


def _multipliers(rows: NDArray[np.int64], y: Rational) -> Multipliers:
    used = np.flatnonzero(y.numerator)
    return {int(rows[k]): Fraction(int(y.numerator[k]), y.denominator) for k in used}


def _longer_rows(prepared: Prepared, columns: NDArray[np.bool_]) -> tuple[csr_array, csr_array, NDArray[np.int64]]:
    """Short equations with some of these base cells: how they combine stated rows, what they are, and how many base
    cells each names. (Of millions nearly all are about published base cells, and say nothing more.)"""
    short = prepared.short_equations(columns)
    kept, rows, length = [], [], []
    first = 0
    for part in products(short, prepared.system.matrix):
        found = without_zeros(part)
        at = np.unique(row_of_entries(found)[columns[found.indices]])
        kept.append(first + at)
        rows.append(rows_at(found, at))
        # What a sum shares with its parts counts as named, although it is taken away.
        length.append(np.diff(part.indptr)[at])
        first += part.shape[0]
    return rows_at(short, np.concatenate(kept)), stacked(rows), np.concatenate(length)


class Revealer:
    """Finds arguments for forms of one prepared release."""

    def __init__(self, prepared: Prepared, reduced: Reduced, solver: Solver) -> None:
        system = prepared.system
        self._prepared, self._reduced, self._solver = prepared, reduced, solver
        differenced = prepared.differenced
        self._known = reduced.by_singleton
        short, longer, length = _longer_rows(prepared, ~self._known)
        self._short = short
        value = product(short, np.where(system.exact, system.lower, 0))
        self._matrix = stacked([differenced.matrix, longer])
        self._lower = np.concatenate([differenced.lower, value])
        self._upper = np.concatenate([differenced.upper, value])
        self._sparse_rows = differenced.matrix.shape[0]
        self._order = singleton_places(reduced)
        self._value = np.where(self._known, reduced.value, 0)
        open_part = csr_array(self._matrix.multiply((~self._known).astype(np.int64).reshape(1, -1)).tocsr())
        open_part.eliminate_zeros()
        self._open = open_part
        self._by_column = csc_array(open_part)
        self._size = np.diff(open_part.indptr)
        self._programs_left = MOST_PROGRAMS
        label = connected(csr_array(open_part[: self._sparse_rows]))[1]
        self._area_size = np.bincount(label)[label]
        # Which rows each column stands in.
        self._sparse = transposed(csr_array(open_part[: self._sparse_rows]))
        self._longer = transposed(csr_array(open_part[self._sparse_rows :]))
        moved = product(self._matrix, self._value)
        self._rest_lower = np.where(self._lower == NO_LOWER, NO_LOWER, self._lower - moved)
        self._rest_upper = np.where(self._upper == NO_UPPER, NO_UPPER, self._upper - moved)
        # How many released cells a row names (published base cells that it leaves over will be named too): what the
        # shortest argument is measured by.
        left_over = np.concatenate([np.diff(differenced.matrix.indptr), length]) - np.diff(open_part.indptr)
        named = np.concatenate([np.diff(differenced.transform.indptr), np.diff(short.indptr)])
        self._length = (named + left_over).astype(np.float64)
        self._areas: dict[int, _Area] = {}
        self._programs: dict[bytes, WarmSolver] = {}
        self._components: dict[bytes, tuple[Component, WarmSolver]] = {}

    def explain(self, forms: csr_array, limits: Limits, *, large: int | None = None) -> Iterator[Argument | None]:
        """An argument for the only value of each form (forms x columns), None where none could be confirmed; fewer than
        there are forms if time runs out.

        large: of how many forms arguments by bounds are looked for where more than `LARGEST_AREA` base cells hang
        together (some 0.1 s each); None: of all.
        """
        system, count = self._prepared.system, forms.shape[0]
        each = [rows_at(forms, np.array([f])) for f in range(count)]
        found: list[Multipliers | None] = []
        for form in each:
            if limits.out_of_time():
                return
            columns = form.indices[~self._known[form.indices]]
            found.append(self._direct(form, columns) or self._shortest(form, columns))
        self._eliminate(forms, found)
        proved = is_combined(system.matrix, forms, [y or {} for y in found])
        for form, y, settled in zip(each, found, proved.tolist(), strict=True):
            value = proved_value(system, y) if y is not None and settled else None
            if y is not None and value is not None:
                yield Argument("equation", y, y, value, value, False, False)
            elif limits.out_of_time():
                return
            elif large is not None and self._is_large(form):
                large -= 1
                yield self._by_bounds(form) if large >= 0 else None
            else:
                yield self._by_bounds(form)

    def _is_large(self, form: csr_array) -> bool:
        columns = form.indices[~self._known[form.indices]]
        return bool((self._area_size[columns] > LARGEST_AREA).any())

    def _by_bounds(self, form: csr_array) -> Argument | None:
        """An argument from both ends, for what equations alone do not give."""
        columns = form.indices[~self._known[form.indices]]
        ends = []
        area = self._area(columns)
        for sign in (1, -1):
            end = self._end(area, csr_array(form * sign))
            if end is None:
                return None
            ends.append(end)
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

    def _end(self, area: _Area, form: csr_array) -> tuple[Multipliers, Fraction] | None:
        """Multipliers and the lower bound on the form that they prove: the shortest, and where these are not found (or
        fall short, as small fractions do when they are rounded) those of an exact vertex."""
        cost = area.weights(form)
        key = area.columns.tobytes()
        if key not in self._components:
            component = self._component(area)
            self._components[key] = component, self._solver.warm(solver_problem(component)[0])
        component, warm = self._components[key]
        outcome = warm.minimise(cost.astype(np.float64))
        if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
            return None
        constant = sum(w * int(self._value[c]) for c, w in entries_of(form, 0) if self._known[c])
        target = float(cost @ outcome.x) + constant
        best: tuple[Multipliers, Fraction] | None = None
        near = (_multipliers(area.rows, y) for y in candidates(component, cost, outcome, outcome.row_dual))
        for found in chain([self._multipliers(area, form, outcome.x)], (self._complete(y, form) for y in near)):
            value = None if found is None else proved_bound(self._prepared.system, form, found)
            if found is not None and value is not None and (best is None or value > best[1]):
                best = found, value
            if best is not None and float(best[1]) >= target - 1e-9 * max(1.0, abs(target)):
                break
        return best

    def _component(self, area: _Area) -> Component:
        """The area's rows, with nothing known of its columns but their sign."""
        count = len(area.columns)
        return Component(
            area.matrix,
            self._rest_lower[area.rows],
            self._rest_upper[area.rows],
            np.full(count, 0 if self._prepared.system.nonnegative else NO_LOWER, np.int64),
            np.full(count, NO_UPPER, np.int64),
            empty(count),
        )

    def _area(self, columns: NDArray[np.int64]) -> _Area:
        """Closure of some columns under "stands in a sparse row with", with all longer rows that lie inside it."""
        if len(columns) == 1 and int(columns[0]) in self._areas:
            return self._areas[int(columns[0])]
        if len(columns) > 1:  # mostly all of them hang together
            first = self._area(columns[:1])
            if np.isin(columns, first.columns).all():
                return first
        seen_columns, seen_rows, new = set(columns.tolist()), set[int](), columns
        while len(new):
            rows = [r for r in np.unique(rows_at(self._sparse, new).indices).tolist() if r not in seen_rows]
            seen_rows.update(rows)
            reached = np.unique(rows_at(self._open, np.array(rows)).indices).tolist() if rows else []
            new = np.array([c for c in reached if c not in seen_columns], dtype=np.int64)
            seen_columns.update(new.tolist())
        c = np.array(sorted(seen_columns), dtype=np.int64)
        longer, inside = np.unique(rows_at(self._longer, c).indices, return_counts=True)
        longer = self._sparse_rows + longer[inside == self._size[self._sparse_rows + longer]]
        r = np.concatenate([np.array(sorted(seen_rows), dtype=np.int64), longer])
        area = _Area(r, c, csr_array(rows_at(self._open, r)[:, c]))
        if len(columns) == 1:
            for column in c.tolist():
                self._areas[column] = area
        return area

    def _direct(self, form: csr_array, columns: NDArray[np.int64]) -> Multipliers | None:
        """The shortest single equation whose open part is the form itself: total minus published parts."""
        if len(columns) == 0:  # only published base cells: nothing to combine
            return self._complete({}, form)
        if (form.data != 1).any():
            return None
        span = slice(self._by_column.indptr[columns[0]], self._by_column.indptr[columns[0] + 1])
        rows = self._by_column.indices[span]
        rows = rows[(self._size[rows] == len(columns)) & (self._rest_lower[rows] == self._rest_upper[rows])]
        wanted = np.sort(columns)
        rows = np.array([r for r in rows.tolist() if self._is_sum(r, wanted)], dtype=np.int64)
        if len(rows) == 0:
            return None
        return self._complete({int(rows[np.argmin(self._length[rows])]): Fraction(1)}, form)

    def _is_sum(self, row: int, columns: NDArray[np.int64]) -> bool:
        """True if a row's open part is the sum of the columns."""
        span = slice(self._open.indptr[row], self._open.indptr[row + 1])
        return bool((self._open.data[span] == 1).all() and (np.sort(self._open.indices[span]) == columns).all())

    def _eliminate(self, forms: csr_array, found: list[Multipliers | None]) -> None:
        """Fill in the combinations of equations that elimination gives, where there is none yet: exact, but not always
        short."""
        equations, left = self._reduced.equations, [f for f, y in enumerate(found) if y is None]
        if equations is None or not left:
            return
        rest = rows_at(forms, np.array(left))
        rest = entries(rest, ~self._known[rest.indices])
        for f, y in zip(left, equations.multipliers_of(rest), strict=True):
            if y is not None:
                short = {int(self._reduced.equation_row[k]): v for k, v in y.items()}
                found[f] = self._complete(short, rows_at(forms, np.array([f])))

    def _shortest(self, form: csr_array, columns: NDArray[np.int64]) -> Multipliers | None:
        """Shortest combination of equations that gives the form; one warm program per area, while programs last."""
        if self._programs_left == 0 or self._area_size[columns[0]] > LARGEST_AREA:
            return None
        self._programs_left -= 1
        area = self._area(columns)
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
        differenced = self._prepared.differenced
        # In whole numbers, `below` times as large: sums of fractions take ten times as long.
        below = lcm(*(factor.denominator for factor in found.values()))
        total: Weights = {}
        rest: Weights = {column: weight * below for column, weight in entries_of(form, 0)}
        for row, factor in found.items():
            whole = factor.numerator * (below // factor.denominator)
            add_row(rest, self._matrix, row, -whole)
            longer = row - self._sparse_rows
            combined, at = (self._short, longer) if longer >= 0 else (differenced.transform, row)
            add_row(total, combined, at, whole)
        left: Weights = {c: v for c, v in rest.items() if v and self._known[c]}
        for row, weight in through_singletons(self._reduced, differenced, left, self._order).items():
            add_row(total, differenced.transform, row, weight)
        return nonzero(total, below)

    def _uses_zeros(self, form: csr_array, y: Multipliers) -> bool:
        return bool(left_over(self._prepared.system.matrix, form, y))
