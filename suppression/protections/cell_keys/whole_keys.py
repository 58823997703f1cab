"""Probabilities as whole numbers of keys."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

REACH = 8
"""Numbers further from their exact share than this are not looked at."""

NEGLIGIBLE = Fraction(1, 10**6)
"""Changes with a smaller part of a key get none, unless nothing fits then: wide ranges have hundreds of them."""


def allocated(changes: NDArray[np.int64], p: NDArray[np.float64], modulus: int) -> NDArray[np.int64] | None:
    """Whole numbers of keys near p times the modulus, that add up to the modulus, with a mean change of exactly 0.

    Those with the smallest sum of absolute differences, and of what the variance is off in units of its largest term.
    The number of keys without a change is rounded, unless nothing fits then. None: nothing fits at all.

    changes: (n) whole; p: (n) their probabilities.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    exact = [Fraction(float(x)) * modulus for x in p]
    floor = np.array([int(x) for x in exact], np.int64)
    rest = np.array([float(x - int(x)) for x in exact])
    n, square = len(changes), changes.astype(float) ** 2 / max(1, int((changes**2).max()))
    # Variables: steps from the floor (n), how far each is from its share (n), how far the variance is (1).
    measures = np.vstack([np.eye(n), square])
    far = np.vstack([np.hstack([sign * measures, -np.eye(n + 1)]) for sign in (1, -1)])
    share = np.concatenate([rest, [square @ rest]])
    sums = np.array([modulus - floor.sum(), -(changes * floor).sum()], float)
    held = np.hstack([np.vstack([np.ones(n), changes]), np.zeros((2, n + 1))])
    rows = [LinearConstraint(held, sums, sums), LinearConstraint(far, -np.inf, np.concatenate([share, -share]))]
    cost = np.concatenate([np.zeros(n), np.ones(n + 1)])
    whole = np.concatenate([np.ones(n), np.zeros(n + 1)])
    stays = changes == 0
    never = np.array([x < NEGLIGIBLE for x in exact])
    for kept in (True, False):
        low, high = np.maximum(-floor, -REACH).astype(float), np.full(n, REACH + 1.0)
        if kept:
            low[stays] = high[stays] = np.round(rest[stays])
            high[never & ~stays] = 0
        bounds = Bounds(np.append(low, np.zeros(n + 1)), np.append(high, np.full(n + 1, np.inf)))
        found = milp(cost, constraints=rows, bounds=bounds, integrality=whole)
        if found.success:
            numbers: NDArray[np.int64] = floor + np.round(found.x[:n]).astype(np.int64)
            assert numbers.sum() == modulus
            assert (numbers * changes).sum() == 0
            return numbers
    return None
