"""What is left of a dictionary where only less than the best table in hand is asked for.

At the vertex where a target is least, a nonbasic variable whose reduced cost makes up for all of the gap stays where it
is in every better table. What then no longer moves is taken out; what would be no whole number there refutes all of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.tableaux.dictionary import ACTIVE, CARRIED, DETERMINANT, KEEP, ROWS, Aim, Dictionary, Ints
from tableseal.audit.linear.integers import NO_UPPER


def narrowed(d: Dictionary, aim: Aim, best: int, fixed: Ints) -> Dictionary | None:
    """A dictionary of what can still move where the aim is less than `best`; None: it is proved that it cannot be.

    It may share the entries of T, and is not to be changed.

    fixed: int64 (columns): w of the columns that are taken out is written here.
    """
    D, rows, active = int(d.state[DETERMINANT]), int(d.state[ROWS]), int(d.state[ACTIVE])
    T, beta, basic, nonbasic = d.T[:rows, :active], d.beta[:rows], d.basic[:rows], d.nonbasic[:active]
    cost, value = reduced_costs(d, aim)
    room = min(D * (best - 1) - value, NO_UPPER)
    if room < 0:
        return None
    span = d.span.copy()
    paid = np.flatnonzero((cost > 0) & (nonbasic != aim.variable))
    most = room // cost[paid]
    # Where w falls from its upper bound a smaller distance would be another lower bound; only none at all is easy.
    tighter = (most < span[nonbasic[paid]]) & (~d.up[nonbasic[paid]] | (most == 0))
    stays = np.ones(active, np.bool_)
    stays[paid[tighter & (most == 0)]] = False
    span[nonbasic[paid[tighter & (most > 0)]]] = most[tighter & (most > 0)]
    T = T if stays.all() else T[:, stays]
    if D > 1:
        between = np.flatnonzero(beta % D)
        if (beta[between] % np.gcd(np.gcd.reduce(T[between], axis=1, initial=0), D)).any():
            return None
    moves = T.any(axis=1) | (basic == aim.variable)
    at = np.flatnonzero(~moves & (basic < aim.columns))
    fixed[basic[at]] = beta[at] // D
    gone, up = np.concatenate([nonbasic[~stays], d.nonbasic[active:]]), d.up.copy()
    at = gone[(gone < aim.columns) & up[gone]]
    fixed[at] = d.span[at]
    up[gone] = False
    state = d.state.copy()
    count = int(stays.sum())
    state[[ACTIVE, CARRIED, ROWS, KEEP]] = count, count, int(moves.sum()), 0
    T = T if moves.all() else T[moves]
    return Dictionary(T, beta[moves], basic[moves], nonbasic[stays], span, d.free, up, state)


def reduced_costs(d: Dictionary, aim: Aim) -> tuple[NDArray[Any], int]:
    """(cost of each active column, value), so that D times the aim is value + cost z."""
    D, active = int(d.state[DETERMINANT]), int(d.state[ACTIVE])
    row = np.flatnonzero(d.basic[: int(d.state[ROWS])] == aim.variable)
    if len(row):
        return aim.sign * d.T[row[0], :active], aim.sign * int(d.beta[row[0]])
    up = bool(d.up[aim.variable])
    at = d.nonbasic[:active] == aim.variable
    return np.where(at, -aim.sign * D if up else aim.sign * D, 0), aim.sign * D * int(d.span[aim.variable]) * up
