"""Which cells to withhold at least cost so that cuts hold: a dense dictionary for the dual simplex method.

Variables are the candidates, between 0 and 1, and behind them the slack of each cut, 0 or more: slack = weights @
candidates - right. Costs are not negative, so all candidates at 0 is where the dual simplex method begins; after a
further cut or other bounds it goes on from where it stands.
"""

from typing import NamedTuple

import numpy as np

from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.primitives import floats, integers

TINY = 1e-9
NEARLY = 1e-7
"""By how much a bound may be missed."""

DONE, EMPTY, DEAR, LOST = range(4)
"""At the least cost; no choice keeps all bounds; every one costs more than was asked for; numerically lost."""

MOST_STEPS = 5_000

NOWHERE = -(10**9)
"""The place of a slack that is not in use."""


class Choice(NamedTuple):
    """The dictionary, changed in place: x[basic] = constant + T x[nonbasic].

    T: float64 (room for cuts x candidates); basic: int64 (room), nonbasic: int64 (candidates). place: int64
    (variables), the row of a basic one, -1 - column of a nonbasic one. at, low, high: float64 (variables). price:
    float64 (columns), what a unit of a nonbasic variable costs. cost: float64 (candidates). rows: int64 (1), in use.
    work: int64 (1), entries looked at so far.
    """

    T: Cells
    basic: Cells
    nonbasic: Cells
    place: Cells
    at: Cells
    low: Cells
    high: Cells
    price: Cells
    cost: Cells
    rows: Cells
    work: Cells


@kernel
def choice(cost: Cells, room: int) -> Choice:
    """No cuts yet. cost: float64 (candidates), not negative; room: cuts at most."""
    count = len(cost)
    place, nonbasic = integers(count + room, NOWHERE), integers(count, 0)
    high = floats(count + room, np.inf)
    for j in range(count):
        nonbasic[j], place[j], high[j] = j, -1 - j, 1.0
    low, at = floats(count + room, 0.0), floats(count + room, 0.0)
    T = np.zeros((room, count))
    return Choice(
        T, integers(room, 0), nonbasic, place, at, low, high, cost.copy(), cost, integers(1, 0), integers(1, 0)
    )


@kernel
def value(c: Choice) -> float:
    """What the choice costs."""
    total = 0.0
    for j in range(len(c.cost)):
        total += c.cost[j] * c.at[j]
    return total


@kernel
def add_cut(c: Choice, weight: Cells, right: float) -> None:
    """weight (float64, candidates) @ candidates >= right; there must be room."""
    r, count = c.rows[0], len(c.cost)
    row = c.T[r]
    stands = -right
    for q in range(count):
        row[q] = 0.0
    for j in range(count):
        if weight[j] == 0.0:
            continue
        stands += weight[j] * c.at[j]
        if c.place[j] < 0:
            row[-1 - c.place[j]] += weight[j]
        else:
            other = c.T[c.place[j]]
            for q in range(count):
                row[q] += weight[j] * other[q]
    v = count
    while c.place[v] != NOWHERE:
        v += 1
    c.basic[r], c.place[v], c.at[v], c.low[v], c.high[v] = v, r, stands, 0.0, np.inf
    c.rows[0] = r + 1


@kernel
def bound(c: Choice, j: int, low: float, high: float) -> None:
    """Other bounds for a candidate; where it is not basic it goes where its price wants it."""
    c.low[j], c.high[j] = low, high
    if c.place[j] >= 0:
        return
    q = -1 - c.place[j]
    wanted = low if c.price[q] >= 0.0 else high
    if wanted != c.at[j]:
        _shift(c, q, wanted - c.at[j])


@kernel
def _shift(c: Choice, q: int, by: float) -> None:
    """Move a nonbasic variable, and the basic ones with it."""
    c.at[c.nonbasic[q]] += by
    for i in range(c.rows[0]):
        if c.T[i][q] != 0.0:
            c.at[c.basic[i]] += c.T[i][q] * by


