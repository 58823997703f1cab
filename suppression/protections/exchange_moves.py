"""One exchange after another, for kernels: which base cells change places, what follows from it, whether it pays."""

import math
from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.suppression.protections.grid import FIXED, Grids

FOCUS = 500
"""Tries of a thousand that begin at a cell beyond its neighbours, while there is one."""

BROADER = 300
"""Chance, in thousandths, that an atom is exchanged with one below a broader code, from code to code."""


class State(NamedTuple):
    """step: (cells) above the lower neighbours, changed. least: (cells) smallest step. residual, between: of the part.
    wrong: (cells) those beyond their neighbours; at: (cells) where each is in `wrong`, -1: it is not. told: how many
    are, the random state, exchanges made."""

    step: Cells
    least: Cells
    residual: Cells
    between: Cells
    wrong: Cells
    at: Cells
    told: Cells


class Desk(NamedTuple):
    """Where an exchange is put together. atom, other: (variables); broad: (variables) the code that it begins from;
    taken, settled: (variables) 1 where it is exchanged, and where its atom is chosen. code, sign: (variables * widest)
    codes that change, count: (variables). cell, up: what changes, and by how much."""

    atom: Cells
    other: Cells
    broad: Cells
    taken: Cells
    settled: Cells
    code: Cells
    sign: Cells
    count: Cells
    cell: Cells
    up: Cells


@kernel
def drawn(told: Cells, below: int) -> int:
    """A number from 0 to below - 1 (xorshift, 32 bits)."""
    x = told[1]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    told[1] = x
    number: int = (x * below) >> 32
    return number


@kernel
def choose_first(g: Grids, s: State, d: Desk, table: int) -> int:
    """Choose the base cell where an exchange begins, and which variables take part, if any; gives the direction."""
    variables = len(g.begin) - 1
    wrong, direction = -1, 1
    if s.told[0] > 0 and drawn(s.told, 1000) < FOCUS:
        wrong = s.wrong[drawn(s.told, s.told[0])]
        direction = -1 if s.step[wrong] > s.between[wrong] else 1
    elif drawn(s.told, 2) == 0:
        direction = -1
    for v in range(variables):
        first, last = g.begin[v], g.begin[v + 1]
        if wrong >= 0:
            d.broad[v] = g.code[wrong * variables + v]
            at, end = g.below_start[d.broad[v]], g.below_start[d.broad[v] + 1]
            d.atom[v] = g.below[at + drawn(s.told, end - at)]
        else:
            d.atom[v] = first + drawn(s.told, last - first)
            d.broad[v] = g.single[d.atom[v]]
        spread = g.below_start[d.broad[v] + 1] - g.below_start[d.broad[v]]
        d.taken[v] = 0
        if g.has[table * variables + v] > 0 and spread < last - first and drawn(s.told, 4) > 0:
            d.taken[v] = 1
        d.settled[v] = g.has[table * variables + v]
    return direction


@kernel
def allowed(g: Grids, s: State, d: Desk, table: int, upto: int, direction: int) -> bool:
    """Whether base cells of a table may go where an exchange of its variables before `upto` takes them."""
    variables = len(g.begin) - 1
    k = 0
    for v in range(upto):
        k += d.taken[v]
    for mask in range(1 << k):
        at, way, bit = g.first[table], direction, 0
        for v in range(variables):
            if g.has[table * variables + v] > 0:
                atom = d.atom[v]
                if v < upto and d.taken[v] > 0:
                    if mask >> bit & 1:
                        atom = d.other[v]
                        way = -way
                    bit += 1
                at += g.stride[table * variables + v] * g.width[g.single[atom]]
        cell = g.place[at]
        if cell == FIXED:
            return False
        if cell >= 0:
            x = s.step[cell] + way
            if (way > 0 and x > s.between[cell]) or (way < 0 and x < 0):
                return False
    return True


@kernel
def choose_others(g: Grids, s: State, d: Desk, table: int, direction: int) -> bool:
    """An atom in the place of each that is exchanged, so that base cells of the table stay within their neighbours."""
    variables = len(g.begin) - 1
    for v in range(variables):
        if d.taken[v] == 0:
            continue
        # The narrowest code that is wider than where it begins, or one of those further above.
        size = g.below_start[d.broad[v] + 1] - g.below_start[d.broad[v]]
        above, widest = -1, g.begin[v + 1] - g.begin[v] + 1
        while True:
            best, found = widest, -1
            for k in range(g.above_start[d.atom[v]], g.above_start[d.atom[v] + 1]):
                covered = g.below_start[g.above[k] + 1] - g.below_start[g.above[k]]
                if size < covered < best:
                    best, found = covered, g.above[k]
            if found < 0:
                break
            above, size = found, best
            if drawn(s.told, 1000) >= BROADER:
                break
        if above < 0:
            return False
        start, cells = g.below_start[above], g.below_start[above + 1] - g.below_start[above]
        shift, found = drawn(s.told, cells), 0
        for k in range(min(cells, 12)):
            other = g.below[start + (shift + k) % cells]
            inside = False
            for j in range(g.above_start[other], g.above_start[other + 1]):
                if g.above[j] == d.broad[v]:
                    inside = True
            if inside:
                continue
            d.other[v] = other
            if allowed(g, s, d, table, v + 1, direction):
                found = 1
                break
        if found == 0:
            return False
    return True


