"""Linear programming by warm primal simplex, every claim checked in exact arithmetic.

Each vertex found gives a value to every target at once; a target end that some vertex already attains at its proved
bound is closed without asking the solver.
"""

from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import (
    common_denominator,
    dual_bound,
    is_ray,
    rationalise,
    satisfies,
    scaled,
    solve_basis,
    sparse,
    value_at,
)
from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.elastic import proved_empty
from tableseal.audit.bounds.programs.float_problem import confirmed, ray_problem, solver_problem
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.protocol import Outcome, Solver, WarmSolver

EXACT_BASIS = 300
"""Columns up to which a vertex with large denominators is solved exactly (979 columns: 0.4 s a solve, and two)."""


EXACT_RATIOS = 60
"""The same where coefficients are no small numbers (growth from one period to the next): few vertices are whole there,
their denominators are large, and integer programs are asked anyway. 121 columns, 242 ends, on a busy machine: 56 s with
exact vertices, 19 s without; all ends were closed by then, too."""

SMALL = 2
"""Coefficients up to this are small numbers."""


class Simplex:
    """Warm primal simplex; works for every component."""

    name = "simplex"
    quick = False

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Linear programming values of the open ends, one after another from the last basis."""
        asked = known.open_linear()
        if known.keep and not limits.integer:
            asked = np.union1d(asked, known.without_point())
        if (known.feasible or known.met.any()) and len(asked) == 0:
            return
        problem, shift = solver_problem(component)
        warm = self._solver.warm(problem)
        if not self._first_point(component, warm, shift, known, limits):
            return
        half = known.targets
        # Minimum and maximum of one target in turn: the vertices between them show much of the others.
        order = np.arange(2 * half).reshape(2, half).T.ravel()
        for k in order[np.isin(order, asked)].tolist():
            if known.real[k] == known.attained[k]:
                continue
            if limits.out_of_time():
                return
            outcome = warm.minimise(known.cost(k).astype(np.float64), limits.seconds_left())
            _judge(component, shift, known, k, outcome, self._solver)
        known.settle_from_columns()

    def _first_point(
        self, component: Component, warm: WarmSolver, shift: NDArray[np.int64], known: Knowledge, limits: Limits
    ) -> bool:
        outcome = warm.minimise(np.zeros(component.matrix.shape[1]), limits.seconds_left())
        if outcome.status == "infeasible" and proved_empty(component, self._solver):
            raise InfeasibleError
        if outcome.status != "optimal" or outcome.x is None:
            return False
        x = confirmed(component, outcome.x, shift)
        if x is not None and x.denominator == 1:
            known.witness(x.numerator)
        return True


def _judge(
    component: Component, shift: NDArray[np.int64], state: Knowledge, k: int, outcome: Outcome, solver: Solver
) -> None:
    """Turn what the solver claims for minimum k into what exact arithmetic confirms."""
    cost = state.cost(k)
    if outcome.status == "unbounded":
        ray = solver.warm(ray_problem(component)).minimise(cost.astype(np.float64))
        state.unlimited[k] = ray.x is not None and is_ray(component, cost, ray.x)
    if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
        return
    x = confirmed(component, outcome.x, shift)
    value = None if x is None else value_at(cost, x)
    y = rationalise(outcome.row_dual)
    bound = dual_bound(component, cost, y) if y is not None else None
    exactly = _solved_exactly(component)
    if bound is None or (bound != value and not exactly):
        rounded = scaled(outcome.row_dual)
        other = dual_bound(component, cost, rounded) if rounded is not None else None
        if other is not None and (bound is None or other > bound):
            bound, y = other, rounded
    if (x is None or bound is None or bound != value) and exactly:
        exact = solve_basis(component, cost, outcome)
        if exact is not None:
            vertex, multipliers = common_denominator(exact[0]), common_denominator(exact[1])
            if vertex is not None and satisfies(component, vertex):
                x, value = vertex, value_at(cost, vertex)
            if multipliers is not None:
                better = dual_bound(component, cost, multipliers)
                if better is not None and (bound is None or better > bound):
                    bound, y = better, multipliers
    if x is not None and x.denominator == 1:
        state.witness(x.numerator)
    if x is not None and value is not None and value < Fraction(int(state.attained[k])):
        best = state.continuous[k]
        state.continuous[k] = value if best is None else min(value, best)
        if state.keep:
            state.points[k] = x.numerator, x.denominator
    if bound is not None and y is not None:
        state.prove(k, ceil(bound), sparse(y) if state.keep else None)
        if bound == value:
            state.lp[k] = value
        elif not exactly:
            state.lp[k] = _nearby(bound, float(cost @ (outcome.x + shift)))


def _solved_exactly(component: Component) -> bool:
    """Whether a vertex that is not simple is solved exactly."""
    columns = component.matrix.shape[1]
    largest = int(np.abs(component.matrix.data).max(initial=0))
    return columns <= EXACT_RATIOS or (columns <= EXACT_BASIS and largest <= SMALL)


def _nearby(bound: Fraction, claimed: float) -> Fraction | None:
    """The simple fraction that the solver claims if the proved bound comes close to it (it is not proved itself)."""
    simple = Fraction(claimed).limit_denominator(1000)
    tolerance = Fraction(1, 10**4) * max(Fraction(1), abs(simple))
    return simple if abs(simple - bound) <= tolerance else None
