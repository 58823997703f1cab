"""Tables in which one target has a given value: one dictionary for all questions about a component."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import Rational, satisfies
from tableseal.audit.bounds.component import Component
from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    BUDGET,
    CARRIED,
    DETERMINANT,
    DONE,
    EMPTY,
    NOBODY,
    Aim,
    Dictionary,
    Frame,
    Ints,
)
from tableseal.audit.bounds.tableaux.splits import PIVOTS, dive
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

_ROOM = float(NO_UPPER) / 4


class Slices:
    """A component's dictionary at some vertex, from which the dual simplex method leads to tables in few pivots."""

    def __init__(self, component: Component, kernel: ModuleType, dictionary: Dictionary, frame: Frame) -> None:
        """dictionary: at a vertex, compacted and without multipliers; it stays as it is."""
        self._component, self._kernel, self._dictionary, self._frame = component, kernel, dictionary, frame

    def table(self, target: int, value: int, nodes: int) -> Ints | None:
        """Some table of whole units in which a target has the value, where `nodes` splits find one.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: proved that there is none.
        """
        frame, shown = self._frame, list[Ints]()
        variable, columns = int(frame.target[target]), frame.columns
        w = int(frame.sign[variable]) * (value - int(frame.origin[variable]))
        held = _held(self._dictionary, variable, w)
        if held is None:
            return None
        offset = np.zeros(columns, np.int64)
        offset[variable : variable + 1] = w  # nothing, where the target is a sum of columns

        def witness(found: NDArray[Any]) -> int:
            shown.append(frame.origin[:columns] + frame.sign[:columns] * (found + offset).astype(np.int64))
            return 0

        held.state[BUDGET] = PIVOTS
        code = int(self._kernel.reoptimise(held, NOBODY, 1, NO_UPPER))
        empty = code == EMPTY
        if code == DONE:
            empty, _ = dive(self._kernel, held, Aim(NOBODY, 1, 0, columns), NO_UPPER, witness, nodes)
        if empty and not shown:
            raise InfeasibleError
        return shown[0] if shown and satisfies(self._component, Rational(shown[0], 1)) else None


def _held(d: Dictionary, variable: int, w: int) -> Dictionary | None:
    """A new dictionary in which a variable has the value w and is measured from there; None where it is not in the
    dictionary, or where a number does not fit."""
    T, beta, state, D = d.T, d.beta, d.state.copy(), int(d.state[DETERMINANT])
    row, column = np.flatnonzero(d.basic == variable), np.flatnonzero(d.nonbasic == variable)
    if len(row):
        step, moved = -w, np.zeros_like(beta)
        moved[row] = D
    elif len(column):
        step = int(d.span[variable]) - w if d.up[variable] else w
        moved = T[:, column[0]]
    else:
        return None
    if np.abs(beta).max(initial=0) + float(np.abs(moved).max(initial=0)) * abs(step) >= _ROOM:
        return None
    stays = d.nonbasic != variable
    state[[ACTIVE, CARRIED]] = stays.sum()
    span, free = d.span.copy(), d.free.copy()
    span[variable], free[variable] = 0, False
    return Dictionary(
        T[:, stays], beta + moved * step, d.basic.copy(), d.nonbasic[stays], span, free, d.up.copy(), state
    )
