"""PuLP, which writes the whole model anew for every objective; a few cells are solved and the rest extrapolated."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.attack import Attack, attack
from cases.benchmarks.competitors.protocol import Answer, Budget, OutOfTimeError, Relation, Task, installed
from cases.benchmarks.instance import Instance

SAMPLE = 20
"""Cells solved at most."""

SAMPLE_SEED = 1


class PulpPerCell:
    """The loop that statistical offices write: one `solve` for each end of each cell."""

    relation: Relation = "equal"

    def __init__(self, name: str, title: str, solver: str, packages: tuple[str, ...]) -> None:
        self.name, self.title, self._solver, self.packages = name, title, solver, packages

    def available(self) -> bool:
        """Whether PuLP is installed and finds the solver."""
        if not installed(self.packages):
            return False
        import pulp

        return self._solver in pulp.listSolvers(onlyAvailable=True)

    def task(self, instance: Instance, folder: Path, budget: float) -> Task:
        """The model is built beforehand, so that extrapolation does not count it many times."""
        del folder
        model, variables = _model(attack(instance))
        return Task(lambda: _bounds(model, variables, self._solver, budget), Answer)


def _model(system: Attack) -> tuple[Any, list[Any]]:
    import pulp

    variables = [pulp.LpVariable(f"x{k}", lowBound=0) for k in range(system.matrix.shape[1])]
    model = pulp.LpProblem("attack")
    for right, (a, b) in zip(system.right.tolist(), pairwise(system.matrix.indptr), strict=True):
        terms = zip(system.matrix.indices[a:b].tolist(), system.matrix.data[a:b].tolist(), strict=True)
        model += pulp.LpAffineExpression([(variables[column], value) for column, value in terms]) == right
    return model, variables


def _bounds(model: Any, variables: list[Any], solver: str, seconds: float) -> NDArray[np.float64]:
    import pulp

    engine = pulp.getSolver(solver, msg=False, threads=1)
    ends = np.full((2, len(variables)), np.nan)
    budget = Budget(seconds)
    for cell in np.random.default_rng(SAMPLE_SEED).permutation(len(variables))[:SAMPLE].tolist():
        for end, sense in enumerate((pulp.LpMinimize, pulp.LpMaximize)):
            model.sense = sense
            model.setObjective(variables[cell] + 0)
            try:
                model.solve(engine)
            except pulp.PulpSolverError:  # what a solver that was stopped at its limit looks like from here
                if not budget.spent():
                    raise
                if np.isnan(ends).all():
                    raise OutOfTimeError from None
                return ends
            if model.status == pulp.LpStatusOptimal:
                ends[end, cell] = pulp.value(model.objective)
            elif model.status == pulp.LpStatusUnbounded:
                ends[end, cell] = np.inf
        if budget.spent():
            break
    return ends
