"""Closing the gap between linear and integer bounds.

Integer programs find tables; a tree of splits, each leaf proved in exact arithmetic, rules out the rest.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from tableseal.audit.bounds.certify import Rational, dual_bound, rationalise, satisfies, value_at
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.elastic import proved_empty
from tableseal.audit.bounds.programs.float_problem import confirmed, moved_by, solver_problem, to_original
from tableseal.audit.bounds.programs.lattice_coordinates import Coordinates, in_coordinates
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.solvers.protocol import Solver, WarmSolver

NODES = 4000
"""Splits that one end may cost before it is left open."""


@dataclass
class Splits:
    """How many splits all ends of a component may still cost."""

    left: int = 10 * NODES


def close_gap(component: Component, state: Knowledge, k: int, solver: Solver, limits: Limits, splits: Splits) -> None:
    """Raise the proved bound of minimum k until it meets the attained value or a limit is reached.

    Raises
    ------
    InfeasibleError: proved that no integer solution exists.
    """
    cost = state.cost(k)
    target = int(state.attained[k])
    proved = _prove(component, cost, target, solver, limits, state.witness, splits)
    state.prove(k, min(proved, int(state.attained[k])), None)


def find_any(component: Component, state: Knowledge, solver: Solver, limits: Limits, *, prove: bool) -> None:
    """Find some integer solution of a component about which no question has led to one. `prove`: or that there is none.

    Raises
    ------
    InfeasibleError: proved that no integer solution exists.
    """
    if _has_row_between_multiples(component):
        raise InfeasibleError
    in_coordinates(component)  # raises where the equations have no solution in whole numbers
    nothing = np.zeros(component.matrix.shape[1], np.int64)
    table = integer_point(component, nothing, solver, limits)
    if table is not None:
        state.witness(table)
    elif prove:
        _prove(component, nothing, 1, solver, limits, state.witness, Splits())


def _has_row_between_multiples(component: Component) -> bool:
    """True if some row allows no multiple of the common divisor of its entries (2 x - 2 y = 1): where columns have no
    limit, splits alone would never find that out."""
    filled = np.flatnonzero(np.diff(component.matrix.indptr) > 0)
    if len(filled) == 0:
        return False
    divisor = np.gcd.reduceat(np.abs(component.matrix.data), component.matrix.indptr[filled])
    lower, upper = component.lower[filled], component.upper[filled]
    bounded = (lower != NO_LOWER) & (upper != NO_UPPER)
    return bool((bounded & (-(-lower // divisor) > upper // divisor)).any())


def with_value(component: Component, form: NDArray[np.int64], value: int) -> Component:
    """The component where the form has a given value, which is one between its ends."""
    used = np.flatnonzero(form)
    if len(used) == 1 and abs(form[used[0]]) == 1:
        low, high = component.column_lower.copy(), component.column_upper.copy()
        low[used] = high[used] = value * form[used[0]]
        return replace(component, column_lower=low, column_upper=high)
    fixed = np.array([value], dtype=np.int64)
    return replace(
        component,
        matrix=csr_array(vstack([component.matrix, csr_array(form.reshape(1, -1))], format="csr")),
        lower=np.concatenate([component.lower, fixed]),
        upper=np.concatenate([component.upper, fixed]),
    )


def integer_point(
    component: Component, cost: NDArray[np.int64], solver: Solver, limits: Limits
) -> NDArray[np.int64] | None:
    """The integer solution that the engine finds for least cost, if it is one; None otherwise."""
    try:
        other = in_coordinates(component)
        if other is not None:
            return _point_at(other, component, cost, solver, limits)
    except InfeasibleError:
        return None
    except LimitError:
        pass  # coordinates, weights of them or tables beyond 64 bits; without them numbers are smaller
    return _integer_point(component, cost, solver, limits)


def _point_at(
    other: Coordinates, component: Component, cost: NDArray[np.int64], solver: Solver, limits: Limits
) -> NDArray[np.int64] | None:
    """The same, looked for in coordinates."""
    only = other.moves.shape[0] == 0  # the equations have one solution
    t = np.zeros(0, np.int64) if only else _integer_point(other.component, other.cost(cost), solver, limits)
    table = None if t is None else other.table(t)
    return table if table is not None and satisfies(component, Rational(table, 1)) else None


def _integer_point(
    component: Component, cost: NDArray[np.int64], solver: Solver, limits: Limits
) -> NDArray[np.int64] | None:
    problem, shift = solver_problem(component)
    outcome = solver.minimise_integer(problem, cost.astype(np.float64), limits.seconds_left())
    if outcome.x is None or not np.isfinite(outcome.x).all() or np.abs(outcome.x).max(initial=0.0) > 2.0**52:
        return None
    x = to_original(Rational(np.rint(outcome.x).astype(np.int64), 1), shift)
    return x.numerator if satisfies(component, x) else None


def _prove(
    component: Component,
    cost: NDArray[np.int64],
    target: int,
    solver: Solver,
    limits: Limits,
    witness: Callable[[NDArray[np.int64]], None],
    splits: Splits,
) -> int:
    """Largest value that is proved to be a lower bound on cost @ x over integer x, by best-first splits.

    Each open node is a box of column bounds; propagation and exact dual bounds close it. Stops at `target`.
    """
    problem, shift = solver_problem(component)
    boxes = _Boxes(component, cost, solver, solver.warm(problem), shift)
    root = boxes.node(component.column_lower, component.column_upper)
    if root is None:
        raise InfeasibleError
    queue = [(root[0], 0, root)]
    serial = 0
    for _ in range(min(NODES, splits.left)):
        if not queue or queue[0][0] >= target or limits.out_of_time():
            break
        splits.left -= 1
        _, _, (bound, low, high, point) = heapq.heappop(queue)
        if point is not None and point.denominator == 1:
            witness(point.numerator)
            if ceil(value_at(cost, point)) <= bound:  # the best node is an integer table: nothing is below it
                return bound
        column, at = _split(point, low, high)
        if column is None:
            return bound
        for side in (0, 1):
            new_low, new_high = low.copy(), high.copy()
            if side == 0:
                new_high[column] = at
            else:
                new_low[column] = at + 1
            child = boxes.node(new_low, new_high)
            if child is not None:
                serial += 1
                heapq.heappush(queue, (max(bound, child[0]), serial, (max(bound, child[0]), *child[1:])))
    if not queue:
        raise InfeasibleError
    return int(min(queue[0][0], target))


_Node = tuple[int, NDArray[np.int64], NDArray[np.int64], Rational | None]


@dataclass(frozen=True)
class _Boxes:
    """Boxes of column bounds of one component, on one warm model."""

    component: Component
    cost: NDArray[np.int64]
    solver: Solver
    warm: WarmSolver
    shift: NDArray[np.int64]

    def node(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> _Node | None:
        """(proved bound, column bounds after propagation, LP point) of a box; None if the box is proved empty."""
        component, cost = self.component, self.cost
        try:
            low, high = propagate(component.matrix, component.lower, component.upper, low, high, integer=True)
        except InfeasibleError:
            return None
        box = replace(component, column_lower=low, column_upper=high)
        trivial = _trivial_bound(cost, low, high)
        self.warm.set_columns(moved_by(low, self.shift), moved_by(high, self.shift))
        outcome = self.warm.minimise(cost.astype(np.float64))
        if outcome.status == "infeasible":
            return None if proved_empty(box, self.solver) else (trivial, low, high, None)
        if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
            return trivial, low, high, None
        y = rationalise(outcome.row_dual)
        bound = dual_bound(box, cost, y) if y is not None else None
        proved = trivial if bound is None else max(trivial, ceil(bound))
        return proved, low, high, confirmed(box, outcome.x, self.shift)


def _trivial_bound(cost: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]) -> int:
    used = np.flatnonzero(cost)
    bound = np.where(cost[used] > 0, low[used], high[used])
    if (np.abs(bound) >= NO_UPPER).any():
        return NO_LOWER
    return sum(c * b for c, b in zip(cost[used].tolist(), bound.tolist(), strict=True))


def _split(point: Rational | None, low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[int | None, int]:
    """Column to split and the value after which to split: the most fractional one, if there is one of those with limits
    on both sides (splits of others need never end), else the middle of the widest."""
    if point is not None and point.denominator > 1:
        rest = np.mod(point.numerator, point.denominator)
        distance = np.abs(2 * rest - point.denominator) + np.where(rest == 0, 2 * point.denominator, 0)
        distance += np.where((low == NO_LOWER) | (high == NO_UPPER), point.denominator, 0)
        column = int(np.argmin(distance))
        return column, int(point.numerator[column] // point.denominator)
    width = np.where((low == NO_LOWER) | (high == NO_UPPER), 0, high - low)
    column = int(np.argmax(width))
    if width[column] <= 0:
        return None, 0
    return column, int(low[column] + width[column] // 2)
