"""Multipliers and splits that prove a value that is known already: every number checked in exact arithmetic."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from audit.bounds.certify import (
    Rational,
    common_denominator,
    dual_bound,
    rationalise,
    refutes,
    scaled,
    solve_basis,
    sparse,
)
from audit.bounds.component import Component, Limits, Multipliers, Proof, Split
from audit.bounds.elastic import elastic
from audit.bounds.knowledge import FROM_COLUMNS
from audit.bounds.problem import solver_problem
from audit.bounds.simplex import EXACT_BASIS
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.propagate import propagate
from audit.solvers.protocol import Floats, Outcome, Solver, WarmSolver

NODES = 2000
"""Cases that the proof of one end may cost before it is given up."""

FRACTION = 1e-6
"""Distance from a whole number that is more than rounding."""


class Bounder:
    """Proves lower bounds on forms over one component."""

    def __init__(self, component: Component, solver: Solver, limits: Limits) -> None:
        self._component, self._solver, self._limits = component, solver, limits
        self._warm: WarmSolver | None = None
        self._limited: NDArray[np.bool_] | None = None
        self._left = 0

    def prove(self, cost: NDArray[np.int64], target: int) -> Proof | None:
        """Why cost @ x is at least `target` for every whole x; None if no proof was found.

        Only rows and column bounds of the component are used, and the splits above; no propagation.
        """
        if target <= 0 and (cost >= 0).all() and (self._component.column_lower >= 0).all():
            return FROM_COLUMNS
        if self._warm is None:
            self._warm = self._solver.warm(solver_problem(self._component)[0])
        self._left = NODES
        return self._close(self._component, cost, target, self._warm)

    def _close(self, box: Component, cost: NDArray[np.int64], target: int, warm: WarmSolver) -> Proof | None:
        if self._limits.out_of_time() or self._left == 0:
            return None
        self._left -= 1
        outcome = warm.minimise(cost.astype(np.float64), self._limits.seconds_left())
        if outcome.status == "infeasible":
            return self._empty(box)
        if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
            return None
        for y in _candidates(box, cost, outcome, outcome.row_dual):
            if _reaches(box, cost, y, target):
                return sparse(y)
        if not self._limits.integer:
            return None
        shift = solver_problem(box)[1]
        return self._split(box, cost, target, outcome.x, shift)

    def _split(
        self,
        box: Component,
        cost: NDArray[np.int64],
        target: int,
        point: NDArray[np.float64],
        shift: NDArray[np.int64],
    ) -> Proof | None:
        """Two cases: the column whose value lies farthest from a whole number is rounded down, or up; one with limits
        on both sides if there is one, because splits of two others that only differ by so much would never end."""
        distance = np.abs(point - np.rint(point))
        limited = self._limits_known()
        if distance[limited].max(initial=0.0) >= FRACTION:
            distance = np.where(limited, distance, 0.0)
        column = int(np.argmax(distance))
        if distance[column] < FRACTION:
            return None
        at = int(np.floor(point[column])) + int(shift[column])
        sides = []
        for bound, value in (("column_upper", at), ("column_lower", at + 1)):
            narrowed = getattr(box, bound).copy()
            narrowed[column] = value
            half = replace(box, **{bound: narrowed})
            proof = self._close(half, cost, target, self._solver.warm(solver_problem(half)[0]))
            if proof is None:
                return None
            sides.append(proof)
        return Split(column, at, sides[0], sides[1])

    def _limits_known(self) -> NDArray[np.bool_]:
        """bool (columns): rows leave it only so many values."""
        if self._limited is None:
            c = self._component
            low, high = propagate(c.matrix, c.lower, c.upper, c.column_lower, c.column_upper, integer=True)
            self._limited = (low != NO_LOWER) & (high != NO_UPPER)
        return self._limited

    def _empty(self, box: Component) -> Multipliers | None:
        found = elastic(solver_problem(box)[0], self._solver)
        y = None if found is None else rationalise(found.row_dual)
        return sparse(y, empty=True) if y is not None and refutes(box, y) else None


def _reaches(box: Component, cost: NDArray[np.int64], y: Rational, target: int) -> bool:
    bound = dual_bound(box, cost, y)
    return bound is not None and ceil(bound) >= target


def _candidates(box: Component, cost: NDArray[np.int64], outcome: Outcome, dual: Floats) -> Iterator[Rational]:
    """Multipliers near those that the engine gives, the simplest first."""
    y = rationalise(dual)
    if y is not None:
        yield y
        yield _repaired(box, cost, y)
    if box.matrix.shape[1] <= EXACT_BASIS:
        exact = solve_basis(box, cost, outcome)
        y = None if exact is None else common_denominator(exact[1])
        if y is not None:
            yield y
    y = scaled(dual)
    if y is not None:
        yield _repaired(box, cost, y)


def _repaired(box: Component, cost: NDArray[np.int64], y: Rational) -> Rational:
    """Multipliers after rounding may leave a column without upper bound a coefficient a little below 0: more of a row
    that holds the column, has no negative entry and an upper bound, makes up for it."""
    rest = cost * y.denominator - box.matrix.T @ y.numerator
    short = np.flatnonzero((rest < 0) & (box.column_upper == NO_UPPER))
    if len(short) == 0:
        return y
    numerator, by_column = y.numerator.copy(), box.matrix.tocsc()
    least = np.minimum.reduceat(box.matrix.data, box.matrix.indptr[:-1]) if box.matrix.nnz else np.empty(0, np.int64)
    usable = (least > 0) & (box.upper != NO_UPPER)
    for column in short.tolist():
        lack = int(rest[column])
        if lack >= 0:
            continue
        span = slice(by_column.indptr[column], by_column.indptr[column + 1])
        rows = by_column.indices[span][usable[by_column.indices[span]]]
        if len(rows) == 0:
            continue
        row = int(rows[np.argmin(box.upper[rows])])
        entries = slice(box.matrix.indptr[row], box.matrix.indptr[row + 1])
        own = int(box.matrix.data[entries][box.matrix.indices[entries] == column][0])
        more = -(-lack // own)
        numerator[row] -= more
        rest[box.matrix.indices[entries]] += more * box.matrix.data[entries]
    return Rational(numerator, y.denominator)
