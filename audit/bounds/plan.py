"""Which steps a component is put through: by its size and shape, each choice resting on a measurement."""

from dataclasses import dataclass

from audit.bounds.component import Component
from audit.bounds.fill import Fill
from audit.bounds.gap import Gap
from audit.bounds.knowledge import Knowledge
from audit.bounds.method import Method, Step
from audit.bounds.probe import Probe
from audit.bounds.shuttle import Shuttle
from audit.bounds.simplex import Simplex
from audit.solvers.protocol import Solver


def shuttle_only() -> Method:
    """Propagation only: proves, shows nothing."""
    return Method("shuttle", _Always((Shuttle(),)))


def full(solver: Solver) -> Method:
    """Everything it takes to close both ends of every target."""
    return Method("full", _Full(solver))


def quick(solver: Solver) -> Method:
    """A few tables: shows, proves nothing."""
    return Method("quick", _Always((Probe(solver),)))


@dataclass(frozen=True)
class _Always:
    """The same steps for every component. (Classes, not closures: methods travel to other processes.)"""

    steps: tuple[Step, ...]

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        return self.steps


@dataclass(frozen=True)
class _Full:
    solver: Solver

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        return (Simplex(self.solver), Gap(self.solver), Fill(self.solver))
