"""Boxes: tables that move a cell, and cells of other codes in each classification against it, up and down in turn.

In each classification a chain of codes moves with the cell (its own, one below it down to a code without further
ones, perhaps some above it), and a chain beside it moves the other way, or else its own goes up to the total; the cells
of all combinations of these codes keep every sum. After the hypercube method (Repsilber 1994), with chains for totals.
"""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats, integers

BESIDE, FURTHER, WAYS = 8, 3, 16
"""Codes that are tried beside a cell's own one, beside each one above it (the cheapest first), and in all."""

LONGEST = 24
"""Codes of the chains of one classification at most."""


class Grid(NamedTuple):
    """Cells by their codes.

    place: int64, the cell of each combination of codes (-1: none); stride: int64 (classifications), of a code of each.
    offset: int64 (classifications), where codes of each begin; parent, first, child: by code, parents (-1: none) and
    child[first[c] : first[c + 1]] the codes directly below. codes: int64 (cells x classifications).
    down, up: float64 (cells), how far each may move if it is withheld.
    """

    place: Cells
    stride: Cells
    offset: Cells
    parent: Cells
    first: Cells
    child: Cells
    codes: Cells
    down: Cells
    up: Cells


@kernel
def boxed(
    g: Grid,
    asked: Cells,
    down: Cells,
    up: Cells,
    begins: Cells,
    shut: Cells,
    price: Cells,
    start: Cells,
    cell: Cells,
    sign: Cells,
    room: int,
    near: bool,
) -> int:
    """A box for each cell that is asked about, the cheapest of some; how many there was room for.

    asked, down, up: int64, float64, float64 (boxes), cells and how far each must be able to move; shut[begins[b] :
    begins[b + 1]]: int64, cells that are not in box b, because an attacker knows them; price: float64
    (cells), inf: published in any case; becomes 0 for what is withheld. start: int64 (boxes + 1), cell, sign: int64
    (room), receive the boxes: sign 1 for cells that move with the one asked about. No entries: there is no box.
    near: codes beside a cell's own one are enough, where there are some.
    """
    dims = len(g.stride)
    code, way = integers(dims * WAYS * LONGEST, 0), integers(dims * WAYS * LONGEST, 0)
    length = integers(dims * WAYS, 0)
    before = floats(len(shut), 0.0)
    options, chosen, at, best = integers(dims, 0), integers(dims, 0), integers(dims, 0), integers(dims, 0)
    for b in range(len(asked)):
        c = asked[b]
        start[b + 1] = start[b]
        for k in range(begins[b], begins[b + 1]):
            before[k], price[shut[k]] = price[shut[k]], float("inf")
        some = True
        for d in range(dims):
            options[d] = _options(g, c, d, down[b], up[b], price, code, way, length, near)
            chosen[d] = 0
            some = some and options[d] > 0
        cheapest = float("inf")
        while some:
            cost = _cost(g, dims, chosen, code, way, length, at, down[b], up[b], price, cheapest)
            if cost < cheapest:
                cheapest = cost
                for d in range(dims):
                    best[d] = chosen[d]
            d = 0
            while d < dims:
                chosen[d] += 1
                if chosen[d] < options[d]:
                    break
                chosen[d] = 0
                d += 1
            some = d < dims
        for k in range(begins[b], begins[b + 1]):
            price[shut[k]] = before[k]
        if cheapest == float("inf"):
            continue
        size = 1
        for d in range(dims):
            size *= length[d * WAYS + best[d]]
            at[d] = 0
        if start[b] + size > room:
            return b
        for k in range(start[b], start[b] + size):
            v, moved = _corner(g, dims, best, code, way, at)
            cell[k], sign[k], price[v] = v, moved, 0.0
            _further(dims, best, length, at)
        start[b + 1] = start[b] + size
    return len(asked)


@kernel
def _cost(
    g: Grid,
    dims: int,
    chosen: Cells,
    code: Cells,
    way: Cells,
    length: Cells,
    at: Cells,
    down: float,
    up: float,
    price: Cells,
    most: float,
) -> float:
    """What a box costs; inf if it costs no less than `most`, or a cell cannot move so far."""
    total = 0.0
    for d in range(dims):
        at[d] = 0
    while True:
        v, moved = _corner(g, dims, chosen, code, way, at)
        if v < 0:
            return float("inf")
        falls, rises = (down, up) if moved > 0 else (up, down)
        if g.down[v] < falls or g.up[v] < rises:
            return float("inf")
        total += price[v]
        if total >= most:
            return float("inf")
        if not _further(dims, chosen, length, at):
            return total


