"""One exchange after another of multiples of a base, for kernels: what follows from it, whether it pays."""

import math
from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.suppression.protections.exchange_choice import (
    Desk,
    Places,
    begin_at,
    choose_further,
    choose_others,
    compare,
    drawn,
    gather,
    listed,
)
from tableseal.suppression.protections.grid import Grids

FOCUS = 500
"""Tries of a thousand that begin at a cell beyond its neighbours, while there is one."""


class Values(NamedTuple):
    """What steps above the lower neighbours mean. least: (cells, base cells behind them) smallest step. residual:
    (cells) of the part."""

    least: Cells
    residual: Cells


@kernel
def choose_first(g: Grids, p: Places, d: Desk, table: int) -> int:
    """Choose where an exchange begins; gives the direction."""
    wrong, direction = -1, 1
    if p.told[0] > 0 and drawn(p.told, 1000) < FOCUS:
        wrong = p.wrong[drawn(p.told, p.told[0])]
        direction = -1 if p.step[wrong] > p.between[wrong] else 1
    elif drawn(p.told, 2) == 0:
        direction = -1
    begin_at(g, p, d, table, wrong, 4)
    return direction


@kernel
def costs(p: Places, s: Values, d: Desk, cells: int, base: int, price: int) -> int:
    """By how much more all changes cost after an exchange; 2^62: a value would be negative."""
    total = 0
    for i in range(cells):
        c = d.cell[i]
        old, new = p.step[c], p.step[c] + d.up[i]
        if new < s.least[c]:
            return 2**62
        if c >= len(s.residual):
            continue
        total += abs(base * new - s.residual[c]) - abs(base * old - s.residual[c])
        total += price * (max(new - p.between[c], -new, 0) - max(old - p.between[c], -old, 0))
    return total


@kernel
def make(p: Places, s: Values, d: Desk, cells: int) -> None:
    """Make an exchange, and keep the list of cells beyond their neighbours."""
    for i in range(cells):
        c = d.cell[i]
        p.step[c] += d.up[i]
        listed(p, c, c < len(s.residual) and (p.step[c] > p.between[c] or p.step[c] < 0))


@kernel
def exchange(g: Grids, p: Places, s: Values, d: Desk, tries: int, base: int, price: int, heat: float) -> None:
    """Try so many exchanges. price: of a step beyond the neighbours; heat: what an exchange may cost, about; units."""
    tables = len(g.first) - 1
    for _ in range(tries):
        table = drawn(p.told, tables)
        direction = choose_first(g, p, d, table)
        if not choose_others(g, p, d, table, direction):
            continue
        choose_further(g, p, d, table, direction)
        compare(g, d)
        cells = gather(g, d, direction)
        if cells <= 0:
            continue
        cost = costs(p, s, d, cells, base, price)
        if cost > 0 and (heat <= 0 or cost > 30 * heat):
            continue
        if cost <= 0 or drawn(p.told, 1 << 30) < math.exp(-cost / heat) * (1 << 30):
            make(p, s, d, cells)
            p.told[2] += 1
