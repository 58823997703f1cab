"""The relaxation: cuts against fractional patterns, and safe patterns that are rounded from them."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.suppression.search.cover import completed, tidied
from tableseal.suppression.search.planes import Planes

ROUNDS = 200
"""Rounds of the relaxation at most."""

STALLED = 6
"""Rounds in which the relaxation may rise by less than SLOW before whole patterns are looked for."""

SLOW = 1e-3

THRESHOLDS = (0.4, 0.8)
"""Shares from which cells of the relaxation are withheld at once when it is rounded."""


def relax(planes: Planes, limits: Limits, rounds: int = ROUNDS) -> None:
    """Cuts against fractional patterns, until there are no more or they raise the bound no longer."""
    slow, last = 0, 0.0
    for _ in range(rounds):
        if limits.out_of_time() or not planes.relax():
            return
        planes.tools.progress("search", planes.bound, planes.cost)
        if planes.bound >= planes.cost:
            return
        slow = slow + 1 if planes.bound - last <= SLOW * max(1.0, planes.bound) else 0
        last = planes.bound
        if slow >= STALLED:
            return
        if not planes.separate(planes.share, limits):
            return


def round_off(planes: Planes, limits: Limits) -> None:
    """Safe patterns around what the relaxation withholds."""
    for threshold in THRESHOLDS:
        _round(planes, threshold, limits)


def around(planes: Planes, threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(cells that the relaxation withholds at least so far, what cells seem to cost: less where it does so in part)."""
    problem = planes.problem
    start = ((planes.share >= threshold) & problem.may) | problem.primary
    return start, problem.cost * (1.0 - 0.99 * np.minimum(planes.share, 1.0))


def _round(planes: Planes, threshold: float, limits: Limits) -> None:
    """A safe pattern around some cells of the relaxation."""
    if limits.out_of_time() or planes.bound >= planes.cost:
        return
    problem, oracle = planes.problem, planes.tools.oracle
    start, price = around(planes, threshold)
    pattern, _ = completed(problem, oracle, start, limits, price)
    if pattern is not None:
        planes.improve(pattern)
        planes.improve(tidied(problem, oracle, pattern, limits))
