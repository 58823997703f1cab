"""A method is a sequence of steps that improve what is known of a component until nothing is open."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audit.bounds.certify import Rational, satisfies
from audit.bounds.component import Answer, Component, Limits, Use
from audit.bounds.knowledge import Knowledge, know_nothing
from audit.linear.propagate import InfeasibleError


class Step(Protocol):
    """One way of closing ends."""

    name: str

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Improve what is known: raise `proved` with a proof in whole numbers, lower `attained` with a checked table.

        Looks only at ends that are still open, and stops where `limits` says so.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: proved that the component has no solution.
        """
        ...


@dataclass(frozen=True)
class Method:
    """Which steps a component is put through, in order."""

    name: str
    steps: Callable[[Component, Knowledge], Iterator[Step]]
    """Each step is chosen when the one before has done its work."""

    def bounds(
        self,
        component: Component,
        limits: Limits,
        *,
        enough: NDArray[np.int64] | None = None,
        start: NDArray[np.int64] | None = None,
        begun: Answer | None = None,
    ) -> Answer:
        """Both ends of every target.

        enough: see Knowledge (decision mode). start: an integer solution that is known already. begun: the answer of an
        earlier run that a limit has cut short.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: the component has no solution.
        """
        if (component.column_lower > component.column_upper).any() or (component.lower > component.upper).any():
            raise InfeasibleError
        known = know_nothing(component, limits, enough)
        if start is not None and satisfies(component, Rational(start, 1)):
            known.witness(start)
        if begun is not None:
            known.go_on_from(begun)
        uses = []
        for step in self.steps(component, known):
            began, before = perf_counter(), known.closed()
            step.work(component, known, limits)
            asked = len(known.proved) - before
            uses.append(
                Use(
                    step.name,
                    component.matrix.shape[1],
                    known.targets,
                    asked,
                    known.closed() - before,
                    perf_counter() - began,
                )
            )
        return Answer(known.bounds(), tuple(known.tables), tuple(uses), complete=not limits.out_of_time())
