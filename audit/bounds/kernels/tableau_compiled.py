"""Pivots of the exact dictionary compiled by numba: makes the same pivots as the plain twin beside it.

Floats only choose which column enters; what leaves, and everything else, is decided in whole numbers.
"""

import numpy as np
from numba import njit

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
    ROWS,
    STUCK,
    TOO_LARGE,
    TOUCHED,
    UNLIMITED,
)
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

_SAFE = 2.0**62
_LARGEST = 2**63 - 1
_FAR = 1e-9


@njit(cache=True)
def feasible(d, order):
    """Phase 1, see the plain twin."""
    for q in range(d.state[ACTIVE] - 1, -1, -1):
        if d.span[d.nonbasic[q]] == 0:
            _retire(d, q)
    work = _workspace(d)
    down, room = work[4], work[5]
    for i in order:
        stuck = 0
        v = d.basic[i]
        while d.basic[i] == v and not d.free[v]:
            if not _rooms(d, down, room):
                return TOO_LARGE
            if down[i] >= 0 and (d.span[v] == NO_UPPER or room[i] >= 0):
                break
            if d.beta[i] < 0:
                upward = 1
                room[i] = -d.beta[i]
            else:
                upward = -1
                down[i] = d.beta[i] - d.state[DETERMINANT] * d.span[v]
            bland = stuck > PATIENCE
            q, way, gain = _choose(d, work, i, upward, bland)
            if q < 0:
                return EMPTY
            stuck = 0 if gain > 0 else stuck + 1
            if _move(d, work, q, way, bland, i) < 0:
                return TOO_LARGE
    for i in range(d.state[ROWS]):
        if d.span[d.basic[i]] == 0:
            q = -1
            for j in range(d.state[ACTIVE]):
                if d.T[i, j] != 0:
                    q = j
                    if abs(d.T[i, j]) == d.state[DETERMINANT]:
                        break
            if q >= 0 and not _pivot(d, work[0], i, q, False):
                return TOO_LARGE
    return DONE


@njit(cache=True)
def optimise(d, ends, found, columns, sign):
    """Phase 2, see the plain twin."""
    state = d.state
    work = _workspace(d)
    place = np.full(len(d.span), -1, np.int64)
    for i in range(state[ROWS]):
        place[d.basic[i]] = i
    watch, notable = np.zeros(len(ends.status), np.int64), np.full(len(ends.status), np.inf)
    budget = state[BUDGET]
    if not _scan(d, ends, found, columns, sign, place, watch, notable):
        return FULL
    while state[CURSOR] < len(ends.order):
        e = ends.order[state[CURSOR]]
        if ends.status[e] != OPEN:
            state[CURSOR] += 1
            state[STUCK] = 0
            continue
        if budget == 0:
            return PAUSE
        budget -= 1
        v, g = ends.variable[e], ends.sign[e]
        if not _rooms(d, work[4], work[5]):
            return TOO_LARGE
        bland = state[STUCK] > PATIENCE
        if place[v] >= 0:
            q, way, gain = _choose(d, work, place[v], -g, bland)
        else:
            if not d.free[v] and (g < 0) == d.up[v]:
                ends.status[e] = OPTIMAL
                ends.number[e], ends.below[e] = g * d.span[v] if d.up[v] else np.int64(0), 1
                continue
            q, gain = 0, 1.0
            while d.nonbasic[q] != v:
                q += 1
            way = -g if d.free[v] else np.int64(1)
        state[STUCK] = 0 if gain > 0 else state[STUCK] + 1
        entering = d.nonbasic[q]
        moved = _move(d, work, q, way, bland, -1)
        if moved < 0:
            return TOO_LARGE
        if moved == 0:
            _ray(d, ends, place, q, way)
            continue
        if d.nonbasic[q] != entering:
            # Where its row was, the one that has left stands in column q (phase 2 retires nothing).
            place[entering] = place[d.nonbasic[q]]
            place[d.nonbasic[q]] = -1
        if not _scan(d, ends, found, columns, sign, place, watch, notable):
            return FULL
    return DONE


