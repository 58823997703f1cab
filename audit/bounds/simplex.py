"""Bounds of one component by warm primal simplex, every claim checked in exact arithmetic.

Each vertex found gives a value to every target at once; a target end that some vertex already attains at its proved
bound is closed without asking the solver.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from audit.bounds.certify import (
    Rational,
    common_denominator,
    dual_bound,
    is_ray,
    rationalise,
    satisfies,
    scaled,
    solve_basis,
    value_at,
)
from audit.bounds.component import Component, End, Limits, TargetBounds
from audit.bounds.elastic import proved_empty
from audit.bounds.integer import close_gap, find_any, table_with
from audit.bounds.network import is_network
from audit.bounds.problem import ray_problem, solver_problem, to_original
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.linear.propagate import InfeasibleError, form_bounds
from audit.solvers.protocol import Outcome, Solver, WarmSolver

EXACT_BASIS = 300
"""Columns up to which a vertex with large denominators is solved exactly (979 columns: 0.4 s a solve, and two)."""

MOST_VALUES = 4096
"""Different values of one target that are remembered."""

FILL_WIDTH = 32
"""Widest interval whose values are looked for one by one where there may be holes; wider ones are no close call."""

FILL_PROGRAMS = 500
"""Integer programs that one component may cost for that."""

_NONE = NO_UPPER  # "nothing attained yet" in an array of minima


@dataclass
class _Minima:
    """Running knowledge of the minimum of every form: targets, then their negatives (so that maxima are minima)."""

    forms: csr_array
    proved: NDArray[np.int64]
    """Lower bounds proved for integer solutions; NO_LOWER for none."""
    attained: NDArray[np.int64]
    lp: list[Fraction | None]
    continuous: list[Fraction | None]
    unlimited: NDArray[np.bool_]
    values: list[set[int]] | None = None
    """Different values seen of each target, kept only where not every value in between is known to be possible."""
    in_hand: bool = False
    """Some integer solution was found."""

    def cost(self, k: int) -> NDArray[np.int64]:
        """Form k as a dense row."""
        row = np.zeros(self.forms.shape[1], np.int64)
        span = slice(self.forms.indptr[k], self.forms.indptr[k + 1])
        row[self.forms.indices[span]] = self.forms.data[span]
        return row

    def witness(self, x: NDArray[np.int64]) -> None:
        """An integer solution in hand: it bounds every minimum from above."""
        self.in_hand = True
        value = self.forms @ x
        np.minimum(self.attained, value, out=self.attained)
        if self.values is not None:
            for seen, v in zip(self.values, value.tolist(), strict=False):
                if len(seen) < MOST_VALUES:
                    seen.add(v)


class Simplex:
    """Warm primal simplex; works for every component."""

    name = "simplex"

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def bounds(self, component: Component, limits: Limits) -> list[TargetBounds]:
        """Both ends of every target, in order."""
        count = component.targets.shape[0]
        convex = is_network(component)
        low, high = form_bounds(component.targets, component.column_lower, component.column_upper)
        state = _Minima(
            forms=csr_array(vstack([component.targets, -component.targets], format="csr")),
            proved=np.concatenate([low, np.where(high == NO_UPPER, NO_LOWER, -high)]),
            attained=np.full(2 * count, _NONE),
            lp=[None] * (2 * count),
            continuous=[None] * (2 * count),
            unlimited=np.zeros(2 * count, np.bool_),
            values=None if convex else [set() for _ in range(count)],
        )
        problem, shift = solver_problem(component)
        warm = self._solver.warm(problem)
        feasible = self._first_point(component, warm, shift, state, limits)
        if feasible:
            self._linear(component, warm, shift, state, limits)
        if limits.integer:
            for k in np.flatnonzero(~state.unlimited & (state.proved < state.attained)).tolist():
                if limits.out_of_time():
                    break
                close_gap(component, state.cost(k), state, k, self._solver, limits)
            if not state.in_hand and not limits.out_of_time():
                # Nobody asks, or the answer has no limit: still, a release that no table fits must not pass.
                find_any(component, state, self._solver, limits)
            self._fill(component, state, limits)
        # A direction without end proves nothing to be possible as long as no table is in hand to start from.
        state.unlimited &= state.in_hand
        return [
            TargetBounds(
                _end(state, k, 1),
                _end(state, count + k, -1),
                convex=convex,
                seen=0 if state.values is None else len(state.values[k]),
            )
            for k in range(count)
        ]

    def _fill(self, component: Component, state: _Minima, limits: Limits) -> None:
        """Look for the values between the ends of narrow targets that no table in hand shows to be possible."""
        if state.values is None:
            return
        half, left = len(state.values), FILL_PROGRAMS
        for k, seen in enumerate(state.values):
            low, high = int(state.attained[k]), -int(state.attained[half + k])
            if state.unlimited[k] or state.unlimited[half + k] or not 1 < high - low <= FILL_WIDTH:
                continue
            for value in range(low + 1, high):
                if value in seen:
                    continue
                if left == 0 or limits.out_of_time():
                    return
                left -= 1
                table = table_with(component, state.cost(k), value, self._solver, limits)
                if table is not None:
                    state.witness(table)

    def _first_point(
        self, component: Component, warm: WarmSolver, shift: NDArray[np.int64], state: _Minima, limits: Limits
    ) -> bool:
        outcome = warm.minimise(np.zeros(component.matrix.shape[1]), limits.seconds_left())
        if outcome.status == "infeasible" and proved_empty(component, self._solver):
            raise InfeasibleError
        if outcome.status != "optimal" or outcome.x is None:
            return False
        point = rationalise(outcome.x)
        if point is not None and point.denominator == 1:
            x = to_original(point, shift)
            if satisfies(component, x):
                state.witness(x.numerator)
        return True

    def _linear(
        self,
        component: Component,
        warm: WarmSolver,
        shift: NDArray[np.int64],
        state: _Minima,
        limits: Limits,
    ) -> None:
        half = len(state.proved) // 2
        for step in range(2 * half):
            k = step // 2 + (half if step % 2 else 0)
            if state.proved[k] == state.attained[k]:
                # Propagation proves the bound for every real solution and a table attains it: it is the LP value too.
                state.lp[k] = Fraction(int(state.proved[k]))
                continue
            if limits.out_of_time():
                return
            outcome = warm.minimise(state.cost(k).astype(np.float64), limits.seconds_left())
            _judge(component, shift, state, k, outcome, self._solver)


def _judge(
    component: Component, shift: NDArray[np.int64], state: _Minima, k: int, outcome: Outcome, solver: Solver
) -> None:
    """Turn what the solver claims for minimum k into what exact arithmetic confirms."""
    cost = state.cost(k)
    if outcome.status == "unbounded":
        ray = solver.warm(ray_problem(component)).minimise(cost.astype(np.float64))
        state.unlimited[k] = ray.x is not None and is_ray(component, cost, ray.x)
    if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
        return
    x, value = _point(component, shift, cost, outcome.x)
    y = rationalise(outcome.row_dual)
    bound = dual_bound(component, cost, y) if y is not None else None
    if bound is None or (bound != value and component.matrix.shape[1] > EXACT_BASIS):
        rounded = scaled(outcome.row_dual)
        other = dual_bound(component, cost, rounded) if rounded is not None else None
        bound = other if bound is None or (other is not None and other > bound) else bound
    if (x is None or bound is None or bound != value) and component.matrix.shape[1] <= EXACT_BASIS:
        exact = solve_basis(component, cost, outcome)
        if exact is not None:
            vertex, multipliers = common_denominator(exact[0]), common_denominator(exact[1])
            if vertex is not None and satisfies(component, vertex):
                x, value = vertex, value_at(cost, vertex)
            if multipliers is not None:
                better = dual_bound(component, cost, multipliers)
                if better is not None and (bound is None or better > bound):
                    bound = better
    if x is not None and x.denominator == 1:
        state.witness(x.numerator)
    if value is not None and value < Fraction(int(state.attained[k])):
        state.continuous[k] = value
    if bound is not None:
        state.proved[k] = max(int(state.proved[k]), ceil(bound))
        if bound == value:
            state.lp[k] = value
        elif component.matrix.shape[1] > EXACT_BASIS:
            state.lp[k] = _nearby(bound, float(cost @ (outcome.x + shift)))


def _nearby(bound: Fraction, claimed: float) -> Fraction | None:
    """The simple fraction that the solver claims if the proved bound comes close to it (it is not proved itself)."""
    simple = Fraction(claimed).limit_denominator(1000)
    tolerance = Fraction(1, 10**4) * max(Fraction(1), abs(simple))
    return simple if abs(simple - bound) <= tolerance else None


def _point(
    component: Component, shift: NDArray[np.int64], cost: NDArray[np.int64], claimed: NDArray[np.float64]
) -> tuple[Rational | None, Fraction | None]:
    point = rationalise(claimed)
    if point is None:
        return None, None
    x = to_original(point, shift)
    return (x, value_at(cost, x)) if satisfies(component, x) else (None, None)


def _end(state: _Minima, k: int, sign: int) -> End:
    """Minimum k as an end of its target; sign -1 turns the minimum of the negative into a maximum."""
    proved, attained = int(state.proved[k]), int(state.attained[k])
    lp, continuous = state.lp[k], state.continuous[k]
    if continuous is not None and attained != _NONE and continuous >= attained:
        continuous = None
    return End(
        lp=None if lp is None else sign * lp,
        outer=None if proved == NO_LOWER else sign * proved,
        attained=None if attained == _NONE else sign * attained,
        continuous=None if continuous is None else sign * continuous,
        unlimited=bool(state.unlimited[k]),
    )
