"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

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
    return Method("shuttle", lambda component, known: (Shuttle(),))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    large: tuple[Step, ...] = (Simplex(solver), Gap(solver), Fill(solver))
    steps: tuple[Step, ...] = (Tableau(), *large)

    def choose(component: Component, known: Knowledge) -> tuple[Step, ...]:
        rows, columns = component.matrix.shape
        sums = int((np.diff(component.targets.indptr) > 1).sum())
        return steps if (rows + sums) * columns <= TABLEAU else large

    return Method("full", choose)


def quick(solver: Solver) -> Method:
    """A few tables: shows, proves nothing."""
    return Method("quick", lambda component, known: (Probe(solver),))
