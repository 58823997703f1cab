"""What tables in hand show to all attackers of an area: one table serves everybody with whose knowledge it agrees.

The tables come from one linear program, kept warm, that moves a cell from a table on which all attackers agree, with
what one of them knows held still: other cells move as little as possible, those that somebody knows least of all.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.attackers.areas import Area, Ints
from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.decision.model import NEARLY, Model, in_whole_units
from tableseal.audit.decision.movers import SHY
from tableseal.audit.decision.regions import Region, room
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.protocol import Solver

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Shown:
    """Looks for tables. (A class, not a closure: it travels to other processes.)

    method: finds a first table; solver: the others.
    """

    method: Method
    solver: Solver
    limits: Limits

    def __call__(self, area: Area) -> list[Marks]:
        """For each view of an area: bool (its targets), tables in hand show that the attacker is not too close."""
        first = self._first(area)
        if first is None:
            return [np.zeros(len(view.targets), np.bool_) for view in area.views]
        search = _Search(area, first, self.solver, self.limits)
        search.run()
        return search.cleared()

    def _first(self, area: Area) -> Ints | None:
        """A table with the true values of all forms."""
        component, known = area.component, np.flatnonzero(area.known)
        stated = csr_array(component.targets[known])
        held = Component(
            csr_array(vstack([component.matrix, stated], format="csr")),
            np.concatenate([component.lower, area.value[known]]),
            np.concatenate([component.upper, area.value[known]]),
            component.column_lower,
            component.column_upper,
            csr_array((0, component.targets.shape[1]), dtype=np.int64),
        )
        try:
            tables = self.method.bounds(held, replace(self.limits, prove=True)).tables
        except InfeasibleError:
            return None
        return tables[0] if tables else None


class _Search:
    """The tables of one area, and what they show: how far down and up each target goes for each attacker.

    Arrays are views x targets, where targets are those of any view.
    """

    def __init__(self, area: Area, first: Ints, solver: Solver, limits: Limits) -> None:
        component, self._views, self._limits = area.component, area.views, limits
        self._equations = as_equations(component)
        self._column = self._equations.targets.indices.astype(np.int64)
        self._table = _completed(component, self._column, first, self._equations.matrix.shape[1])
        self._targets = np.unique(np.concatenate([v.targets for v in self._views]))
        shape = len(self._views), len(self._targets)
        self._asked = np.zeros(shape, np.bool_)
        self._least, self._most = np.full(shape, NO_UPPER), np.full(shape, NO_LOWER)
        for number, view in enumerate(self._views):
            at = np.searchsorted(self._targets, view.targets)
            self._asked[number, at] = True
            self._least[number, at], self._most[number, at] = view.low, view.high
        known, shares = [v.known for v in self._views], [v.shares for v in self._views]
        self._known = self._column[np.concatenate(known)], np.repeat(np.arange(shape[0]), [len(k) for k in known])
        self._shares = self._column[np.concatenate(shares)], np.repeat(np.arange(shape[0]), [len(k) for k in shares])
        self._value = np.concatenate([v.value for v in self._views])
        self._gave = np.concatenate([v.least for v in self._views])
        agrees = self._agrees(self._table)
        self._asked &= agrees[:, None]
        self._low = np.tile(self._table[self._column[self._targets]], (shape[0], 1))
        self._high = self._low.copy()
        self._model = self._warm(solver)

    def _warm(self, solver: Solver) -> Model:
        """The linear program of moves from the first table."""
        equations = self._equations
        rows, columns = equations.matrix.shape
        down, up = room(self._table, equations.column_lower, equations.column_upper)
        still = np.zeros(rows)
        model = Model(Region(np.arange(columns), np.arange(rows), equations.matrix, still, still, down, up), solver)
        weight = np.ones(columns)
        weight[self._known[0]] = SHY
        model.reset(np.ones(columns, np.bool_), weight)
        return model

    def cleared(self) -> list[Marks]:
        """For each view: which targets go as far as they must in tables that agree with the attacker."""
        cleared = self._asked & ~self._open(slice(None))
        return [cleared[k, np.searchsorted(self._targets, view.targets)] for k, view in enumerate(self._views)]

    def run(self) -> None:
        """Move what is not cleared yet, for one attacker after another."""
        for number in range(len(self._views)):
            for t in np.flatnonzero(self._open(number)).tolist():
                self._clear(number, t)

    def _clear(self, number: int, t: int) -> None:
        """Move a target down and up as far as it must go, as far as tables in hand do not; or at all."""
        cell = int(self._table[self._column[self._targets[t]]])
        down, up = cell - int(self._least[number, t]), int(self._most[number, t]) - cell
        if self._low[number, t] > self._least[number, t] and not self._move(number, t, 1, down):
            return
        if self._high[number, t] < self._most[number, t] and not self._move(number, t, -1, up):
            return
        if self._low[number, t] == self._high[number, t] and not self._move(number, t, 1, 1):
            self._move(number, t, -1, 1)

    def _open(self, views: int | slice) -> Marks:
        """What is asked and not cleared yet."""
        low, high = self._low[views], self._high[views]
        met = (low <= self._least[views]) & (high >= self._most[views]) & (low < high)
        result: Marks = self._asked[views] & ~met
        return result

    def _move(self, number: int, t: int, way: int, distance: int) -> bool:
        """Whether a table is found that moves a target so far (way 1: down)."""
        view, model = self._views[number], self._model
        cell, own = int(self._column[self._targets[t]]), self._column[view.shares]
        falling = own, (self._table[own] - view.least).astype(np.float64)
        # What a vertex with fractions does not show one that goes a unit further may.
        for further in (0, 1):
            if self._limits.out_of_time():
                return False
            model.aim(cell, way, distance + further, self._column[view.known], falling)
            near = (model.move_near(self._limits, most) for most in model.steps)
            point = next((p for p in near if p is not None), None)
            if point is None:
                point = model.move(self._limits, prove=False)
            if point is None or model.extent < distance * (1 - NEARLY):
                return False
            found = in_whole_units(point)
            if found is None:
                continue
            moves, _ = found
            for signed in (moves, -moves):
                self._add(signed)
            goal = self._table[cell] - way * distance
            if (self._low[number, t] <= goal) if way == 1 else (self._high[number, t] >= goal):
                return True
        return False

    def _add(self, moves: Ints) -> None:
        """Let a table, if it is one, speak for all attackers with whom it agrees."""
        table = self._table + moves
        if not satisfies(self._equations, Rational(table, 1)):
            return
        value = table[self._column[self._targets]]
        moved = np.flatnonzero(moves[self._column[self._targets]])
        place = np.ix_(np.flatnonzero(self._agrees(table)), moved)
        self._low[place] = np.minimum(self._low[place], value[moved])
        self._high[place] = np.maximum(self._high[place], value[moved])

    def _agrees(self, table: Ints) -> Marks:
        """bool (views): a table has what the attacker knows."""
        result = np.ones(len(self._views), np.bool_)
        result[self._known[1][table[self._known[0]] != self._value]] = False
        result[self._shares[1][table[self._shares[0]] < self._gave]] = False
        return result


def _completed(component: Component, column: Ints, first: Ints, columns: int) -> Ints:
    """A table of a component as one of its equations (see as_equations), in which targets have columns."""
    table = np.zeros(columns, np.int64)
    table[: len(first)] = first
    interval = np.flatnonzero(component.lower != component.upper)
    table[len(first) : len(first) + len(interval)] = (component.matrix @ first)[interval]
    table[column] = component.targets @ first
    return table
