"""What tables in hand show to all attackers of an area: one table serves everybody with whose knowledge it agrees.

Each moves a cell from a table on which all attackers agree, with what one of them knows held still: other cells move as
little as possible, those that somebody knows least of all.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.attackers.areas import Area, Ints
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.method import Method
from tableseal.audit.decision.moves import Moves
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.protocol import Solver

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Cleared:
    """What is shown to one attacker of the targets of its view.

    marks: bool (targets), it is not too close to them. low, high: int64 (targets), the least and the largest value in
    tables that agree with it; above each other where there is none.
    """

    marks: Marks
    low: Ints
    high: Ints

    @staticmethod
    def nothing(targets: int) -> "Cleared":
        """Of so many targets, where no table is in hand."""
        return Cleared(np.zeros(targets, np.bool_), np.full(targets, NO_UPPER), np.full(targets, NO_LOWER))


@dataclass(frozen=True)
class Shown:
    """Looks for tables. (A class, not a closure: it travels to other processes.)

    method: finds a first table where none is in hand; solver: the others.
    """

    method: Method
    solver: Solver
    limits: Limits

    def __call__(self, area: Area) -> list[Cleared]:
        """What tables in hand show to each view of an area."""
        first = self._first(area) if area.table is None else area.table
        if first is None:
            return [Cleared.nothing(len(view.targets)) for view in area.views]
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
        self._views, self._limits = area.views, limits
        self._moves = Moves(area.component, first, solver)
        self._table, self._column = self._moves.table, self._moves.column
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
        self._moves.shun(self._known[0])

    def cleared(self) -> list[Cleared]:
        """For each view: which targets go as far as they must in tables that agree with the attacker, and how far."""
        cleared = self._asked & ~self._open(slice(None))
        found = []
        for k, view in enumerate(self._views):
            at = np.searchsorted(self._targets, view.targets)
            asked = self._asked[k, at]
            low, high = np.where(asked, self._low[k, at], NO_UPPER), np.where(asked, self._high[k, at], NO_LOWER)
            found.append(Cleared(cleared[k, at], low, high))
        return found

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
        view, cell = self._views[number], int(self._column[self._targets[t]])
        known, own = self._column[view.known], self._column[view.shares]
        falling = own, (self._table[own] - view.least).astype(np.float64)
        goal = self._table[cell] - way * distance
        for tables in self._moves.towards(cell, way, distance, self._limits, known=known, falling=falling):
            for table in tables:
                self._add(table)
            if (self._low[number, t] <= goal) if way == 1 else (self._high[number, t] >= goal):
                return True
        return False

    def _add(self, table: Ints) -> None:
        """Let a table speak for all attackers with whom it agrees."""
        value = table[self._column[self._targets]]
        moved = np.flatnonzero(value != self._table[self._column[self._targets]])
        place = np.ix_(np.flatnonzero(self._agrees(table)), moved)
        self._low[place] = np.minimum(self._low[place], value[moved])
        self._high[place] = np.maximum(self._high[place], value[moved])

    def _agrees(self, table: Ints) -> Marks:
        """bool (views): a table has what the attacker knows."""
        result = np.ones(len(self._views), np.bool_)
        result[self._known[1][table[self._known[0]] != self._value]] = False
        result[self._shares[1][table[self._shares[0]] < self._gave]] = False
        return result
