"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

from audit.bounds.component import Component
from audit.bounds.fill import Fill
from audit.bounds.flows import Flows
from audit.bounds.gap import Gap
from audit.bounds.knowledge import Knowledge
from audit.bounds.method import Method, Step
from audit.bounds.probe import Probe
from audit.bounds.rounds import Rounds
from audit.bounds.shuttle import Shuttle
from audit.bounds.simplex import Simplex
from audit.solvers.protocol import Solver

DENSE = 1000
"""Columns from which a component that is no network gets witness rounds: 268 columns (f3d_10): 0.8 s, GLPK warm 0.13 s;
1,389 columns (3d20): 8 s, GLPK warm 11 s; 10,301 columns (3d40): 90 s, warm simplex hours."""


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", lambda component, known: (Shuttle(),))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    steps: tuple[Step, ...] = (Simplex(solver), Gap(solver), Fill(solver))

    dense: tuple[Step, ...] = (Rounds(solver), Simplex(solver), Gap(solver, real=True))

    def choose(component: Component, known: Knowledge) -> tuple[Step, ...]:
        if known.convex:
            return (Flows(), *steps)
        return dense if component.matrix.shape[1] >= DENSE else steps

    return Method("full", choose)


def quick(solver: Solver) -> Method:
    """A few tables: shows, proves nothing."""
    return Method("quick", lambda component, known: (Probe(solver),))
