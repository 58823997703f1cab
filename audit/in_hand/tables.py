"""Tables of base cells: the true one, and such as show that a combination has several values, or a harmless one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.components import Components
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.bounds.programs.near_vertex import nearby_table, whole_table
from tableseal.audit.in_hand.axes import Axis
from tableseal.audit.linear.base import BaseTable
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.solvers.protocol import Problem, Solver, WarmSolver

LARGEST, MOST_PARTS = 20_000, 300
"""Open base cells, and components, for which tables are looked for."""

SMALL = 1_000
"""Columns up to which a program looks for the best table where none is near a vertex, where vertices mostly are tables,
and where the last vertex is a good start for one in another random direction (16,287 columns, to the opposite vertex:
9.7 s; from nothing 0.5 s)."""

TABLES = 4
"""Tables in random directions (an even number)."""

SEED = 20260104


@dataclass(frozen=True)
class Table:
    """Whole units for base cells that fit everything.

    value: int64 (columns); known: bool (columns), whole components; true: these are the true values.
    """

    value: NDArray[np.int64]
    known: NDArray[np.bool_]
    true: bool


def true_table(prepared: Prepared, reduced: Reduced, axes: list[tuple[Axis, ...]]) -> Table:
    """The true values of base cells that are listed cells, in components where they are all known and fit."""
    base, cells = prepared.system.base, prepared.cells
    value = np.where(reduced.fixed, reduced.value, 0)
    known = reduced.fixed.copy()
    for table in base.tables:
        block = base.blocks[table.block]
        at = np.flatnonzero((cells.measure == block.measure) & cells.truth.known)
        column = columns_of(table, axes[table.block], cells.codes[at])
        here = column >= 0
        value[column[here]], known[column[here]] = cells.truth.units[at[here]], True
    value = np.where(reduced.fixed, reduced.value, value)
    return Table(value, known & fits(reduced, value, known), True)


def columns_of(table: BaseTable, axes: tuple[Axis, ...], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The column that each cell is, -1 for cells that are none."""
    column = np.full(len(codes), table.offset, np.int64)
    is_one = np.ones(len(codes), np.bool_)
    for v, axis in enumerate(axes):
        point = axis.point[codes[:, v]]
        if v not in table.variables:
            is_one &= point == axis.whole
    stride = table.size
    for v in table.variables:
        axis = axes[v]
        stride //= axis.points.shape[1]
        atom = np.full(len(axis) + 1, -1, np.int64)
        atom[axis.atom_point] = np.arange(axis.points.shape[1])
        own = atom[axis.point[codes[:, v]]]
        is_one &= own >= 0
        column += stride * own
    return np.where(is_one, column, -1)


def fits(reduced: Reduced, value: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool (columns): fixed ones, and those of components whose columns are all known and whose rows hold."""
    matrix = reduced.matrix
    bad = ~known | (value < reduced.column_lower) | (value > reduced.column_upper)
    good = np.ones(reduced.components, np.bool_)
    good[reduced.component[bad & ~reduced.fixed]] = False
    total = matrix @ np.where(known, value, 0)
    broken = np.flatnonzero((total < reduced.lower) | (total > reduced.upper))
    good[reduced.component[matrix.indices[matrix.indptr[broken]]]] = False
    result: NDArray[np.bool_] = reduced.fixed | np.append(good, False)[reduced.component]
    return result


class Tables:
    """Tables that are looked for: as far in a direction as can be.

    Components of some columns are looked at, the smallest first, up to `LARGEST` columns and `MOST_PARTS` components in
    all; whatever else is open stays unknown in every table.
    """

    def __init__(self, reduced: Reduced, touched: NDArray[np.bool_], solver: Solver, limits: Limits) -> None:
        """touched: bool (columns), where tables are needed."""
        self.reduced, self._solver, self.limits = reduced, solver, limits
        parts = Components(reduced)
        nothing = csr_array((0, reduced.matrix.shape[1]), dtype=np.int64)
        which = np.unique(reduced.component[touched & ~reduced.fixed])
        which = which[np.argsort(parts.columns_of(which), kind="stable")][:MOST_PARTS]
        self._parts: list[_Part] = []
        for c in which[np.cumsum(parts.columns_of(which)) <= LARGEST].tolist():
            component = parts.component(c, nothing, 0, 0)
            problem, shift = solver_problem(component)
            self._parts.append(_Part(parts.columns(c), component, problem, shift, solver.warm(problem)))

    def far_apart(self) -> list[Table]:
        """Some tables for random directions and their opposites."""
        generator = np.random.default_rng(SEED)
        random = generator.standard_normal((TABLES // 2, self.reduced.matrix.shape[1]))
        return [self.towards(sign * way, whole=True) for way in random for sign in (1, -1)]

    def towards(self, direction: NDArray[np.float64], *, whole: bool = False) -> Table:
        """The table with the least direction @ value, where it consists of whole units.

        whole: where it does not, one near it.
        """
        reduced, limits = self.reduced, self.limits
        value, known = np.where(reduced.fixed, reduced.value, 0), reduced.fixed.copy()
        for part in self._parts:
            if limits.out_of_time():
                break
            cost = direction[part.columns]
            if whole and len(part.columns) > SMALL:
                part.warm.forget()
            if whole or len(part.columns) > SMALL:
                table = self._whole(part, cost)
            else:
                table = whole_table(part.component, part.vertex(cost), part.shift)
            if table is not None:
                value[part.columns], known[part.columns] = table, True
        return Table(value, known, False)

    def _whole(self, part: "_Part", cost: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """A table of whole units of a component, as far in a direction as is easily found."""
        solver, seconds = self._solver, self.limits.seconds_left()
        table = nearby_table(part.component, part.problem, part.vertex(cost), part.shift, solver, seconds)
        if table is None and len(part.columns) <= SMALL:
            outcome = solver.minimise_integer(part.problem, cost, self.limits.seconds_left())
            table = whole_table(part.component, outcome.x, part.shift)
        return table


@dataclass(frozen=True)
class _Part:
    """A component, and its program kept warm."""

    columns: NDArray[np.int64]
    component: Component
    problem: Problem
    shift: NDArray[np.int64]
    warm: WarmSolver

    def vertex(self, cost: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Where the cost is least among real tables."""
        return self.warm.minimise(cost).x
