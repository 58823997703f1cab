"""Multipliers and cases that prove a value that is known already: every number checked in exact arithmetic.

Cases are of sums of columns that the rows do not tell apart: of these alone, one column could always take over what is
left of another, and cases of single columns would have no end.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.candidates import candidates, reaches
from tableseal.audit.bounds.certify import rationalise, refutes, sparse
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.knowledge import FROM_COLUMNS
from tableseal.audit.bounds.programs.elastic import elastic
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import propagate
from tableseal.audit.solvers.protocol import Floats, Outcome, Solver, WarmSolver
from tableseal.audit.sparse import empty, stacked

NODES = 300
"""Cases that the proof of one end may cost before it is given up: a second or less."""

FRACTION = 1e-6
"""Distance from a whole number that is more than rounding."""


@dataclass(frozen=True)
class Halves:
    """The sum of some columns is at most `at`, or at least `at` + 1: in either case the bound holds."""

    columns: NDArray[np.int64]
    at: int
    low: "Bound"
    high: "Bound"


Bound = Multipliers | Halves
"""Of multipliers those on rows beyond the component's are on the cases above, the outermost first."""


class Bounder:
    """Proves lower bounds on forms over one component; of a column it is known at most that it is not negative."""

    def __init__(self, component: Component, solver: Solver, limits: Limits) -> None:
        self._component, self._solver, self._limits = component, solver, limits
        self._warm: WarmSolver | None = None

    def prove(self, cost: NDArray[np.int64], target: int) -> Bound | None:
        """Why cost @ x is at least `target` for every whole x; None if no proof was found.

        Only rows and column bounds of the component are used, and the cases above; no propagation.
        """
        if target <= 0 and (cost >= 0).all() and (self._component.column_lower >= 0).all():
            return FROM_COLUMNS
        if self._limits.out_of_time():
            return None
        if self._warm is None:
            self._warm = self._solver.warm(solver_problem(self._component)[0])
        outcome = self._warm.minimise(cost.astype(np.float64), self._limits.seconds_left())
        found = _multipliers(self._component, cost, target, outcome)
        if found is not None or not self._limits.integer or outcome.status != "optimal":
            return found
        return _Search(self._component, cost, target, self._solver, self._limits).close()


class _Search:
    """Cases until multipliers prove each of them."""

    def __init__(
        self, component: Component, cost: NDArray[np.int64], target: int, solver: Solver, limits: Limits
    ) -> None:
        self._target, self._solver, self._limits = target, solver, limits
        self._group = _groups(component, cost)
        _, first = np.unique(self._group, return_index=True)
        self._cost = cost[first]
        self._box = Component(
            csr_array(component.matrix[:, first]),
            component.lower,
            component.upper,
            component.column_lower[first],
            component.column_upper[first],
            empty(len(first)),
        )
        self._left = NODES
        self._limited = self._limits_known()

    def close(self) -> Bound | None:
        """The proof, None if it costs too much."""
        return self._close(self._box)

    def _close(self, box: Component) -> Bound | None:
        if self._limits.out_of_time() or self._left == 0:
            return None
        self._left -= 1
        outcome = self._solver.warm(solver_problem(box)[0]).minimise(
            self._cost.astype(np.float64), self._limits.seconds_left()
        )
        if outcome.status == "infeasible":
            return self._empty(box)
        found = _multipliers(box, self._cost, self._target, outcome)
        chosen = None if found is not None or outcome.x is None else self._sum(outcome.x)
        return found if chosen is None else self._halves(box, *chosen)

    def _sum(self, point: Floats) -> tuple[NDArray[np.bool_], int] | None:
        """Which columns' sum to tell cases of, and where: what is to be bounded, if it is no whole number (one of the
        two cases holds nothing), else the column farthest from one; one with limits on both sides if there is one."""
        used = self._cost != 0
        if (np.abs(self._cost) <= 1).all() and len(set(np.sign(self._cost[used]))) == 1:
            value = float(point[used].sum())
            if abs(value - np.rint(value)) >= FRACTION:
                return used, int(np.floor(value))
        distance = np.abs(point - np.rint(point))
        if distance[self._limited].max(initial=0.0) >= FRACTION:
            distance = np.where(self._limited, distance, 0.0)
        column = int(np.argmax(distance))
        if distance[column] < FRACTION:
            return None
        return np.arange(len(point)) == column, int(np.floor(point[column]))

    def _halves(self, box: Component, which: NDArray[np.bool_], at: int) -> Bound | None:
        row = csr_array(which.astype(np.int64).reshape(1, -1))
        sides = []
        for low, high in ((NO_LOWER, at), (at + 1, NO_UPPER)):
            half = replace(
                box,
                matrix=stacked([box.matrix, row]),
                lower=np.append(box.lower, low),
                upper=np.append(box.upper, high),
            )
            bound = self._close(half)
            if bound is None:
                return None
            sides.append(bound)
        return Halves(np.flatnonzero(which[self._group]), at, sides[0], sides[1])

    def _limits_known(self) -> NDArray[np.bool_]:
        """bool (columns): rows leave it only so many values."""
        c = self._box
        low, high = propagate(c.matrix, c.lower, c.upper, c.column_lower, c.column_upper, integer=True)
        limited: NDArray[np.bool_] = (low != NO_LOWER) & (high != NO_UPPER)
        return limited

    def _empty(self, box: Component) -> Multipliers | None:
        found = elastic(solver_problem(box)[0], self._solver)
        y = None if found is None else rationalise(found.row_dual)
        return sparse(y, empty=True) if y is not None and refutes(box, y) else None


def _groups(component: Component, cost: NDArray[np.int64]) -> NDArray[np.int64]:
    """Group of each column, numbered from 0: columns of one group have the same entries, bounds and cost."""
    by_column = component.matrix.tocsc()
    by_column.sort_indices()
    seen: dict[tuple[object, ...], int] = {}
    start = by_column.indptr.tolist()
    found = []
    for j, (a, b) in enumerate(pairwise(start)):
        key = (
            by_column.indices[a:b].tobytes(),
            by_column.data[a:b].tobytes(),
            int(cost[j]),
            int(component.column_lower[j]),
            int(component.column_upper[j]),
        )
        found.append(seen.setdefault(key, len(seen)))
    return np.array(found, np.int64)


def _multipliers(box: Component, cost: NDArray[np.int64], target: int, outcome: Outcome) -> Multipliers | None:
    if outcome.status != "optimal" or outcome.row_dual is None:
        return None
    tried = candidates(box, cost, outcome, outcome.row_dual)
    return next((sparse(y) for y in tried if reaches(box, cost, y, target)), None)
