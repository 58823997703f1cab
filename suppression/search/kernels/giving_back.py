"""Which withheld cells of a small table are not needed: each is published in turn, if all that must be able to move
still can (Fischetti, Salazar 2001 call it clean-up) in one call.

For every end a point is kept that shows it to be met. Publishing a cell concerns only ends whose points move it, or
cells that can then be computed; these are asked again, and if one falls short the cell stays withheld.
"""

from typing import NamedTuple

import numpy as np

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import flags, integers
from tableseal.suppression.search.kernels.moves import Moves, dictionary, entered, farthest, still

NEARLY = 1e-6
"""Share of a distance that may be missing."""

MOVED = 1e-7
"""Moves below this share of the distance that is asked for count as nothing."""

FAR = 16.0
"""Times the distance that is asked for, how far another cell moves at most: what takes more is left to whoever decides
exactly."""


class Part(NamedTuple):
    """Cells that hang together while everything else is published.

    rows: float64 (relations x cells). down, up: float64 (cells), how far each may move (inf: without end).
    cell, way, distance: int64, int64, float64 (ends), what has to move: 1 down, -1 up, 0 either way.
    """

    rows: Cells
    down: Cells
    up: Cells
    cell: Cells
    way: Cells
    distance: Cells


class State(NamedTuple):
    """What is known on the way.

    count: int64 (relations), withheld cells of each. asked: bool (cells), has to be able to move. closed: int64
    (cells), published or computed after the last one, of which there are closed_count[0]. fresh: float64 (ends x
    cells), points that were found since; renewed: int64 (ends), whose they are. hard: int64 (ends), how often it fell
    short.
    """

    count: Cells
    asked: Cells
    closed: Cells
    closed_count: Cells
    fresh: Cells
    renewed: Cells
    hard: Cells


@kernel
def shown(p: Part, left: Cells, point: Cells, met: Cells) -> Moves:
    """Look for a point for each end. left: bool (cells), withheld. point: float64 (ends x cells) and met: bool (ends)
    receive the points, in units of the cells, and which ends have one.

    Returns the dictionary, which serves further questions.
    """
    m = dictionary(p.rows.copy())
    for e in range(len(p.cell)):
        if not met[e]:
            for f in range(e):
                if met[f] and _meets(p, point[f], e):
                    _copy(point[f], point[e])
                    met[e] = True
                    break
        if not met[e]:
            met[e] = _ask(p, m, left, e, point[e])
    return m


@kernel
def give_back(p: Part, order: Cells, left: Cells, point: Cells, met: Cells) -> bool:
    """Publish what is not needed; False: not every end has a point to begin with, and nothing is published.

    order: int64, cells that may be published, in the order in which that is tried. left: bool (cells), withheld,
    changed in place. point, met: see `shown`; afterwards they show that what is left is enough.
    """
    m = shown(p, left, point, met)
    ends, width = len(p.cell), len(p.down)
    for e in range(ends):
        if not met[e]:
            return False
    t = State(
        integers(len(p.rows), 0),
        flags(width, False),
        integers(width, 0),
        integers(1, 0),
        np.zeros((ends, width)),
        integers(ends, 0),
        integers(ends, 0),
    )
    for e in range(ends):
        t.asked[p.cell[e]] = True
    for r in range(len(p.rows)):
        for v in range(width):
            t.count[r] += left[v] and p.rows[r][v] != 0.0
    for v in order:
        if not left[v]:
            continue
        if _close(p, t, left, v) and _all_met(p, t, m, left, point):
            continue
        for k in range(t.closed_count[0]):
            _open(p, t, left, t.closed[k])
    return True


@kernel
def chosen(p: Part, point: Cells, met: Cells, take: Cells) -> None:
    """Mark (take: bool, ends) points that together meet all ends that any meets, as they are or turned round."""
    for e in range(len(p.cell)):
        take[e] = met[e]
        for f in range(e):
            if take[e] and take[f] and _meets(p, point[f], e):
                take[e] = False


