"""Pivots of the exact dictionary: which column enters, which row leaves, and what becomes of all entries.

Floats only choose which column enters; what leaves, and everything else, is decided in whole numbers.
"""

from typing import NamedTuple

from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    CARRIED,
    DETERMINANT,
    FRESH,
    KEEP,
    LIMIT,
    PIVOTS,
    ROWS,
    SAFE,
    Dictionary,
)
from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.primitives import exactly, floats, integers, inverse_of

ENDLESS = float("inf")


class Workspace(NamedTuple):
    """Room for one pivot after the other.

    used: int64, columns of the pivot row that are not 0. candidate, way, step: the columns that might enter, in which
    direction, and how far (float64).
    down, room: int64 (basic): how far D w may fall and rise; -1: nothing stops it.
    """

    used: Cells
    candidate: Cells
    way: Cells
    step: Cells
    down: Cells
    room: Cells


@kernel
def workspace(d: Dictionary) -> Workspace:
    """Room for the pivots of a dictionary."""
    columns, rows = len(d.nonbasic), len(d.basic)
    return Workspace(
        integers(columns, 0),
        integers(columns, 0),
        integers(columns, 0),
        floats(columns, 0.0),
        integers(rows, 0),
        integers(rows, 0),
    )


@kernel
def pivot(d: Dictionary, used: Cells, r: int, q: int, at_upper: bool) -> bool:
    """Row r leaves at a bound, column q enters; False: a number does not fit."""
    T, beta, state = d.T, d.beta, d.state
    D, rows, carried, limit = state[DETERMINANT], state[ROWS], state[CARRIED], state[LIMIT]
    leaving, entering, own = d.basic[r], d.nonbasic[q], T[r]
    state[PIVOTS] += 1
    if at_upper:
        for j in range(carried):
            own[j] = -own[j]
        beta[r] = D * d.span[leaving] - beta[r]
    p = own[q]
    s = 1 if p > 0 else -1
    new_D, b = abs(p), beta[r]
    same = new_D == D
    count = 0
    for j in range(carried):
        if j != q and own[j] != 0:
            used[count] = j
            count += 1
    fits, inverse = True, inverse_of(D)
    # No view of a row: making one for each takes a seventh of all bounds where rows are short (mh3d_mid).
    for i in range(rows):
        a = T[i][q] * s
        if i == r or (a == 0 and same):
            continue
        if limit and abs(float(beta[i])) * (1.0 if same else float(new_D)) + abs(float(a)) * abs(float(b)) >= SAFE:
            return False
        if not same:
            for j in range(carried):
                t = T[i][j]
                if t != 0 or (a != 0 and own[j] != 0):
                    t = exactly(t * new_D - a * own[j], inverse)
                    if not -limit <= t <= limit and j != q:
                        fits = False
                    T[i][j] = t
            beta[i] = exactly(beta[i] * new_D - a * b, inverse)
        elif D == 1:
            for t in range(count):
                j = used[t]
                v = T[i][j] - a * own[j]
                if not -limit <= v <= limit:
                    fits = False
                T[i][j] = v
            beta[i] -= a * b
        else:
            for t in range(count):
                j = used[t]
                v = T[i][j] - exactly(a * own[j], inverse)
                if not -limit <= v <= limit:
                    fits = False
                T[i][j] = v
            beta[i] -= exactly(a * b, inverse)
        T[i][q] = a
    if limit and not fits:
        return False
    if s > 0:
        for t in range(count):
            own[used[t]] = -own[used[t]]
        beta[r] = -b
    own[q] = s * D
    state[DETERMINANT] = new_D
    d.basic[r], d.nonbasic[q] = entering, leaving
    d.up[leaving] = at_upper
    if d.up[entering]:
        if limit and float(new_D) * float(d.span[entering]) >= SAFE / 2:
            return False
        for j in range(carried):
            own[j] = -own[j]
        beta[r] = new_D * d.span[entering] - beta[r]
        d.up[entering] = False
    if d.span[leaving] == 0:
        retire(d, q)
    state[FRESH] = 1
    return True


@kernel
def retire(d: Dictionary, q: int) -> None:
    """A nonbasic variable that cannot move goes behind the others, or away."""
    last = d.state[ACTIVE] - 1
    d.state[ACTIVE] = last
    kept = d.state[KEEP] != 0
    if q != last:
        for i in range(d.state[ROWS]):
            row = d.T[i]
            if kept:
                row[q], row[last] = row[last], row[q]
            else:
                row[q] = row[last]
        d.nonbasic[q], d.nonbasic[last] = d.nonbasic[last], d.nonbasic[q]
    if not kept:
        d.state[CARRIED] = last


