"""The elastic problem: least total violation of the rows. Its multipliers say why a problem has no solution."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from tableseal.audit.bounds.certify import rationalise, refutes
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.solvers.protocol import Floats, Problem, Solver


class Elastic(NamedTuple):
    """Least total violation of the rows, its multipliers, and a point that has it."""

    violation: float
    row_dual: Floats
    point: Floats


def elastic(problem: Problem, solver: Solver) -> Elastic | None:
    """The least total violation of the rows; None if the engine gives no answer."""
    rows, columns = problem.matrix.shape
    slack = eye_array(rows, dtype=np.int64)
    relaxed = replace(
        problem,
        matrix=csr_array(hstack([problem.matrix, slack, -slack], format="csr")),
        column_lower=np.concatenate([problem.column_lower, np.zeros(2 * rows)]),
        column_upper=np.concatenate([problem.column_upper, np.full(2 * rows, np.inf)]),
    )
    cost = np.concatenate([np.zeros(columns), np.ones(2 * rows)])
    outcome = solver.warm(relaxed).minimise(cost)
    if outcome.status != "optimal" or outcome.x is None or outcome.row_dual is None:
        return None
    return Elastic(float(cost @ outcome.x), outcome.row_dual, outcome.x[:columns])


def proved_empty(component: Component, solver: Solver) -> bool:
    """Prove in exact arithmetic that a component has no real solution (Farkas)."""
    found = elastic(solver_problem(component)[0], solver)
    y = None if found is None else rationalise(found.row_dual)
    return y is not None and refutes(component, y)