@kernel
def _close(p: Part, t: State, left: Cells, first: int) -> bool:
    """Publish a cell, and with it what can then be computed; False: that is something that has to move."""
    t.closed[0], t.closed_count[0] = first, 1
    left[first] = False
    at, allowed = 0, not t.asked[first]
    while at < t.closed_count[0]:
        v = t.closed[at]
        at += 1
        for r in range(len(p.rows)):
            if p.rows[r][v] == 0.0:
                continue
            t.count[r] -= 1
            if t.count[r] != 1 or not allowed:
                continue
            for w in range(len(left)):
                if left[w] and p.rows[r][w] != 0.0:
                    left[w] = False
                    t.closed[t.closed_count[0]] = w
                    t.closed_count[0] += 1
                    allowed = allowed and not t.asked[w]
    return allowed


@kernel
def _open(p: Part, t: State, left: Cells, v: int) -> None:
    """Withhold a cell again."""
    left[v] = True
    for r in range(len(p.rows)):
        if p.rows[r][v] != 0.0:
            t.count[r] += 1


@kernel
def _all_met(p: Part, t: State, m: Moves, left: Cells, point: Cells) -> bool:
    """Whether every end is met without the closed cells, those first that fell short before; if so, points are new."""
    found = 0
    for hard in range(2):
        for e in range(len(p.cell)):
            if (t.hard[e] > 0) == (hard == 1) or not _moves(t, point[e]):
                continue
            met = False
            for k in range(found):
                if _meets(p, t.fresh[k], e):
                    _copy(t.fresh[k], t.fresh[found])
                    met = True
                    break
            if not met and not _ask(p, m, left, e, t.fresh[found]):
                t.hard[e] += 1
                return False
            t.renewed[found] = e
            found += 1
    for k in range(found):
        _copy(t.fresh[k], point[t.renewed[k]])
    return True


@kernel
def _moves(t: State, point: Cells) -> bool:
    """Whether a point moves a closed cell."""
    moved = False
    for k in range(t.closed_count[0]):
        moved = moved or point[t.closed[k]] != 0.0
    return moved


@kernel
def _meets(p: Part, point: Cells, e: int) -> bool:
    """Whether a point, or the same turned round if that is allowed, meets an end."""
    moved, enough = point[p.cell[e]], p.distance[e] * (1.0 - NEARLY)
    if abs(moved) < enough:
        return False
    if (moved < 0.0 and p.way[e] >= 0) or (moved > 0.0 and p.way[e] <= 0):
        return True
    for v in range(len(point)):
        if point[v] > p.down[v] * (1.0 + MOVED) or -point[v] > p.up[v] * (1.0 + MOVED):
            return False
    return True


@kernel
def _ask(p: Part, m: Moves, left: Cells, e: int, point: Cells) -> bool:
    """Whether an end is met: the point that shows it."""
    cell, distance = p.cell[e], p.distance[e]
    if not left[cell]:
        return False
    still(m)
    for v in range(len(left)):
        m.low[v] = -min(p.down[v] / distance, FAR) if left[v] else 0.0
        m.high[v] = min(p.up[v] / distance, FAR) if left[v] else 0.0
    row, met = entered(m, cell), False
    if row < 0:  # no relation holds it
        for v in range(len(left)):
            m.at[v] = 0.0
        way = -1.0 if p.way[e] > 0 or (p.way[e] == 0 and m.high[cell] < 1.0) else 1.0
        m.at[cell] = way
        met = (m.high[cell] if way > 0.0 else -m.low[cell]) >= 1.0 - NEARLY
    else:
        if p.way[e] >= 0:
            farthest(m, cell, -1.0, 1.0)
            met = -m.at[cell] >= 1.0 - NEARLY
        if not met and p.way[e] <= 0:
            farthest(m, cell, 1.0, 1.0)
            met = m.at[cell] >= 1.0 - NEARLY
    if met:
        for v in range(len(left)):
            point[v] = m.at[v] * distance if abs(m.at[v]) > MOVED else 0.0
    return met


@kernel
def _copy(source: Cells, target: Cells) -> None:
    for v in range(len(source)):
        target[v] = source[v]
