"""What tables in hand show to all knowers of an area: one table serves everybody with whose knowledge it agrees.

The tables come from one linear program, kept warm, that moves a cell from a table on which all knowers agree, with what
one of them knows held still: other cells move as little as possible, those that somebody knows least of all.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from audit.bounds.certify import Rational, satisfies
from audit.bounds.component import Component, Limits
from audit.bounds.equations import as_equations
from audit.bounds.method import Method
from audit.decision.model import NEARLY, Model, in_whole_units
from audit.decision.movers import SHY
from audit.decision.regions import Region, room
from audit.linear.propagate import InfeasibleError
from audit.measures.insiders.areas import Area, Ints, View
from audit.solvers.protocol import Solver

Marks = NDArray[np.bool_]

NOTHING = 2**62


@dataclass(frozen=True)
class Shown:
    """Looks for tables. (A class, not a closure: it travels to other processes.)

    method: finds a first table; solver: the others.
    """

    method: Method
    solver: Solver
    limits: Limits

    def __call__(self, area: Area) -> list[Marks]:
        """For each view of an area: bool (its targets), tables in hand show that the knower is not too close."""
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
    """The tables of one area."""

    def __init__(self, area: Area, first: Ints, solver: Solver, limits: Limits) -> None:
        component, self._views, self._limits = area.component, area.views, limits
        self._equations = as_equations(component)
        self._column = self._equations.targets.indices.astype(np.int64)
        count = component.matrix.shape[1]
        self._table = np.zeros(self._equations.matrix.shape[1], np.int64)
        self._table[:count] = first
        interval = np.flatnonzero(component.lower != component.upper)
        self._table[count : count + len(interval)] = (component.matrix @ first)[interval]
        self._table[self._column] = component.targets @ first
        nothing = np.zeros(self._equations.matrix.shape[0])
        down, up = room(self._table, self._equations.column_lower, self._equations.column_upper)
        columns, rows = np.arange(len(self._table)), np.arange(len(nothing))
        region = Region(columns, rows, self._equations.matrix, nothing, nothing, down, up)
        self._model = Model(region, solver)
        weight = np.ones(len(self._table))
        weight[self._column[np.unique(np.concatenate([_none, *(v.exact for v in self._views)]))]] = SHY
        self._model.reset(np.ones(len(self._table), np.bool_), weight)
        self._low = [np.full(len(v.targets), NOTHING) for v in self._views]
        self._high = [np.full(len(v.targets), -NOTHING) for v in self._views]
        self._add(self._table)

    def cleared(self) -> list[Marks]:
        """For each view: which targets go as far as they must in tables that agree with the knower."""
        return [
            (low <= view.low) & (high >= view.high) & (low < high)
            for view, low, high in zip(self._views, self._low, self._high, strict=True)
        ]

    def run(self) -> None:
        """Move what is not cleared yet, for one knower after another."""
        for number, view in enumerate(self._views):
            if not self._fits(view, self._table):
                continue
            for t in range(len(view.targets)):
                self._clear(number, t)

    def _clear(self, number: int, t: int) -> None:
        view = self._views[number]
        at = int(self._table[self._column[view.targets[t]]])
        if self._low[number][t] > view.low[t] and not self._move(number, t, 1, at - int(view.low[t])):
            return
        if self._high[number][t] < view.high[t] and not self._move(number, t, -1, int(view.high[t]) - at):
            return
        if self._low[number][t] == self._high[number][t] and not self._move(number, t, 1, 1):
            self._move(number, t, -1, 1)

    def _move(self, number: int, t: int, way: int, distance: int) -> bool:
        """Whether a table is found that moves a target so far (way 1: down)."""
        if self._limits.out_of_time():
            return False
        view, cell = self._views[number], int(self._column[self._views[number].targets[t]])
        goal = int(self._table[cell]) - way * distance
        model = self._model
        for further in (0, 1):
            own = self._column[view.own]
            model.aim(
                cell, way, distance + further, self._column[view.exact], (own, (self._table[own] - view.least) * 1.0)
            )
            point = model.move(self._limits)
            if point is None or model.extent < distance * (1 - NEARLY):
                return False
            moves = in_whole_units(point)
            if moves is not None:
                for table in (self._table + moves, self._table - moves):
                    if self._holds(table):
                        self._add(table)
                if (self._low[number][t] <= goal) if way == 1 else (self._high[number][t] >= goal):
                    return True
        return False

    def _holds(self, table: Ints) -> bool:
        return satisfies(self._equations, Rational(table, 1))

    def _fits(self, view: View, table: Ints) -> bool:
        """Whether a table agrees with what a knower knows."""
        column = self._column
        return bool((table[column[view.exact]] == view.value).all() and (table[column[view.own]] >= view.least).all())

    def _add(self, table: Ints) -> None:
        """Let a table speak for all knowers with whom it agrees."""
        for view, low, high in zip(self._views, self._low, self._high, strict=True):
            if self._fits(view, table):
                value = table[self._column[view.targets]]
                np.minimum(low, value, out=low)
                np.maximum(high, value, out=high)


_none = np.empty(0, np.int64)