@njit(cache=True)
def reoptimise(d, variable, sign, cutoff):
    """Dual simplex, see the plain twin."""
    state, T, beta = d.state, d.T, d.beta
    used = np.empty(T.shape[1], np.int64)
    budget = state[BUDGET]
    while budget > 0:
        budget -= 1
        D, rows, active = state[DETERMINANT], state[ROWS], state[ACTIVE]
        leaving, worst, above, e = -1, np.int64(0), False, -1
        for i in range(rows):
            v = d.basic[i]
            if v == variable:
                e = i
            if d.free[v]:
                continue
            if -beta[i] > worst:
                leaving, worst, above = i, -beta[i], False
            elif d.span[v] != NO_UPPER:
                if float(D) * float(d.span[v]) >= _SAFE / 2:
                    return TOO_LARGE
                if beta[i] - D * d.span[v] > worst:
                    leaving, worst, above = i, beta[i] - D * d.span[v], True
        if e >= 0 and -(-sign * beta[e] // D) >= cutoff:
            return CUT
        if leaving < 0:
            return DONE
        q, cost, size = -1, np.int64(0), np.int64(1)
        for j in range(active):
            a = -T[leaving, j] if above else T[leaving, j]
            v = d.nonbasic[j]
            if a == 0 or (a < 0 and not d.free[v]):
                continue
            a = abs(a)
            c = D if v == variable else np.int64(0)
            if e >= 0:
                c = sign * T[e, j]
            if q >= 0:
                left, right = c * size, cost * a
                if left > right:
                    continue
                if left == right:
                    mine, its = abs(a - D), abs(size - D)
                    if mine > its or (mine == its and v > d.nonbasic[q]):
                        continue
            q, cost, size = j, c, a
        if q < 0:
            return EMPTY
        if not _pivot(d, used, leaving, q, above):
            return TOO_LARGE
    return PAUSE


@njit(cache=True)
def _workspace(d):
    """(columns of a row that are used, candidates, directions, steps, room below, room above)."""
    size, rows = d.T.shape[1], d.T.shape[0]
    return (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.float64),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
    )


@njit(cache=True)
def _inverse(D):
    """(shift, inverse): a multiple of D, shifted right and multiplied by the inverse modulo 2^64 of the odd part of D,
    is divided by D."""
    shift, odd = 0, D
    while odd & 1 == 0:
        odd >>= 1
        shift += 1
    inverse = odd
    for _ in range(5):
        inverse *= 2 - odd * inverse
    return shift, inverse


@njit(cache=True)
def _pivot(d, used, r, q, at_upper):
    """Row r leaves at a bound, column q enters; False: a number does not fit."""
    T, beta, state = d.T, d.beta, d.state
    D, rows, carried, limit = state[DETERMINANT], state[ROWS], state[CARRIED], state[LIMIT]
    leaving, entering = d.basic[r], d.nonbasic[q]
    state[PIVOTS] += 1
    if at_upper:
        for j in range(carried):
            T[r, j] = -T[r, j]
        beta[r] = D * d.span[leaving] - beta[r]
    p = T[r, q]
    s = 1 if p > 0 else -1
    new_D, b = abs(p), beta[r]
    count = 0
    for j in range(carried):
        if j != q and T[r, j] != 0:
            used[count] = j
            count += 1
    fits = True
    if new_D == D:
        for i in range(rows):
            a = T[i, q] * s
            if i == r or a == 0:
                continue
            if abs(float(beta[i])) + abs(float(a)) * abs(float(b)) >= _SAFE:
                return False
            if D == 1:
                for t in range(count):
                    j = used[t]
                    v = T[i, j] - a * T[r, j]
                    fits &= -limit <= v <= limit
                    T[i, j] = v
                beta[i] -= a * b
            else:
                for t in range(count):
                    j = used[t]
                    v = T[i, j] - (a * T[r, j]) // D
                    fits &= -limit <= v <= limit
                    T[i, j] = v
                beta[i] -= (a * b) // D
            T[i, q] = a
    else:
        shift, inverse = _inverse(D)
        for i in range(rows):
            if i == r:
                continue
            a = T[i, q] * s
            if abs(float(beta[i])) * float(new_D) + abs(float(a)) * abs(float(b)) >= _SAFE:
                return False
            for j in range(carried):
                if T[i, j] != 0 or (a != 0 and T[r, j] != 0):
                    v = ((T[i, j] * new_D - a * T[r, j]) >> shift) * inverse
                    fits &= j == q or -limit <= v <= limit
                    T[i, j] = v
            T[i, q] = a
            beta[i] = ((beta[i] * new_D - a * b) >> shift) * inverse
    if not fits:
        return False
    if s > 0:
        for t in range(count):
            T[r, used[t]] = -T[r, used[t]]
        beta[r] = -b
    T[r, q] = s * D
    state[DETERMINANT] = new_D
    d.basic[r], d.nonbasic[q] = entering, leaving
    d.up[leaving] = at_upper
    if d.up[entering]:
        if float(new_D) * float(d.span[entering]) >= _SAFE / 2:
            return False
        for j in range(carried):
            T[r, j] = -T[r, j]
        beta[r] = new_D * d.span[entering] - beta[r]
        d.up[entering] = False
    if d.span[leaving] == 0:
        _retire(d, q)
    state[FRESH] = 1
    return True


