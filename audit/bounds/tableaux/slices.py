"""Tables in which one target has a given value: one dictionary for all questions about a component."""

import numpy as np

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.kernels.whole_ends import PIVOTS_OF_A_BOX, back, dive, held
from tableseal.audit.bounds.tableaux.dictionary import DONE, EMPTY, NOBODY, Aim, Check, Dictionary, Frame, Ints
from tableseal.audit.compiling import Runner
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

EFFORT = 10_000_000_000
"""Entries that pivots may look at for all tables of one component."""


class Slices:
    """A component's dictionary at some vertex, from which the dual simplex method leads to tables in few pivots."""

    def __init__(self, component: Component, run: Runner, dictionary: Dictionary, frame: Frame, check: Check) -> None:
        """dictionary: at a vertex, compacted and without multipliers; it stays as it is."""
        self._component, self._run, self._dictionary, self._frame = component, run, dictionary, frame
        self._check, self._effort = check, run.full(1, EFFORT)

    def table(self, target: int, value: int, nodes: int) -> Ints | None:
        """Some table of whole units in which a target has the value, where `nodes` splits find one.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: proved that there is none.
        """
        frame, run, check = self._frame, self._run, self._check
        variable, columns = int(frame.target[target]), frame.columns
        w = int(frame.sign[variable]) * (value - int(frame.origin[variable]))
        fits, d = run(held, self._dictionary, variable, w)
        if not fits:
            return None
        offset = run.full(columns, 0)
        if variable < columns:
            offset[variable] = w
        check.filled[0] = 0
        aim, effort = Aim(NOBODY, NOBODY, 1, 0), self._effort
        code = run(back, d, aim, NO_UPPER, PIVOTS_OF_A_BOX, effort)
        empty = code == EMPTY
        if code == DONE:
            empty, _ = run(dive, d, check, aim, NO_UPPER, offset, nodes, effort)
        if check.filled[0] == 0:
            if empty:
                raise InfeasibleError
            return None
        table: Ints = frame.origin[:columns] + frame.sign[:columns] * np.array(check.shown[0], dtype=np.int64)
        return table if satisfies(self._component, Rational(table, 1)) else None
