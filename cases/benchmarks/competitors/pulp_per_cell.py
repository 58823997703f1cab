"""PuLP, which writes the whole model anew for every objective; a few cells are solved and the rest extrapolated."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cases.benchmarks.attack import Attack, attack
from cases.benchmarks.competitors.protocol import Answer, Budget, Relation, Task, installed
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
        """The model is built once, as part of the work."""
        del folder
        system = attack(instance)
        return Task(lambda: _bounds(system, self._solver, budget), Answer)


def _bounds(system: Attack, solver: str, seconds: float) -> NDArray[np.float64]:
    import pulp

    engine = pulp.getSolver(solver, msg=False, threads=1)
    cells = system.matrix.shape[1]
    variables = [pulp.LpVariable(f"x{k}", lowBound=0) for k in range(cells)]
    model = pulp.LpProblem("attack")
    for row in range(system.matrix.shape[0]):
        a, b = system.matrix.indptr[row : row + 2]
        terms = zip(system.matrix.indices[a:b].tolist(), system.matrix.data[a:b].tolist(), strict=True)
        total = pulp.LpAffineExpression([(variables[column], value) for column, value in terms])
        model += total == int(system.right[row])
    ends = np.full((2, cells), np.nan)
    budget = Budget(seconds)
    sample = np.random.default_rng(SAMPLE_SEED).permutation(cells)[:SAMPLE]
    for cell in sample.tolist():
        for end, sense in enumerate((pulp.LpMinimize, pulp.LpMaximize)):
            model.sense = sense
            model.setObjective(variables[cell] + 0)
            model.solve(engine)
            if model.status == pulp.LpStatusOptimal:
                ends[end, cell] = pulp.value(model.objective)
            elif model.status == pulp.LpStatusUnbounded:
                ends[end, cell] = np.inf
        if budget.spent():
            break
    return ends
