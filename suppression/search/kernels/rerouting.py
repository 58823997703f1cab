"""Boxes replaced by cheaper tables: rip-up and reroute, as wires are laid on chips.

A withheld cell is given up, with all tables that change it; each of them is led around it, by further boxes or by
another one from the start, at no cost where others withhold already. If that is dearer altogether, everything is as it
was before.
"""

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats, integers
from tableseal.suppression.search.kernels.boxing import Grid, Work, best_size, cancelling, cheapest, put, work

TOGETHER = 64
"""Tables that change a cell, up to which they are led around it."""

DEPTH = 8
"""Boxes that are added to lead a table around a cell."""


@kernel
def rerouted(
    g: Grid,
    asked: Cells,
    down: Cells,
    up: Cells,
    cost: Cells,
    used: Cells,
    price: Cells,
    slot: int,
    size: Cells,
    cell: Cells,
    sign: Cells,
    order: Cells,
    first: Cells,
    users: Cells,
) -> float:
    """Give up cells where that is cheaper; what it saves.

    asked, down, up: int64, float64, float64 (tables), cells and how far each must be able to move; cost: float64
    (cells), of withholding (inf: published in any case). used: int64 (cells), tables that change each, and one more for
    what is withheld anyhow; price: float64 (cells), 0 for these cells, else cost. size: int64 (tables), cells of each;
    cell, sign: int64 (tables x slot), these cells, and by how much each moves. All five are kept up.
    order: int64, cells to give up one after another; users[first[k] : first[k + 1]]: tables that changed each to begin
    with.
    """
    w = work(len(g.stride))
    among, news = integers(TOGETHER, 0), integers(TOGETHER, 0)
    x = integers(len(cost), 0)
    fresh, moving = integers(TOGETHER * slot, 0), integers(TOGETHER * slot, 0)
    saved = 0.0
    for k in range(len(order)):
        v, count = order[k], 0
        if used[v] == 0 or used[v] > TOGETHER:
            continue
        for e in range(first[k], first[k + 1]):
            b = users[e]
            for i in range(b * slot, b * slot + size[b]):
                if cell[i] == v and count < TOGETHER:
                    among[count] = b
                    count += 1
        if count != used[v]:  # others use it by now
            continue
        before = 0.0
        for i in range(count):
            before += _given_up(cost, used, price, cell, among[i] * slot, size[among[i]])
        price[v] = float("inf")
        spent, done = 0.0, 0
        while done < count:
            b = among[done]
            to, room = done * slot, before - spent
            dear, many = _led_around(
                g, w, cell, sign, b * slot, size[b], v, asked[b], x, price, room, fresh, moving, to, slot
            )
            if asked[b] != v:
                other = cheapest(g, w, asked[b], down[b], up[b], price, min(dear, room), True)
                if other < dear and best_size(w) <= slot:
                    dear, many = other, best_size(w)
                    put(g, w, fresh, moving, to)
                    far = int(up[b] - down[b])
                    for i in range(to, to + many):
                        moving[i] *= far
            news[done] = many
            if dear >= room:
                break
            spent += dear
            _taken(used, price, fresh, to, news[done])
            done += 1
        price[v] = cost[v]
        if done == count:
            saved += before - spent
            for i in range(count):
                b = among[i]
                size[b] = news[i]
                for j in range(news[i]):
                    cell[b * slot + j], sign[b * slot + j] = fresh[i * slot + j], moving[i * slot + j]
        else:
            for i in range(done):
                _given_up(cost, used, price, fresh, i * slot, news[i])
            for i in range(count):
                _taken(used, price, cell, among[i] * slot, size[among[i]])
    return saved


@kernel
def _led_around(
    g: Grid,
    w: Work,
    cell: Cells,
    move: Cells,
    at: int,
    size: int,
    v: int,
    kept: int,
    x: Cells,
    price: Cells,
    most: float,
    fresh: Cells,
    moving: Cells,
    to: int,
    slot: int,
) -> tuple[float, int]:
    """What a table costs that leaves a cell of another one alone, and its cells; inf if that is no less than `most`.

    Boxes are added, through the cell and then through the dearest one that moves, up to DEPTH of them.
    """
    count, total, least, size_of_best = size, 0.0, most, 0
    support, given, prices = integers(slot, 0), integers(DEPTH, 0), floats(DEPTH, 0.0)
    step_of_cells, signs = integers(slot, 0), integers(slot, 0)
    for i in range(size):
        support[i] = cell[at + i]
        x[support[i]] = move[at + i]
        if support[i] != v:
            total += price[support[i]]
    u, depth = v, 0
    while depth < DEPTH and u >= 0:
        given[depth], prices[depth] = u, price[u]
        price[u] = float("inf")
        depth += 1
        change = cancelling(g, w, u, kept, x, price)
        if change == float("inf") or count + best_size(w) > slot:
            break
        total += change
        if u != v:
            total -= prices[depth - 1]
        put(g, w, step_of_cells, signs, 0)
        step = -x[u]
        for i in range(best_size(w)):
            c = step_of_cells[i]
            if x[c] == 0:
                support[count] = c
                count += 1
            x[c] += step * signs[i]
        number = 0
        for i in range(count):
            if x[support[i]] != 0:
                support[number] = support[i]
                number += 1
        count = number
        if total < least:
            least, size_of_best = total, count
            for i in range(count):
                fresh[to + i], moving[to + i] = support[i], x[support[i]]
        u, dearest = -1, 0.0
        for i in range(count):
            c = support[i]
            if c != kept and price[c] > dearest:
                u, dearest = c, price[c]
    for i in range(count):
        x[support[i]] = 0
    for i in range(depth):
        price[given[i]] = prices[i]
    return (least if size_of_best else float("inf")), size_of_best


@kernel
def _given_up(cost: Cells, used: Cells, price: Cells, cell: Cells, at: int, size: int) -> float:
    """Withhold the cells of a box no longer, as far as no other one uses them; what that saves."""
    saved = 0.0
    for k in range(at, at + size):
        v = cell[k]
        used[v] -= 1
        if used[v] == 0:
            price[v] = cost[v]
            saved += cost[v]
    return saved


@kernel
def _taken(used: Cells, price: Cells, cell: Cells, at: int, size: int) -> None:
    """Withhold the cells of a box."""
    for k in range(at, at + size):
        used[cell[k]] += 1
        price[cell[k]] = 0.0
