"""The values inside narrow intervals, one by one, where there may be holes."""

import numpy as np

from audit.bounds.component import Component, Limits
from audit.bounds.integer import table_with
from audit.bounds.knowledge import Knowledge
from audit.solvers.protocol import Solver

WIDTH = 32
"""Widest interval whose values are looked for one by one; wider ones are no close call."""

PROGRAMS = 500
"""Integer programs that one component may cost for that."""


class Fill:
    """Looks for the values between the ends of narrow targets that no table in hand shows to be possible."""

    name = "values"
    quick = False

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Raise the number of values seen."""
        if known.values is None or not (limits.integer and limits.values):
            return
        half, left = known.targets, PROGRAMS
        width = -known.attained[half:] - known.attained[:half]
        unlimited = known.unlimited[:half] | known.unlimited[half:]
        for k in np.flatnonzero(~unlimited & (width > 1) & (width <= WIDTH)).tolist():
            seen = known.seen(k)
            for value in range(int(known.attained[k]) + 1, -int(known.attained[half + k])):
                if value in seen:
                    continue
                if left == 0 or limits.out_of_time():
                    return
                left -= 1
                table = table_with(component, known.cost(k), value, self._solver, limits)
                if table is not None:
                    known.witness(table)
