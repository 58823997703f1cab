"""One exchange after another of any amount, for kernels: by how much, what follows from it, whether it pays.

Where an exchange goes, some base cells move by an amount and others by as much the other way. What the amount is, one
of the cells says: as much as takes it back to its true value, or just far enough away from it.
"""

import math
from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.suppression.protections.exchange_choice import (
    Desk,
    Places,
    allowed,
    begin_at,
    choose_further,
    choose_others,
    compare,
    drawn,
    gather,
    listed,
)
from tableseal.suppression.protections.grid import Grids

LOOKS = 8
"""Cells looked at for one that has moved further than it has to."""

STARTS = 6
"""Base cells looked at for one that may move."""

AMOUNTS = 3
"""Amounts tried of each exchange."""

OWN = 250
"""Of a thousand amounts, those that the cell says where the exchange began."""

FAR = 30
"""Of a thousand, those that take a cell to its limits."""


class Needs(NamedTuple):
    """What steps above the least change mean. none: (cells) the step of no change. low, high: (cells) steps between
    which a cell must not be, both ends allowed; equal: there are none. weight: (cells), what a unit of change costs."""

    none: Cells
    low: Cells
    high: Cells
    weight: Cells


@kernel
def outside(p: Places, s: Needs, cell: int, step: int) -> int:
    """How far a step is from the nearest that the cell may have."""
    far: int = max(-step, step - p.between[cell], 0)
    if far == 0 and s.low[cell] < step < s.high[cell]:
        far = min(s.high[cell] - step, step - s.low[cell])
    return far


@kernel
def choose_first(g: Grids, p: Places, s: Needs, d: Desk, table: int) -> int:
    """Choose where an exchange begins: a cell that is outside, or one that has moved further than it has to."""
    first, excess = -1, False
    if p.told[0] > 0 and drawn(p.told, 2) == 0:
        first = p.wrong[drawn(p.told, p.told[0])]
    else:
        for _ in range(LOOKS):
            first = drawn(p.told, len(p.step))
            x = p.step[first]
            excess = x > s.high[first] or x < s.low[first] if s.high[first] > s.low[first] else x != s.none[first]
            if excess:
                break
    return first


@kernel
def direction_of(p: Places, s: Needs, first: int) -> int:
    """Where a cell is to go: back inside, or towards its true value."""
    x = p.step[first]
    if x < 0:
        return 1
    if x > p.between[first]:
        return -1
    if s.low[first] < x < s.high[first] or x == s.none[first]:
        return 2 * drawn(p.told, 2) - 1
    return -1 if x > s.none[first] else 1


@kernel
def amount(p: Places, s: Needs, d: Desk, cells: int, first: int) -> int:
    """By how much: what one of the cells says, at random."""
    i = drawn(p.told, cells)
    if drawn(p.told, 1000) < OWN:
        for k in range(cells):
            if d.cell[k] == first:
                i = k
    c = d.cell[i]
    if s.high[c] > s.low[c]:
        target = s.high[c] if drawn(p.told, 2) == 0 else s.low[c]
    elif drawn(p.told, 1000) < FAR:
        target = p.between[c] * drawn(p.told, 2)
    else:
        target = min(max(s.none[c], 0), p.between[c])
    by: int = (target - p.step[c]) * d.up[i]
    return by


@kernel
def costs(p: Places, s: Needs, d: Desk, cells: int, by: int, price: float) -> float:
    """By how much more all changes cost after an exchange, as shares of what its cells cost by one unit each.

    price: of a unit by which cells are outside, likewise.
    """
    total, far, size = 0.0, 0.0, 1.0  # of cells that no table lists nothing is the cost
    for i in range(cells):
        c = d.cell[i]
        old = p.step[c]
        new = old + d.up[i] * by
        weight = float(s.weight[c])
        total += weight * (abs(new - s.none[c]) - abs(old - s.none[c]))
        far += float(outside(p, s, c, new) - outside(p, s, c, old))
        size += weight
    return total / size + price * far


@kernel
def make(p: Places, s: Needs, d: Desk, cells: int, by: int) -> None:
    """Make an exchange, and keep the list of cells that are outside."""
    for i in range(cells):
        c = d.cell[i]
        p.step[c] += d.up[i] * by
        listed(p, c, outside(p, s, c, p.step[c]) > 0)


@kernel
def exchange(g: Grids, p: Places, s: Needs, d: Desk, tries: int, price: float, heat: float) -> None:
    """Try so many exchanges. price: see `costs`. heat: what an exchange may cost, about, for each unit that it moves
    and each of its cells."""
    tables = len(g.first) - 1
    for _ in range(tries):
        table = drawn(p.told, tables)
        first = choose_first(g, p, s, d, table)
        direction = direction_of(p, s, first)
        found = False
        for _ in range(STARTS):
            begin_at(g, p, d, table, first, 8)
            if allowed(g, p, d, table, 0, direction):
                found = True
                break
        if not found or not choose_others(g, p, d, table, direction):
            continue
        choose_further(g, p, d, table, direction)
        compare(g, d)
        cells = gather(g, d, direction)
        for _ in range(AMOUNTS if cells > 0 else 0):
            by = amount(p, s, d, cells, first)
            if by == 0:
                continue
            cost, warm = costs(p, s, d, cells, by, price), heat * abs(by) / cells
            if cost > 0 and (warm <= 0 or cost > 30 * warm):
                continue
            if cost <= 0 or drawn(p.told, 1 << 30) < math.exp(-cost / warm) * (1 << 30):
                make(p, s, d, cells, by)
                p.told[2] += 1
                break
