"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

from dataclasses import dataclass

import numpy as np

from audit.bounds.component import Component
from audit.bounds.fill import Fill
from audit.bounds.gap import Gap
from audit.bounds.knowledge import Knowledge
from audit.bounds.method import Method, Step
from audit.bounds.probe import Probe
from audit.bounds.shuttle import Shuttle
from audit.bounds.simplex import Simplex
from audit.bounds.tableau import Tableau
from audit.solvers.protocol import Solver

TABLEAU = 3_000_000
"""Rows times columns up to which one dense dictionary is kept for a component (24 MB; 2,264 x 1,211 with 1,741 targets
took 0.2 s, a flat table of 100 x 100 with 2,540 targets 0.6 s, and 1,064 x 1,385 of a dense cube 1.1 s before its
determinants no longer fitted)."""


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", _Always((Shuttle(),)))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    return Method("full", _Full(solver))


def deciding(solver: Solver) -> Method:
    """The same for questions that a few tables may answer (see Knowledge.enough): these are looked for first."""
    return Method("deciding", _Full(solver, tables_first=True))


@dataclass(frozen=True)
class _Always:
    """The same steps for every component. (Classes, not closures: methods travel to other processes.)"""

    steps: tuple[Step, ...]

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        return self.steps


@dataclass(frozen=True)
class _Full:
    solver: Solver
    tables_first: bool = False

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        large: tuple[Step, ...] = (Simplex(self.solver), Gap(self.solver), Fill(self.solver))
        rows, columns = component.matrix.shape
        sums = int((np.diff(component.targets.indptr) > 1).sum())
        if (rows + sums) * columns <= TABLEAU:
            return (Tableau(), *large)
        return (Probe(self.solver), *large) if self.tables_first else large
