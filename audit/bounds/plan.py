"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

from audit.bounds.component import Component
from audit.bounds.fill import Fill
from audit.bounds.flows import Flows
from audit.bounds.gap import Gap
from audit.bounds.knowledge import Knowledge
from audit.bounds.method import Method, Step
from audit.bounds.probe import Probe
from audit.bounds.shuttle import Shuttle
from audit.bounds.simplex import Simplex
from audit.solvers.protocol import Solver


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", lambda component, known: (Shuttle(),))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    steps: tuple[Step, ...] = (Simplex(solver), Gap(solver), Fill(solver))

    def choose(component: Component, known: Knowledge) -> tuple[Step, ...]:
        return (Flows(), *steps) if known.convex else steps

    return Method("full", choose)


def quick(solver: Solver) -> Method:
    """A few tables: shows, proves nothing."""
    return Method("quick", lambda component, known: (Probe(solver),))
