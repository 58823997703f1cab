"""How exchanges are put together, for kernels: which base cells change places, and all cells that follow from it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Cells, kernel
from tableseal.suppression.protections.grid import FIXED, Grids

BROADER = 300
"""Chance, in thousandths, that an atom is exchanged with one below a broader code, from code to code."""


class Places(NamedTuple):
    """step: (cells) where each is, above the lowest place that it may have, changed. between: (cells) the highest one.
    wrong: (cells) those outside; at: (cells) where each is in `wrong`, -1: it is not. told: how many are, the random
    state, exchanges made."""

    step: Cells
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


def places_of(step: NDArray[np.int64], between: NDArray[np.int64], wrong: NDArray[np.bool_], seed: int) -> Places:
    """To begin with. wrong: bool (cells), those outside."""
    cells = np.flatnonzero(wrong)
    listed, at = np.zeros(len(step), np.int64), np.full(len(step), -1, np.int64)
    listed[: len(cells)], at[cells] = cells, np.arange(len(cells))
    return Places(step.copy(), between, listed, at, np.array([len(cells), 2_463_534_242 + seed, 0], np.int64))


def desk_of(grids: Grids) -> Desk:
    """An empty one."""
    variables = len(grids.begin) - 1
    wide = 2 * int(np.diff(grids.above_start).max())
    one, codes = np.zeros(variables, np.int64), np.zeros(variables * wide, np.int64)
    many = np.zeros((len(grids.first) - 1) * int(min(wide**variables, 1 << 16)), np.int64)
    parts = (one, one, one, one, one, codes, codes, one, many, many)
    return Desk(*(part.copy() for part in parts))


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
def begin_at(g: Grids, p: Places, d: Desk, table: int, cell: int, kept: int) -> None:
    """Choose a base cell where an exchange begins, below a cell or (-1) anywhere, and which variables take part: each
    does but for one time in so many as `kept` says."""
    variables = len(g.begin) - 1
    for v in range(variables):
        first, last = g.begin[v], g.begin[v + 1]
        if cell >= 0:
            d.broad[v] = g.code[cell * variables + v]
            at, end = g.below_start[d.broad[v]], g.below_start[d.broad[v] + 1]
            d.atom[v] = g.below[at + drawn(p.told, end - at)]
        else:
            d.atom[v] = first + drawn(p.told, last - first)
            d.broad[v] = g.single[d.atom[v]]
        spread = g.below_start[d.broad[v] + 1] - g.below_start[d.broad[v]]
        d.taken[v] = 0
        if g.has[table * variables + v] > 0 and spread < last - first and drawn(p.told, kept) > 0:
            d.taken[v] = 1
        d.settled[v] = g.has[table * variables + v]


@kernel
def allowed(g: Grids, p: Places, d: Desk, table: int, upto: int, direction: int) -> bool:
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
            x = p.step[cell] + way
            if (way > 0 and x > p.between[cell]) or (way < 0 and x < 0):
                return False
    return True


@kernel
def choose_others(g: Grids, p: Places, d: Desk, table: int, direction: int) -> bool:
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
            if drawn(p.told, 1000) >= BROADER:
                break
        if above < 0:
            return False
        start, cells = g.below_start[above], g.below_start[above + 1] - g.below_start[above]
        shift, found = drawn(p.told, cells), 0
        for k in range(min(cells, 12)):
            other = g.below[start + (shift + k) % cells]
            inside = False
            for j in range(g.above_start[other], g.above_start[other + 1]):
                if g.above[j] == d.broad[v]:
                    inside = True
            if inside:
                continue
            d.other[v] = other
            if allowed(g, p, d, table, v + 1, direction):
                found = 1
                break
        if found == 0:
            return False
    return True


@kernel
def choose_further(g: Grids, p: Places, d: Desk, table: int, direction: int) -> None:
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
                    d.atom[v] = g.below[at + drawn(p.told, g.below_start[d.broad[v] + 1] - at)]
            if allowed(g, p, d, other, variables, direction):
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
def listed(p: Places, cell: int, wrong: bool) -> None:
    """Keep the list of cells that are outside."""
    if wrong and p.at[cell] < 0:
        p.at[cell] = p.told[0]
        p.wrong[p.told[0]] = cell
        p.told[0] += 1
    elif not wrong and p.at[cell] >= 0:
        p.told[0] -= 1
        last = p.wrong[p.told[0]]
        p.wrong[p.at[cell]] = last
        p.at[last] = p.at[cell]
        p.at[cell] = -1
