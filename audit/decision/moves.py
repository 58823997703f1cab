"""Tables that move one sum of a component from a table in hand, and everything else as little as possible.

They mostly are tables of whole units where vertices are not: at the ends of sums of a survey's cluster (16,299 columns
that hang together) 440 columns are fractions with large denominators, which no exact check confirms.
"""

from collections.abc import Iterator

import numpy as np

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.decision.model import NEARLY, Model, in_whole_units
from tableseal.audit.decision.movers import AROUND, AVOID, SHY
from tableseal.audit.decision.regions import Floats, Ints, Region, room
from tableseal.audit.solvers.protocol import Solver

KEPT = 3_000
"""See `Model`: here hardly anything is asked twice but by one attacker after another."""


class Moves:
    """One linear program, kept warm.

    Attributes
    ----------
    equations: the component with a column for each target. column: int64 (targets), which. table: int64 (columns of the
    equations), the table in hand.
    """

    def __init__(self, component: Component, table: Ints, solver: Solver) -> None:
        """table: int64 (columns of the component), whole units that fit."""
        self.equations = as_equations(component)
        self.column = self.equations.targets.indices.astype(np.int64)
        self.table = _completed(component, self.column, table, self.equations.matrix.shape[1])
        rows, columns = self.equations.matrix.shape
        down, up = room(self.table, self.equations.column_lower, self.equations.column_upper)
        still, matrix = np.zeros(rows), self.equations.matrix
        region = Region(np.arange(columns), np.arange(rows), matrix, still, still, down, up)
        self._model = Model(region, solver, kept=KEPT)
        self.shun(np.empty(0, np.int64))

    def shun(self, columns: Ints) -> None:
        """Move these least of all."""
        self._weight = np.ones(len(self.table))
        self._weight[columns] = SHY
        self._model.reset(np.ones(len(self.table), np.bool_), self._weight)

    def towards(
        self,
        column: int,
        way: int,
        distance: int,
        limits: Limits,
        *,
        known: Ints | None = None,
        falling: tuple[Ints, Floats] | None = None,
    ) -> Iterator[list[Ints]]:
        """Tables in which a column goes so far (way 1: down), each with its mirror image where that is a table, too;
        none if it does not go so far. known, falling: see `Model.aim`.

        What a vertex with fractions does not show one that goes a unit further may, or others that leave alone what had
        fractions, or an integer program over what moved: these come next.
        """
        model, moved = self._model, np.zeros(len(self.table), np.bool_)
        held = np.empty(0, np.int64) if known is None else known
        for point in self._points(column, way, distance, limits, held, falling):
            moved |= np.abs(point) > NEARLY
            found = in_whole_units(point)
            if found is not None:
                yield self._fitting(found[0])
        if moved.any() and not limits.out_of_time():
            whole = model.move_whole(limits, moved)
            if whole is not None:
                yield self._fitting(np.rint(whole).astype(np.int64))

    def _points(
        self,
        column: int,
        way: int,
        distance: int,
        limits: Limits,
        held: Ints,
        falling: tuple[Ints, Floats] | None,
    ) -> Iterator[Floats]:
        """Moves that bring a column so far; none if it does not go so far."""
        model, low, high = self._model, self.equations.column_lower[column], self.equations.column_upper[column]
        if (self.table[column] - distance < low) if way == 1 else (self.table[column] + distance > high):
            return
        model.weight, parts = self._weight, np.zeros(len(self.table), np.bool_)
        for further in (0, 1):
            if limits.out_of_time():
                return
            model.aim(column, way, distance + further, held, falling)
            near = (model.move_near(limits, most) for most in model.steps)
            point = next((p for p in near if p is not None), None)
            if point is None:
                point = model.move(limits, prove=False)
            if point is None or model.extent < distance * (1 - NEARLY):
                break
            parts |= np.abs(point - np.rint(point)) > NEARLY
            yield point
        model.aim(column, way, distance, held, falling)
        for _ in range(AROUND if parts.any() else 0):
            model.weight = np.where(parts, AVOID * model.weight, model.weight)
            least = None if limits.out_of_time() else model.least(limits)
            if least is None:
                return
            parts = np.abs(least - np.rint(least)) > NEARLY
            yield least

    def _fitting(self, moves: Ints) -> list[Ints]:
        """The table with moves, and its mirror image, if they are tables."""
        both = (self.table + moves, self.table - moves)
        return [table for table in both if satisfies(self.equations, Rational(table, 1))]


def _completed(component: Component, column: Ints, first: Ints, columns: int) -> Ints:
    """A table of a component as one of its equations (see as_equations), in which targets have columns."""
    table = np.zeros(columns, np.int64)
    table[: len(first)] = first
    interval = np.flatnonzero(component.lower != component.upper)
    table[len(first) : len(first) + len(interval)] = (component.matrix @ first)[interval]
    table[column] = component.targets @ first
    return table
