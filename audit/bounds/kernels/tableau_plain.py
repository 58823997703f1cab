"""Pivots of the exact dictionary in numpy: nothing to compile, and integers of any size where they are wanted.

Makes the same pivots as the compiled twin beside it, so that the answers are the same too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    BUDGET,
    CARRIED,
    CURSOR,
    CUT,
    DETERMINANT,
    DONE,
    EMPTY,
    FRESH,
    FULL,
    KEEP,
    LIMIT,
    OPEN,
    OPTIMAL,
    PATIENCE,
    PAUSE,
    PIVOTS,
    REACHED,
    STUCK,
    TOO_LARGE,
    TOUCHED,
    UNLIMITED,
    Dictionary,
    Ends,
    Found,
    Ints,
)
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

_SAFE = 2.0**62


class _TooLargeError(Exception):
    """A number does not fit."""


def feasible(d: Dictionary, order: Ints) -> int:
    """Phase 1: row after row is brought between its bounds, those that are there stay: DONE, TOO_LARGE or EMPTY."""
    try:
        return _feasible(d, order)
    except _TooLargeError:
        return TOO_LARGE


def optimise(d: Dictionary, ends: Ends, found: Found, columns: int, sign: Ints) -> int:
    """Phase 2: from vertex to vertex until every end is known: DONE, FULL, PAUSE or TOO_LARGE."""
    try:
        return _optimise(d, ends, found, columns, sign)
    except _TooLargeError:
        return TOO_LARGE


def reoptimise(d: Dictionary, variable: int, sign: int, cutoff: int) -> int:
    """Dual simplex: from a vertex where sign * w of a variable was least, after bounds have changed, to the next.

    DONE; EMPTY: there is none; CUT: no whole table lies below the cutoff; PAUSE: after as many pivots as allowed.
    """
    try:
        return _reoptimise(d, variable, sign, cutoff)
    except _TooLargeError:
        return TOO_LARGE


def _reoptimise(d: Dictionary, variable: int, sign: int, cutoff: int) -> int:
    for _ in range(int(d.state[BUDGET])):
        D, active = int(d.state[DETERMINANT]), int(d.state[ACTIVE])
        objective = np.flatnonzero(d.basic == variable)
        if len(objective) and -(-sign * int(d.beta[objective[0]]) // D) >= cutoff:
            return CUT
        down, room = _rooms(d)
        free = d.free[d.basic]
        over = np.where((room < 0) & (d.span[d.basic] != NO_UPPER), d.beta - D * d.span[d.basic], 0)
        under = np.where(down < 0, -d.beta, 0)
        wrong = np.where(free, 0, np.maximum(over, under))
        if wrong.max(initial=0) <= 0:
            return DONE
        leaving = int(np.argmax(wrong))
        above = bool(over[leaving] > 0)
        nonbasic = d.nonbasic[:active]
        a = d.T[leaving, :active] * (-1 if above else 1)
        at = np.flatnonzero((a > 0) | ((a != 0) & d.free[nonbasic]))
        if len(at) == 0:
            return EMPTY
        if len(objective):
            cost = sign * d.T[objective[0], at]
        else:
            cost = np.where(nonbasic[at] == variable, D, 0).astype(d.T.dtype)
        size = np.abs(a[at])
        ties = _smallest(cost, size)
        best = min(ties, key=lambda t: (abs(int(size[t]) - D), int(nonbasic[at[t]])))
        _pivot(d, leaving, int(at[best]), at_upper=above)
    return PAUSE


def _feasible(d: Dictionary, order: Ints) -> int:
    for q in range(int(d.state[ACTIVE]) - 1, -1, -1):
        if d.span[d.nonbasic[q]] == 0:
            _retire(d, q)
    for i in order.tolist():
        v, stuck = int(d.basic[i]), 0
        while d.basic[i] == v and not d.free[v]:
            down, room = _rooms(d)
            if down[i] >= 0 and (d.span[v] == NO_UPPER or room[i] >= 0):
                break
            if d.beta[i] < 0:
                upward = 1
                room[i] = -d.beta[i]
            else:
                upward = -1
                down[i] = d.beta[i] - d.state[DETERMINANT] * int(d.span[v])
            chosen = _choose(d, down, room, i, upward, stuck > PATIENCE)
            if chosen is None:
                return EMPTY
            q, way, gain = chosen
            bland, stuck = stuck > PATIENCE, 0 if gain > 0 else stuck + 1
            _move(d, down, room, q, way, bland, i)
    for i in np.flatnonzero(d.span[d.basic] == 0).tolist():
        at = np.flatnonzero(d.T[i, : d.state[ACTIVE]])
        if len(at):
            unit = at[np.abs(d.T[i, at]) == d.state[DETERMINANT]]
            _pivot(d, i, int(unit[0] if len(unit) else at[-1]), at_upper=False)
    return DONE


def _optimise(d: Dictionary, ends: Ends, found: Found, columns: int, sign: Ints) -> int:
    if not _scan(d, ends, found, columns, sign):
        return FULL
    state, budget = d.state, int(d.state[BUDGET])
    while state[CURSOR] < len(ends.order):
        e = int(ends.order[state[CURSOR]])
        if ends.status[e] != OPEN:
            state[CURSOR] += 1
            state[STUCK] = 0
            continue
        if budget == 0:
            return PAUSE
        budget -= 1
        v, g = int(ends.variable[e]), int(ends.sign[e])
        down, room = _rooms(d)
        bland = bool(state[STUCK] > PATIENCE)
        basic = np.flatnonzero(d.basic == v)
        if len(basic):
            chosen = _choose(d, down, room, int(basic[0]), -g, bland)
            assert chosen is not None  # else the scan had called it optimal
            q, way, gain = chosen
        elif not d.free[v] and (g < 0) == d.up[v]:
            ends.status[e] = OPTIMAL  # nothing lies behind a bound
            ends.number[e], ends.below[e] = g * int(d.span[v]) if d.up[v] else 0, 1
            continue
        else:
            q, way, gain = int(np.flatnonzero(d.nonbasic == v)[0]), -g if d.free[v] else 1, 1.0
        state[STUCK] = 0 if gain > 0 else state[STUCK] + 1
        if not _move(d, down, room, q, way, bland, -1):
            _ray(d, ends, q, way)
        elif not _scan(d, ends, found, columns, sign):
            return FULL
    return DONE


def _checked(d: Dictionary, new: NDArray[Any]) -> NDArray[Any]:
    """Entries of T, if they fit."""
    if d.T.dtype != object and new.size and max(new.max(), -new.min()) > d.state[LIMIT]:
        raise _TooLargeError
    return new


def _pivot(d: Dictionary, r: int, q: int, *, at_upper: bool) -> None:
    """Row r leaves at a bound, column q enters."""
    state, carried = d.state, int(d.state[CARRIED])
    T, beta, D = d.T[:, :carried], d.beta, int(d.state[DETERMINANT])
    leaving, entering = int(d.basic[r]), int(d.nonbasic[q])
    state[PIVOTS] += 1
    if at_upper:
        T[r] *= -1
        beta[r] = D * int(d.span[leaving]) - int(beta[r])
    p = int(T[r, q])
    s, new_D, b = (1 if p > 0 else -1), abs(p), int(beta[r])
    factor = s * T[:, q]
    factor[r] = 0
    row = T[r].copy()
    row[q] = 0
    _room_for(beta, new_D if new_D != D else 1, factor, b)
    touched = np.flatnonzero(factor)
    if new_D == D:
        at = np.flatnonzero(row)
        block = np.ix_(touched, at)
        T[block] = _checked(d, T[block] - np.outer(factor[touched], row[at]) // D)
        beta[touched] -= factor[touched] * b // D
    else:
        own_row, own = T[r].copy(), beta[r]
        T[:] = _checked(d, (T * new_D - np.outer(factor, row)) // D)
        beta[:] = (beta * new_D - factor * b) // D
        T[r], beta[r] = own_row, own
    T[:, q] = factor
    if s > 0:
        T[r], beta[r] = -row, -b
    T[r, q] = s * D
    state[DETERMINANT] = new_D
    d.basic[r], d.nonbasic[q] = entering, leaving
    d.up[leaving] = at_upper
    if d.up[entering]:
        if beta.dtype != object and float(new_D) * float(d.span[entering]) >= _SAFE / 2:
            raise _TooLargeError
        T[r] *= -1
        beta[r] = new_D * int(d.span[entering]) - int(beta[r])
        d.up[entering] = False
    if d.span[leaving] == 0:
        _retire(d, q)
    state[FRESH] = 1


def _room_for(beta: NDArray[Any], scale: int, factor: NDArray[Any], b: int) -> None:
    if beta.dtype != object:
        most = np.abs(beta.astype(np.float64)) * scale + np.abs(factor.astype(np.float64)) * abs(float(b))
        if most.max(initial=0.0) >= _SAFE:
            raise _TooLargeError


def _retire(d: Dictionary, q: int) -> None:
    """A nonbasic variable that cannot move goes behind the others, or away."""
    last = int(d.state[ACTIVE]) - 1
    d.state[ACTIVE] = last
    if q != last:
        d.T[:, [q, last]] = d.T[:, [last, q]]
        d.nonbasic[[q, last]] = d.nonbasic[[last, q]]
    if not d.state[KEEP]:
        d.state[CARRIED] = last


def _flip(d: Dictionary, q: int) -> None:
    """Column q goes to the other end of its span."""
    v = int(d.nonbasic[q])
    span = int(d.span[v])
    _room_for(d.beta, 1, d.T[:, q], span)
    d.beta[:] += d.T[:, q] * span
    d.T[:, q] *= -1
    d.up[v] = ~d.up[v]
    d.state[FRESH] = 1


def _rooms(d: Dictionary) -> tuple[NDArray[Any], NDArray[Any]]:
    """How far D w may fall and rise; -1: nothing stops it."""
    span, D = d.span[d.basic], int(d.state[DETERMINANT])
    bound, ends = ~d.free[d.basic], span != NO_UPPER
    top = np.where(ends, span, 0)
    if d.beta.dtype == object:
        top = top.astype(object)
    elif float(top.max(initial=0)) * D >= _SAFE / 2:
        raise _TooLargeError
    top = top * D
    down = np.where(bound & (d.beta >= 0), d.beta, -1)
    room = np.where(bound & ends & (d.beta <= top), top - d.beta, -1)
    return down, room


def _choose(
    d: Dictionary, down: NDArray[Any], room: NDArray[Any], i: int, upward: int, bland: bool
) -> tuple[int, int, float] | None:
    """The column that raises (upward: 1) or lowers (-1) w of row i most: (column, direction, gain)."""
    active = int(d.state[ACTIVE])
    row = d.T[i, :active] * upward
    at = np.flatnonzero((row > 0) | ((row != 0) & d.free[d.nonbasic[:active]]))
    if len(at) == 0:
        return None
    if bland:
        at = at[[np.argmin(d.nonbasic[at])]]
    way = np.where(row[at] > 0, 1, -1)
    a = (d.T[:, at] * way).astype(np.float64)
    limit = np.full(a.shape, np.inf)
    np.divide(np.where(down < 0, np.inf, down.astype(np.float64))[:, None], -a, out=limit, where=a < 0)
    np.divide(np.where(room < 0, np.inf, room.astype(np.float64))[:, None], a, out=limit, where=a > 0)
    own = d.span[d.nonbasic[at]]
    step = np.minimum(limit.min(axis=0), np.where(own == NO_UPPER, np.inf, own))
    gain = step * np.abs(row[at].astype(np.float64))
    best = int(np.argmax(gain))
    return int(at[best]), int(way[best]), float(gain[best])


def _move(d: Dictionary, down: NDArray[Any], room: NDArray[Any], q: int, way: int, bland: bool, special: int) -> bool:
    """Let column q enter; False: nothing stops it. `special`: a row outside its bounds, which stops at the nearest."""
    column = d.T[:, q] * way
    rows = np.flatnonzero(((column < 0) & (down >= 0)) | ((column > 0) & (room >= 0)))
    own = int(d.span[d.nonbasic[q]])
    if len(rows) == 0:
        if own == NO_UPPER:
            return False
        _flip(d, q)
        return True
    number = np.where(column[rows] < 0, down[rows], room[rows])
    below = np.abs(column[rows])
    near = _smallest(number, below)
    first = near[0]
    if own != NO_UPPER and int(number[first]) // int(below[first]) >= own:
        _flip(d, q)
        return True
    D = int(d.state[DETERMINANT])

    def key(t: int) -> tuple[bool, int, int]:
        v = int(d.basic[rows[t]])
        return (False, 0, v) if bland else (d.span[v] != 0, abs(int(below[t]) - D), v)

    r = int(rows[min(near, key=key)])
    _pivot(d, r, q, at_upper=bool(column[r] > 0) != (r == special))
    return True


def _smallest(number: NDArray[Any], below: NDArray[Any]) -> list[int]:
    """Positions of the smallest number / below, exactly: floats choose who is compared."""
    ratio = number.astype(np.float64) / below.astype(np.float64)
    best: list[int] = []
    for t in np.flatnonzero(ratio <= ratio.min() * (1 + 1e-12)).tolist():
        if best:
            left, right = int(number[t]) * int(below[best[0]]), int(number[best[0]]) * int(below[t])
            if left > right:
                continue
            if left < right:
                best = []
        best.append(t)
    return best


def _scan(d: Dictionary, ends: Ends, found: Found, columns: int, sign: Ints) -> bool:
    """What this vertex says of every open end. False: a buffer is full."""
    D, active = int(d.state[DETERMINANT]), int(d.state[ACTIVE])
    own = d.basic < columns
    whole = D == 1 or not (d.beta[own] % D).any()
    if whole and d.state[FRESH]:
        if found.filled[0] == len(found.vertices):
            return False
        _list_vertex(d, found, columns, own, D)
    left = ends.left[1 : 1 + int(ends.left[0])].copy()
    place = np.full(len(d.span), -1)
    place[d.basic] = np.arange(len(d.basic))
    row, v, g = place[ends.variable[left]], ends.variable[left], ends.sign[left]
    inside = row >= 0
    value = g * np.where(d.up[v], d.span[v], 0)
    if d.beta.dtype == object:
        value = value.astype(object)
    rest = np.zeros_like(value)
    signed = g[inside] * d.beta[row[inside]]
    value[inside] = signed // D
    rest[inside] = signed - value[inside] * D
    touched = (rest == 0) & (ends.real[left] != NO_LOWER) & (value <= ends.real[left])
    reached = ~touched & (ends.goal[left] != NO_LOWER) & (value <= ends.goal[left]) & whole
    ends.status[left[touched]], ends.status[left[reached]] = TOUCHED, REACHED
    on = ~touched & ~reached
    if not whole:
        _remember_parts(ends, left[on].tolist(), value[on].tolist(), rest[on].tolist(), D)
    at = np.flatnonzero(on & inside)
    entries = d.T[row[at], :active] * g[at, None]
    best = ~((entries < 0) | ((entries != 0) & d.free[d.nonbasic[:active]])).any(axis=1)
    full = False
    for t in at[best].tolist():
        e, i = int(left[t]), int(row[t])
        if d.state[KEEP] and not _list_proof(d, found, e, i, int(g[t]), columns, sign, D):
            full = True
            break
        ends.status[e] = OPTIMAL
        ends.number[e], ends.below[e] = int(g[t]) * int(d.beta[i]), D
    left = left[ends.status[left] == OPEN]
    ends.left[0] = len(left)
    ends.left[1 : 1 + len(left)] = left
    return not full


def _list_vertex(d: Dictionary, found: Found, columns: int, own: NDArray[np.bool_], D: int) -> None:
    at = int(found.filled[0])
    found.vertices[at] = np.where(d.up[:columns], d.span[:columns], 0)
    found.vertices[at, d.basic[own]] = d.beta[own] // D
    found.filled[0] = at + 1
    d.state[FRESH] = 0


def _remember_parts(ends: Ends, which: list[int], value: list[int], rest: list[int], D: int) -> None:
    for e, whole, part in zip(which, value, rest, strict=True):
        number, below = int(ends.part[e]), int(ends.part_below[e])
        if below == 0 or (whole * D + part) * below < number * D:
            ends.part[e], ends.part_below[e] = whole * D + part, D


def _list_proof(d: Dictionary, found: Found, e: int, i: int, g: int, columns: int, sign: Ints, D: int) -> bool:
    carried, proofs, at = int(d.state[CARRIED]), int(found.filled[1]), int(found.filled[2])
    if proofs == len(found.proof) or at + carried > len(found.row):
        return False
    entries = d.T[i, :carried]
    used = np.flatnonzero((entries != 0) & (d.nonbasic[:carried] >= columns))
    v = d.nonbasic[used]
    until = at + len(used)
    found.row[at:until] = v - columns
    found.factor[at:until] = entries[used] * (g * sign[v] * np.where(d.up[v], -1, 1))
    found.proof[proofs] = e, until, D
    found.filled[1], found.filled[2] = proofs + 1, until
    return True


def _ray(d: Dictionary, ends: Ends, q: int, way: int) -> None:
    """Column q can go on for ever: so do all the ends that follow it."""
    place = np.full(len(d.span), -1)
    place[d.basic] = np.arange(len(d.basic))
    left = ends.left[1 : 1 + int(ends.left[0])].copy()
    v, g = ends.variable[left], ends.sign[left]
    rate = np.where(v == d.nonbasic[q], -way if d.up[d.nonbasic[q]] else way, 0).astype(d.T.dtype)
    basic = place[v] >= 0
    rate[basic] = d.T[place[v[basic]], q] * way
    ends.status[left[rate * g < 0]] = UNLIMITED
    left = left[ends.status[left] == OPEN]
    ends.left[0] = len(left)
    ends.left[1 : 1 + len(left)] = left