@njit(cache=True)
def _retire(d, q):
    """A nonbasic variable that cannot move goes behind the others, or away."""
    last = d.state[ACTIVE] - 1
    d.state[ACTIVE] = last
    kept = d.state[KEEP] != 0
    if q != last:
        for i in range(d.state[ROWS]):
            if kept:
                d.T[i, q], d.T[i, last] = d.T[i, last], d.T[i, q]
            else:
                d.T[i, q] = d.T[i, last]
        d.nonbasic[q], d.nonbasic[last] = d.nonbasic[last], d.nonbasic[q]
    if not kept:
        d.state[CARRIED] = last


@njit(cache=True)
def _flip(d, q):
    """Column q goes to the other end of its span; False: a number does not fit."""
    v = d.nonbasic[q]
    span = d.span[v]
    for i in range(d.state[ROWS]):
        if abs(float(d.beta[i])) + abs(float(d.T[i, q])) * float(span) >= _SAFE:
            return False
        d.beta[i] += d.T[i, q] * span
        d.T[i, q] = -d.T[i, q]
    d.up[v] = not d.up[v]
    d.state[FRESH] = 1
    return True


@njit(cache=True)
def _rooms(d, down, room):
    """How far D w may fall and rise; -1: nothing stops it. False: a number does not fit."""
    D = d.state[DETERMINANT]
    for i in range(d.state[ROWS]):
        v = d.basic[i]
        down[i] = -1
        room[i] = -1
        if d.free[v]:
            continue
        if d.beta[i] >= 0:
            down[i] = d.beta[i]
        if d.span[v] != NO_UPPER:
            if float(D) * float(d.span[v]) >= _SAFE / 2:
                return False
            top = D * d.span[v]
            if d.beta[i] <= top:
                room[i] = top - d.beta[i]
    return True


@njit(cache=True)
def _choose(d, work, row, upward, bland):
    """The column that raises (upward: 1) or lowers (-1) w of a row most: (column, direction, gain); -1: none does."""
    T = d.T
    _, at, way, step, down, room = work
    count = 0
    for j in range(d.state[ACTIVE]):
        t = T[row, j] * upward
        v = d.nonbasic[j]
        if t > 0 or (t != 0 and d.free[v]):
            if bland and count == 1:
                if v > d.nonbasic[at[0]]:
                    continue
                count = 0
            at[count] = j
            way[count] = 1 if t > 0 else -1
            step[count] = np.inf if d.span[v] == NO_UPPER else float(d.span[v])
            count += 1
    if count == 0:
        return -1, 0, 0.0
    for i in range(d.state[ROWS]):
        if down[i] < 0 and room[i] < 0:
            continue
        for c in range(count):
            a = T[i, at[c]]
            if a == 0:
                continue
            a *= way[c]
            if a < 0:
                if down[i] >= 0:
                    step[c] = min(step[c], float(down[i]) / float(-a))
            elif room[i] >= 0:
                step[c] = min(step[c], float(room[i]) / float(a))
    best, most = 0, -1.0
    for c in range(count):
        gain = step[c] * abs(float(T[row, at[c]]))
        if gain > most:
            best, most = c, gain
    return at[best], way[best], most


@njit(cache=True)
def _order(number, below, other, other_below):
    """-1, 0, 1: number / below against other / other_below, exactly; nothing is negative, denominators fit 31 bits."""
    if number == 0 or other == 0:
        return min(number, 1) - min(other, 1)
    left, right = number // below, other // other_below
    if left == right:
        left, right = (number - left * below) * other_below, (other - right * other_below) * below
    return -1 if left < right else (1 if left > right else 0)


@njit(cache=True)
def _move(d, work, q, way, bland, special):
    """Let column q enter: 1, 0: nothing stops it, -1: a number does not fit. `special`: see the plain twin."""
    used, _, _, _, down, room = work
    D = d.state[DETERMINANT]
    best, number, below = -1, np.int64(0), np.int64(1)
    for i in range(d.state[ROWS]):
        a = d.T[i, q] * way
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
        return 1 if _flip(d, q) else -1
    at_upper = (d.T[best, q] * way > 0) != (best == special)
    return 1 if _pivot(d, used, best, q, at_upper) else -1