@kernel
def cheapest(c: Choice, limit: float) -> int:
    """The dual simplex method, until bounds hold: DONE, EMPTY, DEAR (no choice costs at most `limit`) or LOST."""
    T, at, low, high, price = c.T, c.at, c.low, c.high, c.price
    count = len(c.cost)
    ratio = floats(count, 0.0)
    for number in range(MOST_STEPS):
        if number % 8 == 7 and value(c) > limit:
            return DEAR
        r, worst = -1, NEARLY
        for i in range(c.rows[0]):
            v = c.basic[i]
            missing = max(low[v] - at[v], at[v] - high[v])
            if missing > worst:
                r, worst = i, missing
        if r < 0:
            return DEAR if value(c) > limit else DONE
        v = c.basic[r]
        way = 1.0 if at[v] < low[v] else -1.0
        row = T[r]
        for q in range(count):
            rate, w = row[q] * way, c.nonbasic[q]
            helps = (rate > TINY and at[w] < high[w]) or (rate < -TINY and at[w] > low[w])
            ratio[q] = abs(price[q]) / abs(rate) if helps else np.inf
        slope = worst
        while True:
            q, least, size = -1, np.inf, 0.0
            for j in range(count):
                if ratio[j] < least - TINY or (ratio[j] <= least + TINY and abs(row[j]) > size and ratio[j] < np.inf):
                    q, least, size = j, min(ratio[j], least), abs(row[j])
            if q < 0:
                _where_prices_want(c)
                return EMPTY
            w = c.nonbasic[q]
            room = high[w] - low[w]
            if size * room >= slope - TINY or room == np.inf:
                break
            # Not even all the way is enough: it goes there, and the next one is asked.
            slope -= size * room
            ratio[q] = np.inf
            _shift(c, q, (high[w] if at[w] < high[w] else low[w]) - at[w])
        goal = low[v] if way > 0.0 else high[v]
        _shift(c, q, (goal - at[v]) / row[q])
        at[v] = goal
        _swap(c, r, q)
    return LOST


@kernel
def _swap(c: Choice, r: int, q: int) -> None:
    """The basic variable of row r and the nonbasic one of column q change places."""
    T, price = c.T, c.price
    pivot_row, count = T[r], len(c.cost)
    inverse = 1.0 / pivot_row[q]
    for j in range(count):
        pivot_row[j] *= -inverse
    pivot_row[q] = inverse
    for i in range(c.rows[0]):
        row = T[i]
        factor = row[q]
        if i == r or factor == 0.0:
            continue
        row[q] = 0.0
        for j in range(count):
            row[j] += factor * pivot_row[j]
    factor = price[q]
    price[q] = 0.0
    for j in range(count):
        price[j] += factor * pivot_row[j]
    leaving, entering = c.basic[r], c.nonbasic[q]
    c.basic[r], c.nonbasic[q] = entering, leaving
    c.place[entering], c.place[leaving] = r, -1 - q
    c.work[0] += count * c.rows[0]


@kernel
def drop_loose(c: Choice, slack: float) -> None:
    """Forget cuts of which more than so much is left over."""
    count = len(c.cost)
    for i in range(c.rows[0] - 1, -1, -1):
        v = c.basic[i]
        if v >= count and c.at[v] > slack:
            last = c.rows[0] - 1
            c.T[i][:] = c.T[last]
            c.basic[i] = c.basic[last]
            c.place[c.basic[i]] = i
            c.place[v] = NOWHERE
            c.rows[0] = last


@kernel
def _where_prices_want(c: Choice) -> None:
    """Every nonbasic candidate at the bound that its price wants."""
    for q in range(len(c.cost)):
        v = c.nonbasic[q]
        if v < len(c.cost):
            wanted = c.low[v] if c.price[q] >= 0.0 else c.high[v]
            if wanted != c.at[v]:
                _shift(c, q, wanted - c.at[v])
