"""Boxes: tables that move a cell, and cells of other codes in each classification against it, up and down in turn.

In each classification a chain of codes moves with the cell (its own, one below it down to a code without further
ones, perhaps some above it), and a chain beside it moves the other way, or else its own goes up to the total; the cells
of all combinations of these codes keep every sum. After the hypercube method (Repsilber 1994), with chains for totals.
"""

from typing import NamedTuple

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats, integers

BESIDE, FURTHER, WAYS = 24, 3, 32
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


class Work(NamedTuple):
    """Room for the chains of one box: code, way: int64 (classifications x WAYS x LONGEST); length: int64
    (classifications x WAYS); options, chosen, at, best: int64 (classifications)."""

    code: Cells
    way: Cells
    length: Cells
    options: Cells
    chosen: Cells
    at: Cells
    best: Cells


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
    w = work(len(g.stride))
    before = floats(len(shut), 0.0)
    for b in range(len(asked)):
        start[b + 1] = start[b]
        for k in range(begins[b], begins[b + 1]):
            before[k], price[shut[k]] = price[shut[k]], float("inf")
        least = cheapest(g, w, asked[b], down[b], up[b], price, float("inf"), near)
        for k in range(begins[b], begins[b + 1]):
            price[shut[k]] = before[k]
        if least == float("inf"):
            continue
        size = best_size(w)
        if start[b] + size > room:
            return b
        put(g, w, cell, sign, start[b])
        for k in range(start[b], start[b] + size):
            price[cell[k]] = 0.0
        start[b + 1] = start[b] + size
    return len(asked)


@kernel
def work(dims: int) -> Work:
    """Room for so many classifications."""
    return Work(
        integers(dims * WAYS * LONGEST, 0),
        integers(dims * WAYS * LONGEST, 0),
        integers(dims * WAYS, 0),
        integers(dims, 0),
        integers(dims, 0),
        integers(dims, 0),
        integers(dims, 0),
    )


@kernel
def cheapest(g: Grid, w: Work, c: int, down: float, up: float, price: Cells, most: float, near: bool) -> float:
    """What the cheapest box of a cell costs, whose chains are then the best; inf if none costs less than `most`."""
    dims = len(g.stride)
    some = _begun(g, w, c, down, up, price, near)
    least, none = most, True
    while some:
        cost = _cost(g, dims, w.chosen, w.code, w.way, w.length, w.at, down, up, price, least)
        if cost < least:
            least, none = cost, False
            for d in range(dims):
                w.best[d] = w.chosen[d]
        some = _onward(w) and least > 0.0
    return float("inf") if none else least


@kernel
def cancelling(g: Grid, w: Work, c: int, kept: int, x: Cells, price: Cells) -> float:
    """How much dearer a table becomes, at least, with a box through one of its cells that then stands still; inf if
    there is none. The chains of the box are then the best ones.

    x: int64 (cells), by how much the table moves each. kept: a cell that is to go on moving as it does.
    """
    dims = len(g.stride)
    some, step = _begun(g, w, c, 0.0, 0.0, price, True), -x[c]
    least = float("inf")
    while some:
        cost = _change(g, dims, w, c, kept, x, step, price)
        if cost < least:
            least = cost
            for d in range(dims):
                w.best[d] = w.chosen[d]
        some = _onward(w)
    return least


@kernel
def _begun(g: Grid, w: Work, c: int, down: float, up: float, price: Cells, near: bool) -> bool:
    """Begin with the first chains of each classification; False: one has none."""
    for d in range(len(g.stride)):
        w.options[d] = _options(g, c, d, down, up, price, w.code, w.way, w.length, near)
        if w.options[d] == 0:
            return False
        w.chosen[d] = 0
    return True


@kernel
def _onward(w: Work) -> bool:
    """On to the next choice of chains; False: that was the last one."""
    for d in range(len(w.chosen)):
        w.chosen[d] += 1
        if w.chosen[d] < w.options[d]:
            return True
        w.chosen[d] = 0
    return False


@kernel
def _change(g: Grid, dims: int, w: Work, c: int, kept: int, x: Cells, step: int, price: Cells) -> float:
    """How much dearer a table becomes with the chosen box; inf: it is none."""
    total = 0.0
    for d in range(dims):
        w.at[d] = 0
    while True:
        v, moved = _corner(g, dims, w.chosen, w.code, w.way, w.at)
        if v < 0 or v == kept:
            return float("inf")
        before = x[v]
        after = before + step * moved
        if after > g.up[v] or -after > g.down[v]:
            return float("inf")
        if v != c:
            if before == 0:
                total += price[v]
            elif after == 0:
                total -= price[v]
        if not _further(dims, w.chosen, w.length, w.at):
            return total


@kernel
def best_size(w: Work) -> int:
    """Cells of the best box."""
    size = 1
    for d in range(len(w.best)):
        size *= w.length[d * WAYS + w.best[d]]
    return size


@kernel
def put(g: Grid, w: Work, cell: Cells, sign: Cells, at: int) -> None:
    """Write the cells of the best box, and how they move, from a place on."""
    dims = len(w.best)
    for d in range(dims):
        w.at[d] = 0
    some = True
    while some:
        cell[at], sign[at] = _corner(g, dims, w.best, w.code, w.way, w.at)
        at += 1
        some = _further(dims, w.best, w.length, w.at)


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
    offset, own = g.offset[d], g.codes[c][d]
    base, ways = integers(LONGEST, 0), d * WAYS
    base[0] = own
    count = _descended(g, c, d, own, down, up, price, base, 0, 1)
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
            size = _descended(g, c, d, found[k], up, down, price, code, to, 1)
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
    g: Grid,
    c: int,
    d: int,
    code: int,
    falls: float,
    rises: float,
    price: Cells,
    chain: Cells,
    start: int,
    count: int,
) -> int:
    """Continue a chain (from `start` on) from a code down to one without further ones, each the cheapest that can move
    so far: its length; -1: there is none."""
    offset = g.offset[d]
    fixed = _place(g, c) - g.stride[d] * g.codes[c][d]
    while g.first[offset + code + 1] > g.first[offset + code]:
        best, least = -1, float("inf")
        for e in range(g.first[offset + code], g.first[offset + code + 1]):
            v = g.place[fixed + g.stride[d] * g.child[e]]
            if v >= 0 and g.down[v] >= falls and g.up[v] >= rises and price[v] < least:
                best, least = g.child[e], price[v]
        if best < 0 or count == LONGEST:
            return -1
        chain[start + count] = best
        count += 1
        code = best
    return count