@njit(cache=True)
def _scan(d, ends, found, columns, sign, place, watch, notable):
    """What this vertex says of every open end. False: a buffer is full.

    watch: where something could lower an end when it was last looked for; notable: values of an end from here on say
    nothing new of it where the vertex is not whole.
    """
    T, beta, state, nonbasic, free = d.T, d.beta, d.state, d.nonbasic, d.free
    D, rows, active = state[DETERMINANT], state[ROWS], state[ACTIVE]
    whole = True
    shift, inverse = _inverse(D)
    if D != 1:
        # Of an odd number nothing but multiples has a quotient that is small enough modulo 2^64.
        most, low = _LARGEST // (D >> shift), (1 << shift) - 1
        for i in range(rows):
            if d.basic[i] < columns and (beta[i] & low != 0 or abs((beta[i] >> shift) * inverse) > most):
                whole = False
                break
    if whole and state[FRESH] == 1:
        at = found.filled[0]
        if at == len(found.vertices):
            return False
        for v in range(columns):
            found.vertices[at, v] = d.span[v] if d.up[v] else 0
        for i in range(rows):
            if d.basic[i] < columns:
                found.vertices[at, d.basic[i]] = (beta[i] >> shift) * inverse
        found.filled[0] = at + 1
        state[FRESH] = 0
    total, left, full = ends.left[0], 0, False
    for o in range(1, total + 1):
        e = ends.left[o]
        v, g = ends.variable[e], ends.sign[e]
        i = place[v]
        number, below = np.int64(0), np.int64(1)
        if i >= 0:
            number, below = g * beta[i], D
        elif d.up[v]:
            number = g * d.span[v]
        if ends.real[e] != NO_LOWER and _at_most(number, below, ends.real[e]):
            ends.status[e] = TOUCHED
            continue
        if whole:
            if ends.goal[e] != NO_LOWER and _at_most(number, below, ends.goal[e]):
                ends.status[e] = REACHED
                continue
        elif not full and float(number) <= notable[e] * float(below):
            # Divisions for every end at every vertex would be a third of the time: floats look from afar.
            value = number // below
            rest = number - value * below
            part, part_below = ends.part[e], ends.part_below[e]
            floor = part // max(part_below, 1)
            if (
                part_below == 0
                or value < floor
                or (value == floor and rest * part_below < (part - floor * part_below) * below)
            ):
                ends.part[e], ends.part_below[e] = value * D + rest, D
            nearest = float(ends.part[e]) / float(ends.part_below[e])
            if ends.real[e] != NO_LOWER:
                nearest = max(nearest, float(ends.real[e]))
            notable[e] = nearest + _FAR * (1.0 + abs(nearest))
        if i >= 0 and not full:
            # Handing arrays to a function costs more than this look.
            j = watch[e]
            if j < active and T[i, j] != 0 and (T[i, j] * g < 0 or free[nonbasic[j]]):
                left += 1
                ends.left[left] = e
                continue
            watch[e] = _lowering(T[i], g, nonbasic[:active], free)
        if i >= 0 and not full and watch[e] == active:
            if state[KEEP] == 0 or _list_proof(d, found, e, i, g, columns, sign):
                ends.status[e] = OPTIMAL
                ends.number[e], ends.below[e] = g * beta[i], D
                continue
            full = True
        left += 1
        ends.left[left] = e
    ends.left[0] = left
    return not full


@njit(cache=True, inline="always")
def _at_most(number, below, bound):
    """number / below <= bound."""
    if abs(float(bound)) * float(below) < _SAFE:
        return number <= bound * below
    return -(-number // below) <= bound


@njit(cache=True)
def _lowering(row, g, nonbasic, free):
    """Position of an entry that can lower g * w of a row; as many as there are: none can."""
    for j in range(len(nonbasic)):
        if row[j] != 0 and (row[j] * g < 0 or free[nonbasic[j]]):
            return j
    return len(nonbasic)


@njit(cache=True)
def _list_proof(d, found, e, i, g, columns, sign):
    carried, proofs, at = d.state[CARRIED], found.filled[1], found.filled[2]
    if proofs == len(found.proof) or at + carried > len(found.row):
        return False
    for j in range(carried):
        v = d.nonbasic[j]
        if v >= columns and d.T[i, j] != 0:
            found.row[at] = v - columns
            found.factor[at] = d.T[i, j] * g * sign[v] * (-1 if d.up[v] else 1)
            at += 1
    found.proof[proofs, 0] = e
    found.proof[proofs, 1] = at
    found.proof[proofs, 2] = d.state[DETERMINANT]
    found.filled[1], found.filled[2] = proofs + 1, at
    return True


@njit(cache=True)
def _ray(d, ends, place, q, way):
    """Column q can go on for ever: so do all the ends that follow it."""
    left = 0
    for o in range(1, ends.left[0] + 1):
        e = ends.left[o]
        v = ends.variable[e]
        if place[v] >= 0:
            rate = d.T[place[v], q] * way
        elif v == d.nonbasic[q]:
            rate = -way if d.up[v] else way
        else:
            rate = way * 0
        if rate * ends.sign[e] < 0:
            ends.status[e] = UNLIMITED
        else:
            left += 1
            ends.left[left] = e
    ends.left[0] = left
