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
from audit.bounds.whole import Whole
from audit.solvers.protocol import Solver

DENSE = 1000
"""Columns from which a component that is no network gets witness rounds. All ends, CPU seconds beside GLPK warm, whose
answers are floats: 268 columns (f3d_10) 0.8, 0.13; 1,389 columns (3d20) 9.5, 11.3; 10,301 columns (3d40) 90, hours."""

WHOLE = 3000
"""Columns up to which one integer program asks a dense component for a table of whole numbers (3d20: 4.6 s)."""


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", lambda component, known: (Shuttle(),))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    # Joint integer programs first: f3d_10, 136 ends left by simplex: 2.9 s instead of 4.8 s, 124 of them jointly.
    steps: tuple[Step, ...] = (Simplex(solver), Whole(solver), Gap(solver), Fill(solver))
    dense: tuple[Step, ...] = (Rounds(solver), Simplex(solver))

    def choose(component: Component, known: Knowledge) -> tuple[Step, ...]:
        columns = component.matrix.shape[1]
        if known.convex:
            # All ends of 2d300 (22,912 columns) in 0.4 s, of 2d30 (221 columns) in 0.013 s.
            return (Flows(), *steps)
        if columns < DENSE:
            return steps
        return (*dense, Gap(solver, real=True)) if columns <= WHOLE else dense

    return Method("full", choose)


def quick(solver: Solver) -> Method:
    """A few tables: shows, proves nothing."""
    return Method("quick", lambda component, known: (Probe(solver),))
