"""A few splits of a column's values, depth first: the table that attains a rounded bound is nearly always near.

Every box is a dictionary whose bounds were changed, taken to its best vertex by the dual simplex method in whole
numbers. So what is cut off is proved empty, or proved to hold nothing better.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.bounds.dictionary import BUDGET, CUT, DETERMINANT, DONE, EMPTY, ROWS, Dictionary, Ints, copied
from audit.linear.integers import NO_UPPER

NODES = 1000
"""Boxes looked at for one end. Most need a handful; on a hierarchy with 41,520 withheld cells 24 boxes left 108 ends to
integer programs (0.5 s each), 200 left 55, 1,000 left 24, for 0.7 s more in all."""

PIVOTS = 300
"""Pivots that one box may take."""


def dive(
    kernel: ModuleType,
    d: Dictionary,
    columns: int,
    variable: int,
    sign: int,
    goal: int,
    best: int,
    witness: Callable[[NDArray[Any]], int],
) -> bool:
    """Look for whole vertices with less than `best` of sign * w, until one has `goal`.

    Parameters
    ----------
    d: a dictionary at the minimum of sign * w of the variable; it is changed.
    witness: told w of the columns of a whole vertex, says what is best now.

    Returns
    -------
    True if it is proved that nothing less than what is best now is possible.
    """
    low = np.zeros(columns, np.int64)
    d.state[BUDGET] = PIVOTS
    waiting: list[tuple[Dictionary, Ints, int, int, bool]] = []
    code = DONE
    for _ in range(NODES):
        split = None
        if code == DONE:
            split = _most_fractional(d, columns)
            if split is None:
                best = witness(_values(d, columns) + low)
                if best <= goal:
                    return True
        elif code not in (EMPTY, CUT):
            return False
        if split is not None:
            row, at = split
            if d.free[d.basic[row]]:
                return False  # not measured from a bound, so it cannot be given another one
            upward = 2 * (int(d.beta[row]) - at * int(d.state[DETERMINANT])) > int(d.state[DETERMINANT])
            waiting.append((copied(d), low.copy(), row, at, not upward))
        elif waiting:
            d, low, row, at, upward = waiting.pop()
        else:
            return True
        _narrow(d, low, row, at, upward)
        code = int(kernel.reoptimise(d, variable, sign, best))
    return False


def _most_fractional(d: Dictionary, columns: int) -> tuple[int, int] | None:
    """(row, value rounded down) of the column whose value is nearest to a half; None: all are whole."""
    D, rows = int(d.state[DETERMINANT]), int(d.state[ROWS])
    if D == 1:
        return None
    at = np.flatnonzero(d.basic[:rows] < columns)
    rest = d.beta[at] % D
    if not rest.any():
        return None
    row = int(at[np.argmin(np.abs(2 * rest - D))])
    return row, int(d.beta[row]) // D


def _narrow(d: Dictionary, low: Ints, row: int, at: int, upward: bool) -> None:
    """w of a basic column is at most `at`, or (upward) at least one more; it is measured from there."""
    v = int(d.basic[row])
    if not upward:
        d.span[v] = at
        return
    d.beta[row] -= (at + 1) * d.state[DETERMINANT]
    low[v] += at + 1
    if d.span[v] != NO_UPPER:
        d.span[v] -= at + 1


def _values(d: Dictionary, columns: int) -> NDArray[Any]:
    w = np.where(d.up[:columns], d.span[:columns], 0).astype(d.beta.dtype)
    own = d.basic < columns
    w[d.basic[own]] = d.beta[own] // d.state[DETERMINANT]
    return w
