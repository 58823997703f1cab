"""What each knower asks: how close it comes to the cells that hang together with what it knows."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.bounds.engine import CellBounds
from audit.measures.insiders.data import Data
from audit.measures.insiders.knowers import Knower, knowers
from audit.measures.insiders.knowing import Neighbourhood
from audit.measures.insiders.nearness import Nearness

NOBODY = Knower("", {}, {}, 1)


@dataclass(frozen=True)
class Asking:
    """A knower and what it can be too close to.

    doubtful: bool (tests), it is not proved that even outsiders are too close.
    """

    knower: Knower
    tests: tuple[Nearness, ...]
    doubtful: NDArray[np.bool_]


def asking(
    data: Data, neighbourhood: Neighbourhood, found: CellBounds, p: Fraction, kinds: tuple[str, ...]
) -> list[Asking]:
    """Every knower that asks about something; those who know the same ask once."""
    plain = {int(k): Nearness(data, NOBODY, int(k), p) for k in neighbourhood.targets}
    doubtful = {k: not test.fails(found.bounds[k]) for k, test in plain.items()}
    asked: dict[object, Asking] = {}
    for knower in knowers(data, kinds, data.release.intruder.coalition):
        key = frozenset(knower.exact.items()), frozenset(knower.own.items()), knower.members
        if key in asked:
            continue
        tests, doubts = [], []
        near, shared = _near(data, neighbourhood, knower)
        for k, is_shared in zip(near.tolist(), shared.tolist(), strict=True):
            test = Nearness(data, knower, k, p) if is_shared else plain[k]
            tests.append(test)
            doubts.append(not test.fails(found.bounds[k]) if is_shared else doubtful[k])
        asked[key] = Asking(knower, tuple(tests), np.array(doubts, np.bool_))
    return [a for a in asked.values() if a.tests]


def _near(data: Data, neighbourhood: Neighbourhood, knower: Knower) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(targets, whether the knower may have a share in each)."""
    near = neighbourhood.of([*knower.exact, *knower.own])
    near = near[~np.isin(near, list(knower.exact))]
    inside = np.zeros(len(near), np.bool_)
    for s in knower.exact:
        inside |= data.nested_with(s, near)
    # A cell inside or around one that the knower knows, with nobody else in it, holds nothing but its own value.
    count = data.contributors[data.open_cells[near]]
    kept = ~(inside & (count >= 0) & (count <= knower.members))
    return near[kept], (inside | np.isin(near, list(knower.own)))[kept]
