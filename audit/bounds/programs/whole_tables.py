"""Tables of whole units at many proved ends at once: one integer program for several ends instead of one for each."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.programs.split_trees import integer_point
from tableseal.audit.bounds.programs.target_columns import as_equations
from tableseal.audit.linear.integers import NO_LOWER
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.solvers.protocol import Solver

SEED = 1

TOGETHER = 4
"""Ends that the first program holds; twice as many after one that closes some, half as many after others."""

FAILURES = 4
"""Programs in a row that close nothing, after which the ends that are left are better taken one by one."""


class WholeTables:
    """Looks for integer tables in which several open ends have their proved values."""

    name = "joint integer programs"
    quick = False

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Attain open ends, a few at a time."""
        if not limits.integer or len(known.open_integer()) < 2:
            return
        equations = as_equations(component)
        column = np.tile(equations.targets.indices, 2)
        random, together, failures = np.random.default_rng(SEED), TOGETHER, 0
        while failures < FAILURES and not limits.out_of_time():
            ends = known.open_integer()
            ends = random.permutation(ends[known.proved[ends] != NO_LOWER])
            if len(ends) < 2:
                return
            held = equations
            for k in ends[:together].tolist():
                held = _holding(held, int(column[k]), int(known.proved[k]), maximum=k >= known.targets)
            table = integer_point(held, np.zeros(len(held.column_lower), np.int64), self._solver, limits)
            if table is not None:
                known.witness(table[: component.matrix.shape[1]])
            # An end whose proved value no table has is not held at all; a table may then bring nothing.
            if len(known.open_integer()) < len(ends):
                failures, together = 0, 2 * together
            else:
                failures, together = failures + 1, max(together // 2, 1)


def _holding(equations: Component, column: int, proved: int, *, maximum: bool) -> Component:
    """One more end held at its proved value, unless that contradicts those that are held already."""
    low, high = equations.column_lower.copy(), equations.column_upper.copy()
    bounds: NDArray[np.int64] = low if maximum else high
    bounds[column] = -proved if maximum else proved
    if low[column] > high[column]:
        return equations
    try:
        low, high = propagate(equations.matrix, equations.lower, equations.upper, low, high, integer=True)
    except InfeasibleError:
        return equations
    return replace(equations, column_lower=low, column_upper=high)