@kernel
def _corner(g: Grid, dims: int, chosen: Cells, code: Cells, way: Cells, at: Cells) -> tuple[int, int]:
    """The cell (-1: none) at one place of each chosen chain, and whether it moves with the one asked about (1, -1)."""
    position, moved = 0, 1
    for d in range(dims):
        entry = (d * WAYS + chosen[d]) * LONGEST + at[d]
        position += g.stride[d] * code[entry]
        moved *= way[entry]
    return g.place[position], moved


@kernel
def _further(dims: int, chosen: Cells, length: Cells, at: Cells) -> bool:
    """On to the next combination of places in the chosen chains; False: that was the last one, and all begin anew."""
    for d in range(dims):
        at[d] += 1
        if at[d] < length[d * WAYS + chosen[d]]:
            return True
        at[d] = 0
    return False


@kernel
def _options(
    g: Grid, c: int, d: int, down: float, up: float, price: Cells, code: Cells, way: Cells, length: Cells, near: bool
) -> int:
    """Chains of codes of one classification: how many there are. First codes beside the cell's own one, then
    beside those above it, then its own ones up to the total."""
    offset, own, far = g.offset[d], g.codes[c][d], max(down, up)
    base, ways = integers(LONGEST, 0), d * WAYS
    base[0] = own
    count = _descended(g, c, d, own, far, price, base, 0, 1)
    if count < 0:
        return 0
    kept, top, most = 0, own, BESIDE
    fixed = _place(g, c) - g.stride[d] * own
    found, dearest = integers(BESIDE, 0), floats(BESIDE, float("inf"))
    while g.parent[offset + top] >= 0:
        above, number = g.parent[offset + top], 0
        for e in range(g.first[offset + above], g.first[offset + above + 1]):
            other = g.child[e]
            v = g.place[fixed + g.stride[d] * other]
            if other == top or v < 0 or g.down[v] < up or g.up[v] < down or price[v] == float("inf"):
                continue
            if number == most and price[v] >= dearest[number - 1]:
                continue
            k = number if number < most else most - 1
            while k > 0 and dearest[k - 1] > price[v]:
                dearest[k], found[k] = dearest[k - 1], found[k - 1]
                k -= 1
            dearest[k], found[k] = price[v], other
            number = min(number + 1, most)
        for k in range(number):
            if kept == WAYS - 1:
                break
            to = (ways + kept) * LONGEST
            code[to] = found[k]
            size = _descended(g, c, d, found[k], far, price, code, to, 1)
            if size < 0 or size + count > LONGEST:
                continue
            for e in range(size):
                way[to + e] = -1
            for e in range(count):
                code[to + size + e], way[to + size + e] = base[e], 1
            length[ways + kept] = size + count
            kept += 1
        if count == LONGEST or (near and kept > 0):
            return kept
        top, most = above, FURTHER
        base[count] = top
        count += 1
    to = (ways + kept) * LONGEST
    for e in range(count):
        code[to + e], way[to + e] = base[e], 1
    length[ways + kept] = count
    return kept + 1


@kernel
def _place(g: Grid, c: int) -> int:
    position = 0
    for d in range(len(g.stride)):
        position += g.stride[d] * g.codes[c][d]
    return position


@kernel
def _descended(
    g: Grid, c: int, d: int, code: int, far: float, price: Cells, chain: Cells, start: int, count: int
) -> int:
    """Continue a chain (from `start` on) from a code down to one without further ones, each the cheapest that can move
    so far: its length; -1: there is none."""
    offset = g.offset[d]
    fixed = _place(g, c) - g.stride[d] * g.codes[c][d]
    while g.first[offset + code + 1] > g.first[offset + code]:
        best, least = -1, float("inf")
        for e in range(g.first[offset + code], g.first[offset + code + 1]):
            v = g.place[fixed + g.stride[d] * g.child[e]]
            if v >= 0 and g.down[v] >= far and g.up[v] >= far and price[v] < least:
                best, least = g.child[e], price[v]
        if best < 0 or count == LONGEST:
            return -1
        chain[start + count] = best
        count += 1
        code = best
    return count
