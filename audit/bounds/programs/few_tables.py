"""A few tables, quickly: enough to show that something is possible, never that it is not."""

import numpy as np

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.float_problem import confirmed, solver_problem
from tableseal.audit.solvers.protocol import Solver

ROUNDS = 6
"""Pairs of opposite objectives. On hierarchical counts six show nearly every cell that is free to move."""


class FewTables:
    """Tables that a few fixed objectives lead to."""

    name = "probe"
    quick = True

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Vertices of a few random combinations of the targets."""
        if known.targets == 0:
            return
        problem, shift = solver_problem(component)
        warm = self._solver.warm(problem)
        count, columns = component.targets.shape
        objectives = np.random.default_rng(columns).standard_normal((ROUNDS, count)) @ component.targets
        for objective in [signed for one in np.atleast_2d(objectives) for signed in (one, -one)]:
            if limits.out_of_time():
                return
            outcome = warm.minimise(objective, limits.seconds_left())
            x = None if outcome.status != "optimal" or outcome.x is None else confirmed(component, outcome.x, shift)
            if x is not None and x.denominator == 1:
                known.witness(x.numerator)
