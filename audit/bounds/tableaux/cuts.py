"""Gomory's cuts (1958): what whole tables satisfy beyond their rows, read off a dictionary in whole numbers.

A basic variable is whole: D w = beta + T z with whole z >= 0, so T z leaves the same rest modulo D as -beta does, and
any multiple of the row says that too. With entries t and right side r modulo D, r > 0, the value of t z is one of r,
r + D, ...: (t z - r) / D is a whole variable >= 0, which the vertex breaks, and one more row of the dictionary.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.tableaux.dictionary import ACTIVE, CARRIED, DETERMINANT, FRESH, ROWS, Aim, Dictionary
from tableseal.audit.bounds.tableaux.fixing import reduced_costs
from tableseal.audit.linear.integers import NO_UPPER

FACTORS = (1, -1, 2, -2, 3, -3)
"""Multiples of a row that are tried."""

SOURCES = 60
"""Rows that are tried, those nearest to a half first."""

TOGETHER = 12
"""Cuts that are added before the next vertex is found."""

_ENDLESS = 1e30


def with_cuts(d: Dictionary, aim: Aim, own: int) -> Dictionary:
    """The dictionary with cuts that its vertex breaks, without older ones that do not bind.

    own: variables from this one on are cuts.
    """
    D, rows, active = int(d.state[DETERMINANT]), int(d.state[ROWS]), int(d.state[ACTIVE])
    T, beta, basic = d.T[:rows, :active], d.beta[:rows], d.basic[:rows]
    source = np.flatnonzero(beta % D)
    source = source[np.argsort(np.abs(2 * (beta[source] % D) - D), kind="stable")][:SOURCES]
    multiples = dict.fromkeys(factor % D for factor in FACTORS)
    rest, right = T[source] % D, beta[source] % D
    t = np.concatenate([(factor * rest) % D for factor in multiples])
    need = np.concatenate([(-factor * right) % D for factor in multiples])
    # Only of variables with a bound is the distance z >= 0.
    need[t[:, d.free[d.nonbasic[:active]]].any(axis=1)] = 0
    chosen = _best(t, need, reduced_costs(d, aim)[0])
    stays, count, variables = basic < own, len(chosen), len(d.span)
    state = d.state.copy()
    state[[ROWS, CARRIED, FRESH]] = int(stays.sum()) + count, active, 1
    return Dictionary(
        np.concatenate([T[stays], t[chosen]]),
        np.concatenate([beta[stays], -need[chosen]]),
        np.concatenate([basic[stays], np.arange(variables, variables + count)]),
        d.nonbasic[:active].copy(),
        np.concatenate([d.span, np.full(count, NO_UPPER)]),
        np.concatenate([d.free, np.zeros(count, np.bool_)]),
        np.concatenate([d.up, np.zeros(count, np.bool_)]),
        state,
    )


def _best(t: NDArray[Any], need: NDArray[Any], cost: NDArray[Any]) -> NDArray[np.int64]:
    """The cuts that raise the aim most in the first pivot; among equals those with fewest entries."""
    price = np.where(t > 0, cost.astype(np.float64) / np.maximum(t, 1).astype(np.float64), np.inf)
    gain = need.astype(np.float64) * np.minimum(price.min(axis=1, initial=np.inf), _ENDLESS)
    size = np.count_nonzero(t, axis=1)
    order = np.lexsort((size, -gain))
    order = order[need[order] > 0]
    # The same cut may come from several rows.
    mark = t.astype(np.float64) @ np.random.default_rng(t.shape[1]).random(t.shape[1]) + need.astype(np.float64)
    _, first = np.unique(mark[order], return_index=True)
    return order[np.sort(first)[:TOGETHER]]
