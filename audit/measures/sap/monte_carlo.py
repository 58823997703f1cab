"""Resolved SAP by random orders of the units.

Units become known one after another. Both definitions are monotone: once a zero is recovered it stays recovered. So one
random order gives all sample sizes at once: the size m_s at which it exhausts a tight cell, and by bisection the size
m_r <= m_s at which subtraction and solving again first recovers a zero. Since SAP static is known exactly, only the
difference, P(m_r <= n < m_s), is estimated, with exact binomial (Clopper-Pearson) intervals: the estimate is never
below static. Samples whose state stays open widen the interval on the side they might be on.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LimitError
from tableseal.audit.measures.sap.attack import Attack, Ints
from tableseal.audit.measures.sap.network import Network
from tableseal.audit.measures.sap.result import Sampling, Sap, from_bounds
from tableseal.audit.measures.sap.solve import NOT_RECOVERED, RECOVERED
from tableseal.audit.progress import Progress

UNITS_AT_ONCE = 1_000_000


class States(Protocol):
    """Judges samples."""

    def states(self, samples: Ints) -> NDArray[np.int8]:
        """RECOVERED, NOT_RECOVERED or OPEN for each sample (int64, samples x groups)."""
        ...


class NetworkStates:
    """Samples judged by a network; equal sets of exhausted cells once."""

    def __init__(self, attack: Attack, net: Network) -> None:
        self._attack, self._net = attack, net

    def states(self, samples: Ints) -> NDArray[np.int8]:
        """RECOVERED or NOT_RECOVERED for each sample."""
        exhausted = samples[:, self._attack.groups] == self._attack.counts
        packed = np.packbits(exhausted, axis=1)
        _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        found = self._net.recovered(exhausted[first]).any(axis=1)
        return np.asarray(np.where(found, RECOVERED, NOT_RECOVERED)[which.ravel()], dtype=np.int8)


def estimate(
    attack: Attack,
    judge: States,
    tight: NDArray[np.bool_],
    static: Sap,
    sampling: Sampling,
    progress: Progress,
) -> Sap:
    """Resolved SAP at the sizes of `static`, the exact (or enclosed) static SAP of the groups `tight`.

    Raises
    ------
    LimitError: samples of more than a million units.
    """
    top = max(static.n)
    if top > UNITS_AT_ONCE:
        raise LimitError(f"SAP is estimated for samples of up to {UNITS_AT_ONCE:,} units; ask for smaller n.")
    generator = np.random.Generator(np.random.PCG64(sampling.seed))
    block = max(1, UNITS_AT_ONCE // max(top, len(attack.group_counts), 1))
    at_least = np.zeros(top + 1, np.int64)
    at_most = np.zeros(top + 1, np.int64)
    for start in range(0, sampling.replicates, block):
        progress("samples", start, sampling.replicates)
        orders = _orders(attack, min(block, sampling.replicates - start), top, generator)
        by_static = _first_exhausted(attack, orders, tight)
        earliest, latest = _thresholds(attack, judge, orders, by_static)
        for first, found in ((latest, at_least), (earliest, at_most)):
            # one order adds 1 to every size in first..by_static - 1
            step = np.bincount(first, minlength=top + 2) - np.bincount(by_static, minlength=top + 2)
            found += np.cumsum(step)[: top + 1]
    progress("samples", sampling.replicates, sampling.replicates)
    bounds = []
    for position, n in enumerate(static.n):
        low, high = static.bounds(position)
        below = _binomial(int(at_least[n]), sampling)[0]
        above = _binomial(int(at_most[n]), sampling)[1]
        bounds.append((min(float(low) + below, 1.0), min(float(high) + above, 1.0)))
    method = "Monte Carlo of what exceeds static"
    found_sap = from_bounds("resolved", method, attack.total, static.n, bounds, sampling)
    raw = [
        s + float(at_least[n] + at_most[n]) / 2 / sampling.replicates
        for s, n in zip(static.value, static.n, strict=True)
    ]
    order = np.argsort(static.n, kind="stable")
    rising = np.empty(len(raw))
    rising[order] = np.maximum.accumulate(np.array(raw)[order])  # SAP never falls as n grows
    value = tuple(min(v, high) for v, (_, high) in zip(rising.tolist(), bounds, strict=True))
    error = max(max(high - v, v - low) for v, (low, high) in zip(value, bounds, strict=True)) + 2.0**-52
    return Sap("resolved", method, attack.total, static.n, None, value, error, found_sap.interval, sampling)


def _orders(attack: Attack, number: int, top: int, generator: np.random.Generator) -> Ints:
    """Groups of the first `top` units of random orders of all units (int64, number x top)."""
    groups = np.flatnonzero(attack.sampled_groups)
    ends = np.cumsum(attack.group_counts[groups])
    if 2 * top >= attack.total:
        units = np.argsort(generator.random((number, attack.total)), axis=1, kind="stable")[:, :top]
    else:
        units = generator.integers(0, attack.total, (number, top))
        while (again := _repeated(units)).any():
            # What stands twice is drawn anew at its later place. Nothing here depends on which unit is which, so every
            # order of different units is equally likely.
            units[again] = generator.integers(0, attack.total, int(again.sum()))
    return np.asarray(groups[np.searchsorted(ends, units, side="right")], dtype=np.int64)


def _repeated(units: Ints) -> NDArray[np.bool_]:
    """bool: the same unit stands further to the left."""
    order = np.argsort(units, axis=1, kind="stable")
    ranked = np.take_along_axis(units, order, axis=1)
    again = np.zeros(units.shape, np.bool_)
    np.put_along_axis(again, order[:, 1:], ranked[:, 1:] == ranked[:, :-1], axis=1)
    return again


def _first_exhausted(attack: Attack, orders: Ints, tight: NDArray[np.bool_]) -> Ints:
    """Size at which each order exhausts its first tight group; one more than its length if it does not."""
    number, top = orders.shape
    groups = len(attack.group_counts)
    row = np.arange(number)[:, None]
    last = np.zeros((number, groups), np.int64)
    last[row, orders] = np.arange(1, top + 1)  # of repeated places the last assignment holds
    taken = np.bincount((row * groups + orders).ravel(), minlength=number * groups).reshape(number, groups)
    done = tight & (taken == attack.group_counts)
    return np.asarray(np.where(done, last, top + 1).min(axis=1), dtype=np.int64)


def _thresholds(attack: Attack, judge: States, orders: Ints, by_static: Ints) -> tuple[Ints, Ints]:
    """(earliest, latest): between which sizes each order first recovers a zero; equal unless samples stay open."""
    number, top = orders.shape
    low = np.full(number, -1, np.int64)  # largest size known to recover nothing
    high = by_static.copy()  # smallest size known to recover; top + 1 stands for "beyond"
    busy = high - low > 1
    middle = np.where(high == top + 1, top, (low + high) // 2)  # the full length first: it settles most orders
    while busy.any():
        at = np.flatnonzero(busy)
        state = judge.states(_samples(attack, orders[at], middle[at]))
        yes, no = at[state == RECOVERED], at[state == NOT_RECOVERED]
        high[yes], low[no] = middle[yes], middle[no]
        busy[at[(state != RECOVERED) & (state != NOT_RECOVERED)]] = False
        busy &= high - low > 1
        middle = (low + high) // 2
    return low + 1, high


def _samples(attack: Attack, orders: Ints, sizes: Ints) -> Ints:
    """Units of each group among the first sizes[i] of order i."""
    number, top = orders.shape
    groups = len(attack.group_counts)
    chosen = np.arange(top) < sizes[:, None]
    flat = (np.arange(number)[:, None] * groups + orders)[chosen]
    return np.bincount(flat, minlength=number * groups).reshape(number, groups).astype(np.int64)


def _binomial(successes: int, sampling: Sampling) -> tuple[float, float]:
    """Clopper-Pearson interval of a proportion."""
    from scipy.special import betaincinv

    trials, outside = sampling.replicates, (1 - sampling.confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, outside))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - outside))
    return low, high
