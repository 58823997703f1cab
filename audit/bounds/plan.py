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


def deciding(solver: Solver) -> Method:
    """The same for questions that a few tables may answer (see Knowledge.enough): these are looked for first."""
    return Method("deciding", _Always((Probe(solver), *_Full(solver).steps)))


@dataclass(frozen=True)
class _Always:
    """The same steps for every component. (Classes, not closures: methods travel to other processes.)"""

    steps: tuple[Step, ...]

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        return self.steps


@dataclass(frozen=True)
class _Full:
    solver: Solver

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them."""
        return (Simplex(self.solver), Gap(self.solver), Fill(self.solver))

    def __call__(self, component: Component, known: Knowledge) -> tuple[Step, ...]:
        return self.steps