@kernel
def flip(d: Dictionary, q: int) -> bool:
    """Column q goes to the other end of its span; False: a number does not fit."""
    v = d.nonbasic[q]
    span, limit = d.span[v], d.state[LIMIT]
    for i in range(d.state[ROWS]):
        row = d.T[i]
        if limit and abs(float(d.beta[i])) + abs(float(row[q])) * float(span) >= SAFE:
            return False
        d.beta[i] += row[q] * span
        row[q] = -row[q]
    d.up[v] = not d.up[v]
    d.state[FRESH] = 1
    return True


@kernel
def measure(d: Dictionary, down: Cells, room: Cells) -> bool:
    """Fill in how far D w may fall and rise; -1: nothing stops it. False: a number does not fit."""
    D, limit = d.state[DETERMINANT], d.state[LIMIT]
    for i in range(d.state[ROWS]):
        v = d.basic[i]
        down[i] = -1
        room[i] = -1
        if d.free[v]:
            continue
        if d.beta[i] >= 0:
            down[i] = d.beta[i]
        if d.span[v] != NO_UPPER:
            if limit and float(D) * float(d.span[v]) >= SAFE / 2:
                return False
            top = D * d.span[v]
            if d.beta[i] <= top:
                room[i] = top - d.beta[i]
    return True


@kernel
def choose(d: Dictionary, work: Workspace, r: int, upward: int, bland: bool) -> tuple[int, int, float]:
    """The column that raises (upward: 1) or lowers (-1) w of row r most: (column, direction, gain); -1: none does."""
    at, way, step, down, room, own = work.candidate, work.way, work.step, work.down, work.room, d.T[r]
    count = 0
    for j in range(d.state[ACTIVE]):
        t = own[j] * upward
        if t == 0:
            continue
        v = d.nonbasic[j]
        if t > 0 or d.free[v]:
            if bland and count == 1:
                if v > d.nonbasic[at[0]]:
                    continue
                count = 0
            at[count] = j
            way[count] = 1 if t > 0 else -1
            step[count] = ENDLESS if d.span[v] == NO_UPPER else float(d.span[v])
            count += 1
    if count == 0:
        return -1, 0, 0.0
    for i in range(d.state[ROWS]):
        if down[i] < 0 and room[i] < 0:
            continue
        row, below, above = d.T[i], float(down[i]), float(room[i])
        for c in range(count):
            a = row[at[c]]
            if a == 0:
                continue
            a *= way[c]
            reach = below / -a if a < 0 else above / a
            if 0.0 <= reach < step[c]:
                step[c] = reach
    best, most = 0, -1.0
    for c in range(count):
        gain = step[c] * abs(float(own[at[c]]))
        if gain > most:
            best, most = c, gain
    return at[best], way[best], most


@kernel
def _order(number: int, below: int, other: int, other_below: int) -> int:
    """-1, 0, 1: number / below against other / other_below, exactly; nothing is negative, denominators fit 31 bits."""
    if number == 0 or other == 0:
        return min(number, 1) - min(other, 1)
    left, right = number // below, other // other_below
    if left == right:
        left, right = (number - left * below) * other_below, (other - right * other_below) * below
    return -1 if left < right else (1 if left > right else 0)


@kernel
def move(d: Dictionary, work: Workspace, q: int, way: int, bland: bool, special: int) -> int:
    """Let column q enter: 1, 0: nothing stops it, -1: a number does not fit.

    special: a row outside its bounds, which stops at the nearest of them.
    """
    down, room = work.down, work.room
    D = d.state[DETERMINANT]
    best, number, below = -1, 0, 1
    for i in range(d.state[ROWS]):
        a = d.T[i][q] * way
        if a < 0 and down[i] >= 0:
            n, b = down[i], -a
        elif a > 0 and room[i] >= 0:
            n, b = room[i], a
        else:
            continue
        order = -1 if best < 0 else _order(n, b, number, below)
        if order > 0:
            continue
        if order == 0:
            v, w = d.basic[i], d.basic[best]
            mine, its = min(d.span[v], 1), min(d.span[w], 1)
            if bland or (mine == its and abs(b - D) == abs(below - D)):
                if v > w:
                    continue
            elif mine > its or (mine == its and abs(b - D) > abs(below - D)):
                continue
        best, number, below = i, n, b
    own = d.span[d.nonbasic[q]]
    if best < 0 and own == NO_UPPER:
        return 0
    if own != NO_UPPER and (best < 0 or number // below >= own):
        return 1 if flip(d, q) else -1
    at_upper = (d.T[best][q] * way > 0) != (best == special)
    return 1 if pivot(d, work.used, best, q, at_upper) else -1
