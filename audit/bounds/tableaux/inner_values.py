"""The values inside narrow intervals, one by one, where there may be holes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.split_trees import integer_point, with_value
from tableseal.audit.bounds.tableaux.slices import Slices
from tableseal.audit.bounds.tableaux.tableau import Tableau
from tableseal.audit.linear.propagate import InfeasibleError
from tableseal.audit.solvers.protocol import Solver

WIDTH = 32
"""Widest interval whose values are looked for one by one; wider ones are no close call."""

PROGRAMS = 500
"""Integer programs that one component may cost for that."""

NODES = 24
"""Splits that one value may cost before an integer program is asked."""


class Fill:
    """Looks for the values between the ends of narrow targets that no table in hand shows to be possible."""

    name = "values"
    quick = False

    def __init__(self, solver: Solver, tableau: Tableau | None = None) -> None:
        """`tableau`: tried first, where the component suits it (0.1 ms a value instead of 8 ms)."""
        self._solver, self._tableau = solver, tableau

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Raise the number of values seen."""
        if known.values is None or not (limits.integer and limits.values):
            return
        tables = list(self._tables(component, known, limits))
        if tables:
            known.witnesses(np.array(tables))

    def _tables(self, component: Component, known: Knowledge, limits: Limits) -> Iterator[NDArray[np.int64]]:
        """A table for each value that none in hand or given before has."""
        half = known.targets
        low, high = known.attained[:half], -known.attained[half:]
        unlimited = known.unlimited[:half] | known.unlimited[half:]
        narrow = np.flatnonzero(~unlimited & (high - low > 1) & (high - low <= WIDTH))
        # Which values of each narrow target a table shows; beyond its ends nothing is asked.
        shown = np.zeros((len(narrow), WIDTH + 1), np.bool_)
        shown[np.arange(WIDTH + 1) >= (high - low)[narrow, None]] = True

        def show(values: NDArray[np.int64]) -> None:
            above = values[:, narrow] - low[narrow]
            at = np.nonzero((above >= 0) & (above <= WIDTH))
            shown[at[1], above[at]] = True

        for block in known.values or ():
            show(block)
        shown[:, 0] = True
        if shown.all():
            return
        slices, left = None if self._tableau is None else self._tableau.slices(component), PROGRAMS
        for i, above in np.argwhere(~shown).tolist():
            if shown[i, above]:
                continue
            if left == 0 or limits.out_of_time():
                return
            left -= 1
            k = int(narrow[i])
            table = self._table(component, known, slices, k, int(low[k]) + above, limits)
            if table is not None:
                show((known.asked @ table)[None, :])
                yield table

    def _table(
        self, component: Component, known: Knowledge, slices: Slices | None, k: int, value: int, limits: Limits
    ) -> NDArray[np.int64] | None:
        try:
            table = None if slices is None else slices.table(k, value, NODES)
        except InfeasibleError:
            return None
        if table is None:
            there = with_value(component, known.cost(k), value)
            table = integer_point(there, np.zeros(component.matrix.shape[1], np.int64), self._solver, limits)
        return table
