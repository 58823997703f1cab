"""HiGHS, the default engine.

Its models are loaded when the first of them is made: that takes 0.06 s, and most small audits need no solver.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.solvers.protocol import MOST_NODES, Floats, Outcome, Problem

if TYPE_CHECKING:
    from tableseal.audit.solvers.highs_models import HighsInterior, HighsWarm

USUAL_EFFORT = 0.05
"""Share of the work of an integer program that goes into heuristics, as HiGHS has it."""

INTERIOR = 3_000
"""Columns beyond which integer programs start with the interior point method: from nothing, simplex has no first table
of a cube of 10,301 columns after minutes, and takes a third of the time on one of 1,385."""


class Highs:
    """The default engine."""

    def interior(self, problem: Problem) -> "HighsInterior":
        """A linear program for the interior point method."""
        from tableseal.audit.solvers.highs_models import HighsInterior

        return HighsInterior(problem)

    def warm(self, problem: Problem) -> "HighsWarm":
        """A warm linear program."""
        from tableseal.audit.solvers.highs_models import HighsWarm

        return HighsWarm(problem)

    def minimise_integer(
        self,
        problem: Problem,
        cost: Floats,
        seconds: float,
        *,
        nodes: int = MOST_NODES,
        integral: NDArray[np.bool_] | None = None,
        effort: float = USUAL_EFFORT,
        interior: int = INTERIOR,
        start: Floats | None = None,
    ) -> Outcome:
        """Minimise over integers in a fresh model; stops after `seconds`, or so many nodes. effort: share of the work
        that heuristics may take. interior: columns beyond which it starts with the interior point method. start: a
        solution in hand, than which none that is found is worse."""
        from tableseal.audit.solvers.highs_models import minimise_integer

        return minimise_integer(problem, cost, seconds, nodes, integral, effort, interior, start)

    def first_order(self, problem: Problem, cost: Floats, seconds: float) -> Outcome:
        """Minimise over real numbers by a first-order method: near an optimum, in multipliers too."""
        from tableseal.audit.solvers.highs_models import first_order

        return first_order(problem, cost, seconds)
