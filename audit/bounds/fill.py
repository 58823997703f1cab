"""The values inside narrow intervals, one by one, where there may be holes."""

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Component, Limits
from audit.bounds.integer import integer_point, with_value
from audit.bounds.knowledge import Knowledge
from audit.bounds.tableau import Tableau
from audit.linear.propagate import InfeasibleError
from audit.solvers.protocol import Solver

WIDTH = 32
"""Widest interval whose values are looked for one by one; wider ones are no close call."""

PROGRAMS = 500
"""Integer programs that one component may cost for that."""


class Fill:
    """Looks for the values between the ends of narrow targets that no table in hand shows to be possible."""

    name = "values"
    quick = False

    def __init__(self, solver: Solver, tableau: Tableau | None = None) -> None:
        """`tableau`: tried first, where the component suits it (2 ms a value instead of 8 ms)."""
        self._solver, self._tableau = solver, tableau

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
                table = self._table(with_value(component, known.cost(k), value), limits)
                if table is not None:
                    known.witness(table)

    def _table(self, component: Component, limits: Limits) -> NDArray[np.int64] | None:
        try:
            table = None if self._tableau is None else self._tableau.table(component)
        except InfeasibleError:
            return None
        if table is None:
            table = integer_point(component, np.zeros(component.matrix.shape[1], np.int64), self._solver, limits)
        return table
