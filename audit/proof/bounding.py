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
from tableseal.audit.bounds.certify import Rational, rationalise, refutes, sparse
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.knowledge import FROM_COLUMNS
from tableseal.audit.bounds.programs.elastic import elastic
from tableseal.audit.bounds.programs.float_problem import as_floats, solver_problem
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import propagate
from tableseal.audit.solvers.protocol import Floats, Outcome, Problem, Solver, WarmSolver
from tableseal.audit.sparse import csr, empty, stacked

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


@dataclass(frozen=True)
class _Case:
    """One of two cases: a column of the program (the last one is the sum of what is bounded) is at most or at least a
    value. way: 1: at least, -1: at most."""

    column: int
    way: int
    at: int


class _Search:
    """Cases until multipliers prove each of them.

    One program serves all cases: each is a bound of a column, so that dual simplex goes on from the case before.
    """

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
        self._used = self._cost != 0
        self._program = solver.warm(_with_sum(solver_problem(self._box)[0], self._used))

    def close(self) -> Bound | None:
        """The proof, None if it costs too much."""
        return self._close(self._box, ())

    def _close(self, box: Component, cases: tuple[_Case, ...]) -> Bound | None:
        if self._limits.out_of_time() or self._left == 0:
            return None
        self._left -= 1
        outcome = self._minimise(self._cost, cases)
        if outcome.status == "infeasible":
            return self._excluded(box, cases) or self._empty(box)
        if outcome.x is None:
            return None
        point = outcome.x[: len(self._cost)]
        # Short of the target no multipliers reach it, and exact ones need not be looked for.
        if float(self._cost @ point) > self._target - 1 + FRACTION:
            found = self._reaching(box, cases, outcome)
            if found is not None:
                return found
        chosen = self._sum(point)
        return None if chosen is None else self._halves(box, cases, *chosen)

    def _minimise(self, cost: NDArray[np.int64], cases: tuple[_Case, ...]) -> Outcome:
        """Over the program within the cases; `cost` may be shorter than its columns."""
        low = as_floats(np.append(self._box.column_lower, NO_LOWER))
        high = as_floats(np.append(self._box.column_upper, NO_UPPER))
        for case in cases:
            if case.way > 0:
                low[case.column] = max(low[case.column], case.at)
            else:
                high[case.column] = min(high[case.column], case.at)
        self._program.set_columns(low, high)
        whole = np.zeros(len(low))
        whole[: len(cost)] = cost
        return self._program.minimise(whole, self._limits.seconds_left())

    def _reaching(self, box: Component, cases: tuple[_Case, ...], outcome: Outcome) -> Multipliers | None:
        """Multipliers that prove the target in these cases: quickly from the program, or from one of the case alone,
        whose basis can be solved exactly."""
        assert outcome.row_dual is not None
        near = replace(outcome, row_dual=self._dual(self._cost, cases, outcome), basis=None)
        found = _multipliers(box, self._cost, self._target, near)
        if found is not None:
            return found
        alone = self._solver.warm(solver_problem(box)[0])
        outcome = alone.minimise(self._cost.astype(np.float64), self._limits.seconds_left())
        return _multipliers(box, self._cost, self._target, outcome)

    def _dual(self, cost: NDArray[np.int64], cases: tuple[_Case, ...], outcome: Outcome) -> Floats:
        """Multipliers of rows and of cases: what the rows leave of a column's cost is carried by the tightest case."""
        assert outcome.row_dual is not None
        own, of_sum = np.append(cost, 0)[: len(self._cost)], cost[len(self._cost) :].sum()
        y, along = outcome.row_dual[:-1], outcome.row_dual[-1]
        rest = np.append(own - self._box.matrix.T @ y - self._used * along, of_sum + along)
        carried = np.zeros(len(cases))
        tightest = {(case.column, case.way): n for n, case in enumerate(cases)}
        for (column, way), n in tightest.items():
            if rest[column] * way > 0:
                carried[n] = rest[column]
        return np.concatenate([y, carried])

    def _sum(self, point: Floats) -> tuple[NDArray[np.bool_], int] | None:
        """Which columns' sum to tell cases of, and where: what is to be bounded, if it is no whole number (one of the
        two cases holds nothing), else the column farthest from one; one with limits on both sides if there is one."""
        if (np.abs(self._cost) <= 1).all() and len(set(np.sign(self._cost[self._used]))) == 1:
            value = float(point[self._used].sum())
            if abs(value - np.rint(value)) >= FRACTION:
                return self._used, int(np.floor(value))
        distance = np.abs(point - np.rint(point))
        if distance[self._limited].max(initial=0.0) >= FRACTION:
            distance = np.where(self._limited, distance, 0.0)
        column = int(np.argmax(distance))
        if distance[column] < FRACTION:
            return None
        return np.arange(len(point)) == column, int(np.floor(point[column]))

    def _halves(self, box: Component, cases: tuple[_Case, ...], which: NDArray[np.bool_], at: int) -> Bound | None:
        row = csr_array(which.astype(np.int64).reshape(1, -1))
        column = int(np.argmax(which)) if which.sum() == 1 else len(which)
        sides = []
        for way, value, low, high in ((-1, at, NO_LOWER, at), (1, at + 1, at + 1, NO_UPPER)):
            half = replace(
                box,
                matrix=stacked([box.matrix, row]),
                lower=np.append(box.lower, low),
                upper=np.append(box.upper, high),
            )
            bound = self._close(half, (*cases, _Case(column, way, value)))
            if bound is None:
                return None
            sides.append(bound)
        return Halves(np.flatnonzero(which[self._group]), at, sides[0], sides[1])

    def _excluded(self, box: Component, cases: tuple[_Case, ...]) -> Multipliers | None:
        """Why the last case holds nothing: without it, the farthest that its column goes is short of it."""
        if not cases:
            return None
        last, before = cases[-1], cases[:-1]
        cost = np.zeros(len(self._cost) + 1, np.int64)
        cost[last.column] = -last.way
        outcome = self._minimise(cost, before)
        if outcome.status != "optimal" or outcome.row_dual is None:
            return None
        y = rationalise(self._dual(cost, before, outcome))
        if y is None:
            return None
        taken = Rational(np.append(y.numerator, last.way * y.denominator), y.denominator)
        return sparse(taken, empty=True) if refutes(box, taken) else None

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


def _with_sum(problem: Problem, used: NDArray[np.bool_]) -> Problem:
    """With one more column, the sum of some others."""
    row = csr_array(np.append(used.astype(np.int64), -1).reshape(1, -1))
    matrix = problem.matrix
    wider = csr(matrix.data, matrix.indices, matrix.indptr, (matrix.shape[0], len(used) + 1))
    return Problem(
        stacked([wider, row]),
        np.append(problem.lower, 0.0),
        np.append(problem.upper, 0.0),
        np.append(problem.column_lower, -np.inf),
        np.append(problem.column_upper, np.inf),
    )


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
