"""Splits of a column's values, depth first: the table that attains a rounded bound is nearly always near.

Every box is a dictionary whose bounds were changed, taken to its best vertex by the dual simplex method in whole
numbers. So what is cut off is proved empty, or proved to hold nothing better.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.tableaux.dictionary import (
    BUDGET,
    CUT,
    DETERMINANT,
    DONE,
    EMPTY,
    ROWS,
    Aim,
    Dictionary,
    Ints,
    copied,
)
from tableseal.audit.linear.integers import NO_UPPER

PIVOTS = 300
"""Pivots that one box may take."""


def dive(
    kernel: ModuleType,
    d: Dictionary,
    aim: Aim,
    best: int,
    witness: Callable[[NDArray[Any]], int],
    nodes: int,
) -> tuple[bool, int]:
    """Look for whole vertices with less than `best` of the aim, until one has its goal.

    Parameters
    ----------
    d: a dictionary at the minimum of the aim; it is changed.
    witness: told w of the columns of a whole vertex, says what is best now.
    nodes: boxes to look at.

    Returns
    -------
    (True if it is proved that nothing less than what is best now is possible, what is best now).
    """
    low = np.zeros(aim.columns, np.int64)
    d.state[BUDGET] = PIVOTS
    waiting: list[tuple[Dictionary, Ints, int, int, bool]] = []
    code = DONE
    for _ in range(nodes):
        split = None
        if code == DONE:
            split = _most_fractional(d, aim.columns)
            if split is None:
                value = _value(d, aim, low)
                best = witness(_values(d, aim.columns) + low)
                if best <= aim.goal:
                    return True, best
                if value is not None and value < best:
                    return False, best  # the table was refused, so nothing is known of this box
        elif code not in (EMPTY, CUT):
            return False, best
        if split is not None:
            row, at = split
            if d.free[d.basic[row]]:
                return False, best  # not measured from a bound, so it cannot be given another one
            upward = 2 * (int(d.beta[row]) - at * int(d.state[DETERMINANT])) > int(d.state[DETERMINANT])
            waiting.append((copied(d), low.copy(), row, at, not upward))
        elif waiting:
            d, low, row, at, upward = waiting.pop()
        else:
            return True, best
        _narrow(d, low, row, at, upward)
        code = int(kernel.reoptimise(d, aim.variable, aim.sign, best))
    return False, best


def _most_fractional(d: Dictionary, columns: int) -> tuple[int, int] | None:
    """(row, value rounded down) of the column whose value is nearest to a half; None: all are whole."""
    D, rows = int(d.state[DETERMINANT]), int(d.state[ROWS])
    if D == 1:
        return None
    rest = d.beta[:rows] % D
    at = np.flatnonzero((rest > 0) & (d.basic[:rows] < columns))
    if len(at) == 0:
        return None
    row = int(at[np.abs(2 * rest[at] - D).argmin()])
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


def _value(d: Dictionary, aim: Aim, low: Ints) -> int | None:
    """The aim at a whole vertex; None where it is not in the dictionary."""
    shift = aim.sign * int(low[aim.variable]) if 0 <= aim.variable < aim.columns else 0
    row = np.flatnonzero(d.basic[: int(d.state[ROWS])] == aim.variable)
    if len(row):
        return aim.sign * int(d.beta[row[0]]) // int(d.state[DETERMINANT]) + shift
    if aim.variable in d.nonbasic:
        return aim.sign * int(d.span[aim.variable]) * bool(d.up[aim.variable]) + shift
    return None


def _values(d: Dictionary, columns: int) -> NDArray[Any]:
    w = np.where(d.up[:columns], d.span[:columns], 0).astype(d.beta.dtype)
    own = d.basic < columns
    w[d.basic[own]] = d.beta[own] // d.state[DETERMINANT]
    return w
