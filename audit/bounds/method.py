"""A method is a sequence of steps that improve what is known of a component until nothing is open."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Answer, Component, Limits, Use
from tableseal.audit.bounds.knowledge import Knowledge, know_nothing
from tableseal.audit.bounds.tableaux.many_components import Blocks
from tableseal.audit.linear.propagate import InfeasibleError


class Step(Protocol):
    """One way of closing ends."""

    name: str
    quick: bool
    """Quick steps of all components come before the others of any, where there is a time limit."""

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
    """Each step is chosen when the one before has done its work. The first ones, up to one that is not quick, are the
    same whatever is known."""
    blocks: Blocks | None = None
    """Closes many small components at once, before any is put through the steps."""

    def bounds(
        self,
        component: Component,
        limits: Limits,
        *,
        enough: NDArray[np.int64] | None = None,
        start: NDArray[np.int64] | None = None,
    ) -> Answer:
        """Both ends of every target.

        enough: see Knowledge (decision mode). start: an integer solution that is known already.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: the component has no solution.
        """
        underway = self.begin(component, limits, enough=enough, start=start)
        self.go_on(component, underway, limits)
        return underway.answer(limits)

    def begin(
        self,
        component: Component,
        limits: Limits,
        *,
        enough: NDArray[np.int64] | None = None,
        start: NDArray[np.int64] | None = None,
        begun: Answer | None = None,
    ) -> "Underway":
        """What is known before the first step.

        begun: the answer of an earlier run that a limit has cut short; others as for `bounds`.
        """
        if (component.column_lower > component.column_upper).any() or (component.lower > component.upper).any():
            raise InfeasibleError
        known = know_nothing(component, limits, enough)
        if start is not None and satisfies(component, Rational(start, 1)):
            known.witness(start)
        if begun is not None:
            known.go_on_from(begun)
        return Underway(known)

    def go_on(self, component: Component, underway: "Underway", limits: Limits, *, quick: bool = False) -> bool:
        """The steps that are left. `quick`: up to the first that is not quick; True: none is left."""
        known = underway.known
        for step in islice(self.steps(component, known), len(underway.uses), None):
            if quick and not step.quick:
                return False
            began, before = perf_counter(), known.closed()
            step.work(component, known, limits)
            asked = len(known.proved) - before
            underway.uses.append(
                Use(
                    step.name,
                    component.matrix.shape[1],
                    known.targets,
                    asked,
                    known.closed() - before,
                    perf_counter() - began,
                )
            )
        return True


@dataclass
class Underway:
    """A component between two steps: what is known, and the steps that were made."""

    known: Knowledge
    uses: list[Use] = field(default_factory=list)

    def answer(self, limits: Limits) -> Answer:
        """What is known now."""
        known = self.known
        return Answer(known.bounds(), tuple(known.tables), tuple(self.uses), complete=not limits.out_of_time())
