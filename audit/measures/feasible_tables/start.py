"""Tables to start from: far apart, so that chains that agree in the end have seen what lies between."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.programs.float_problem import solver_problem
from tableseal.audit.bounds.programs.near_vertex import whole_table
from tableseal.audit.solvers.protocol import Solver


def starting_tables(
    component: Component, count: int, solver: Solver, seed: int, limits: Limits
) -> NDArray[np.int64] | None:
    """(count x columns) feasible tables of whole units, vertices for random objectives and their opposites as far as
    there are different ones; None if none is found. Each is checked in whole numbers."""
    problem, shift = solver_problem(component)
    warm = solver.warm(problem)
    generator = np.random.default_rng(seed)
    found: list[NDArray[np.int64]] = []
    for _ in range(-(-count // 2)):
        direction = generator.standard_normal(component.matrix.shape[1])
        for cost in (direction, -direction):
            table = whole_table(component, warm.minimise(cost).x, shift)
            if table is None:
                table = whole_table(component, solver.minimise_integer(problem, cost, limits.seconds_left()).x, shift)
            if table is not None:
                found.append(table)
    if not found:
        return None
    return np.array([found[k % len(found)] for k in range(count)])