@kernel
def choose_further(g: Grids, s: State, d: Desk, table: int, direction: int) -> None:
    """Base cells of other tables that what is exchanged stands in, too: atoms of their other variables."""
    variables, tables = len(g.begin) - 1, len(g.first) - 1
    for other in range(tables):
        if other == table:
            continue
        concerned, open_ = True, 0
        for v in range(variables):
            if d.taken[v] > 0 and g.has[other * variables + v] == 0:
                concerned = False
            if d.settled[v] == 0 and g.has[other * variables + v] > 0:
                open_ += 1
        if not concerned or open_ == 0:
            continue
        for _ in range(10):
            for v in range(variables):
                if d.settled[v] == 0 and g.has[other * variables + v] > 0:
                    at = g.below_start[d.broad[v]]
                    d.atom[v] = g.below[at + drawn(s.told, g.below_start[d.broad[v] + 1] - at)]
            if allowed(g, s, d, other, variables, direction):
                break
        for v in range(variables):
            if g.has[other * variables + v] > 0:
                d.settled[v] = 1


@kernel
def compare(g: Grids, d: Desk) -> None:
    """Codes above one atom and not the other, of what is exchanged; all codes above, of the rest."""
    variables = len(g.begin) - 1
    wide = len(d.code) // variables
    for v in range(variables):
        n, i, end = 0, g.above_start[d.atom[v]], g.above_start[d.atom[v] + 1]
        if d.taken[v] == 0:
            while i < end:
                d.code[v * wide + n], d.sign[v * wide + n] = g.width[g.above[i]], 1
                n, i = n + 1, i + 1
        else:
            j, last = g.above_start[d.other[v]], g.above_start[d.other[v] + 1]
            while i < end or j < last:
                if j == last or (i < end and g.above[i] < g.above[j]):
                    d.code[v * wide + n], d.sign[v * wide + n] = g.width[g.above[i]], 1
                    n, i = n + 1, i + 1
                elif i == end or g.above[j] < g.above[i]:
                    d.code[v * wide + n], d.sign[v * wide + n] = g.width[g.above[j]], -1
                    n, j = n + 1, j + 1
                else:
                    i, j = i + 1, j + 1
        d.count[v] = n


@kernel
def gather(g: Grids, d: Desk, direction: int) -> int:
    """The cells that change; how many they are, -1: one of them must not."""
    variables, tables = len(g.begin) - 1, len(g.first) - 1
    wide, total = len(d.code) // variables, 0
    for table in range(tables):
        concerned, many = True, 1
        for v in range(variables):
            if d.taken[v] > 0 and g.has[table * variables + v] == 0:
                concerned = False
            if g.has[table * variables + v] > 0:
                many *= d.count[v]
        if not concerned:
            continue
        if total + many > len(d.cell):
            return -1
        d.cell[total], d.up[total] = g.first[table], direction
        cells = 1
        for v in range(variables):
            if g.has[table * variables + v] == 0:
                continue
            step = g.stride[table * variables + v]
            for k in range(d.count[v] - 1, -1, -1):
                move, sign = step * d.code[v * wide + k], d.sign[v * wide + k]
                for i in range(total, total + cells):
                    d.cell[i + k * cells], d.up[i + k * cells] = d.cell[i] + move, d.up[i] * sign
            cells *= d.count[v]
        kept = total
        for i in range(total, total + cells):
            cell = g.place[d.cell[i]]
            if cell == FIXED:
                return -1
            if cell >= 0:
                d.cell[kept], d.up[kept] = cell, d.up[i]
                kept += 1
        total = kept
    return total


@kernel
def costs(s: State, d: Desk, cells: int, base: int, price: int) -> int:
    """By how much more all changes cost after an exchange; 2^62: a value would be negative."""
    total = 0
    for i in range(cells):
        c = d.cell[i]
        old, new = s.step[c], s.step[c] + d.up[i]
        if new < s.least[c]:
            return 2**62
        total += abs(base * new - s.residual[c]) - abs(base * old - s.residual[c])
        total += price * (max(new - s.between[c], -new, 0) - max(old - s.between[c], -old, 0))
    return total


@kernel
def make(s: State, d: Desk, cells: int) -> None:
    """Make an exchange, and keep the list of cells beyond their neighbours."""
    for i in range(cells):
        c = d.cell[i]
        s.step[c] += d.up[i]
        wrong = s.step[c] > s.between[c] or s.step[c] < 0
        if wrong and s.at[c] < 0:
            s.at[c] = s.told[0]
            s.wrong[s.told[0]] = c
            s.told[0] += 1
        elif not wrong and s.at[c] >= 0:
            s.told[0] -= 1
            last = s.wrong[s.told[0]]
            s.wrong[s.at[c]] = last
            s.at[last] = s.at[c]
            s.at[c] = -1


@kernel
def exchange(g: Grids, s: State, d: Desk, tries: int, base: int, price: int, heat: float) -> None:
    """Try so many exchanges. price: of a step beyond the neighbours; heat: what an exchange may cost, about; units."""
    tables = len(g.first) - 1
    for _ in range(tries):
        table = drawn(s.told, tables)
        direction = choose_first(g, s, d, table)
        if not choose_others(g, s, d, table, direction):
            continue
        choose_further(g, s, d, table, direction)
        compare(g, d)
        cells = gather(g, d, direction)
        if cells <= 0:
            continue
        cost = costs(s, d, cells, base, price)
        if cost > 0 and (heat <= 0 or cost > 30 * heat):
            continue
        if cost <= 0 or drawn(s.told, 1 << 30) < math.exp(-cost / heat) * (1 << 30):
            make(s, d, cells)
            s.told[2] += 1
