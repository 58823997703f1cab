"""What each knower asks: how close it comes to the cells that hang together with what it knows."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.contributors import Data
from tableseal.audit.attackers.knowers import Knower, knowers, own_alone, shares
from tableseal.audit.attackers.knowing import Neighbourhood
from tableseal.audit.attackers.nearness import Nearness
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

NOBODY = Knower("", {}, {}, 1)


@dataclass(frozen=True)
class Asking:
    """A knower and what it can be too close to.

    cells: int64, targets near what it knows. low, high: int64, how far down and up each must be able to go (NO_UPPER,
    NO_LOWER: any change will do). doubtful: bool, it is not proved that even outsiders are too close.
    """

    knower: Knower
    cells: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    doubtful: NDArray[np.bool_]


def asking(
    data: Data, neighbourhood: Neighbourhood, found: CellBounds, p: Fraction, kinds: tuple[str, ...]
) -> list[Asking]:
    """Every knower that asks about something; those who know the same ask once."""
    targets = neighbourhood.targets
    plain = np.array([_asked(Nearness(data, NOBODY, k, p), found) for k in targets.tolist()], np.int64).reshape(-1, 3)
    asked: dict[object, Asking] = {}
    for knower in knowers(data, kinds, data.release.intruder.coalition):
        key = frozenset(knower.exact.items()), frozenset(knower.own.items()), knower.members
        if key in asked:
            continue
        near, shared = _near(data, neighbourhood, knower)
        told = plain[np.searchsorted(targets, near)]
        for place in np.flatnonzero(shared).tolist():
            told[place] = _asked(Nearness(data, knower, int(near[place]), p), found)
        asked[key] = Asking(knower, near, told[:, 0], told[:, 1], told[:, 2] != 0)
    return [a for a in asked.values() if len(a.cells)]


def _asked(test: Nearness, found: CellBounds) -> tuple[int, int, bool]:
    """(low, high, doubtful) of a target."""
    low, high = test.reach()
    doubtful = not test.fails(found.bounds[test.cell])
    return NO_UPPER if low is None else low, NO_LOWER if high is None else high, doubtful


def _near(data: Data, neighbourhood: Neighbourhood, knower: Knower) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(targets, whether the knower may have a share in each)."""
    near = neighbourhood.of([*knower.exact, *knower.own])
    near = near[~np.isin(near, [*knower.exact, *own_alone(data, knower)])]
    shared = np.isin(near, list(knower.own))
    for s in shares(data, knower):
        shared |= data.nested_with(s, near)
    return near, shared
