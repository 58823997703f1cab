"""The simplex method on the exact dictionary: to a first vertex, from there through others, and back into bounds."""

from tableseal.audit.bounds.kernels.pivots import ENDLESS, choose, measure, move, pivot, retire, workspace
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
    REACHED,
    ROWS,
    SAFE,
    STUCK,
    TOO_LARGE,
    TOUCHED,
    UNLIMITED,
    Dictionary,
    Ends,
    Found,
)
from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.primitives import floats, integers, matrix

_FAR = 1e-9


@kernel
def feasible(d: Dictionary, order: Cells) -> int:
    """Phase 1: row after row is brought between its bounds, those that are there stay: DONE, TOO_LARGE or EMPTY."""
    for q in range(d.state[ACTIVE] - 1, -1, -1):
        if d.span[d.nonbasic[q]] == 0:
            retire(d, q)
    work = workspace(d)
    down, room = work.down, work.room
    for i in order:
        stuck = 0
        v = d.basic[i]
        while d.basic[i] == v and not d.free[v]:
            if not measure(d, down, room):
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
            q, way, gain = choose(d, work, i, upward, bland)
            if q < 0:
                return EMPTY
            stuck = 0 if gain > 0 else stuck + 1
            if move(d, work, q, way, bland, i) < 0:
                return TOO_LARGE
    for i in range(d.state[ROWS]):
        if d.span[d.basic[i]] == 0:
            q = -1
            for j in range(d.state[ACTIVE]):
                if d.T[i][j] != 0:
                    q = j
                    if abs(d.T[i][j]) == d.state[DETERMINANT]:
                        break
            if q >= 0 and not pivot(d, work.used, i, q, False):
                return TOO_LARGE
    return DONE


@kernel
def optimise(d: Dictionary, ends: Ends, found: Found, columns: int, sign: Cells) -> int:
    """Phase 2: from vertex to vertex until every end is known: DONE, FULL, PAUSE or TOO_LARGE."""
    state = d.state
    work = workspace(d)
    place = integers(len(d.span), -1)
    for i in range(state[ROWS]):
        place[d.basic[i]] = i
    watch, notable = integers(len(ends.status), 0), floats(len(ends.status), ENDLESS)
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
        if not measure(d, work.down, work.room):
            return TOO_LARGE
        bland = state[STUCK] > PATIENCE
        if place[v] >= 0:
            q, way, gain = choose(d, work, place[v], -g, bland)
        else:
            if not d.free[v] and (g < 0) == d.up[v]:
                ends.status[e] = OPTIMAL  # nothing lies behind a bound
                ends.number[e], ends.below[e] = g * d.span[v] if d.up[v] else 0, 1
                continue
            q, gain = 0, 1.0
            while d.nonbasic[q] != v:
                q += 1
            way = -g if d.free[v] else 1
        state[STUCK] = 0 if gain > 0 else state[STUCK] + 1
        entering = d.nonbasic[q]
        moved = move(d, work, q, way, bland, -1)
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


@kernel
def reoptimise(d: Dictionary, variable: int, sign: int, cutoff: int) -> int:
    """Dual simplex: from a vertex where sign * w of a variable was least, after bounds have changed, to the next.

    DONE; EMPTY: there is none; CUT: no whole table lies below the cutoff; PAUSE: after as many pivots as allowed;
    TOO_LARGE.
    """
    state, T, beta = d.state, d.T, d.beta
    used = integers(len(d.nonbasic), 0)
    for _ in range(state[BUDGET]):
        D, active, limit = state[DETERMINANT], state[ACTIVE], state[LIMIT]
        leaving, worst, above, e = -1, 0, False, -1
        for i in range(state[ROWS]):
            v = d.basic[i]
            if v == variable:
                e = i
            if d.free[v]:
                continue
            if -beta[i] > worst:
                leaving, worst, above = i, -beta[i], False
            elif d.span[v] != NO_UPPER:
                if limit and float(D) * float(d.span[v]) >= SAFE / 2:
                    return TOO_LARGE
                if beta[i] - D * d.span[v] > worst:
                    leaving, worst, above = i, beta[i] - D * d.span[v], True
        if e >= 0 and -(-sign * beta[e] // D) >= cutoff:
            return CUT
        if leaving < 0:
            return DONE
        q, cost, size = -1, 0, 1
        row, own = T[leaving], T[max(e, 0)]
        for j in range(active):
            a = -row[j] if above else row[j]
            if a == 0:
                continue
            v = d.nonbasic[j]
            if a < 0 and not d.free[v]:
                continue
            a = abs(a)
            c = D if v == variable else 0
            if e >= 0:
                c = sign * own[j]
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
        if not pivot(d, used, leaving, q, above):
            return TOO_LARGE
    return PAUSE


@kernel
def compacted(d: Dictionary) -> Dictionary:
    """Without the rows that must hold and have stayed basic (they follow from others) and the columns let go."""
    carried, rows = d.state[CARRIED], 0
    for v in d.basic:
        rows += d.span[v] != 0
    T, beta, basic = matrix(rows, carried), integers(rows, 0), integers(rows, 0)
    r = 0
    for i in range(len(d.basic)):
        if d.span[d.basic[i]] != 0:
            row = d.T[i]
            T[r][:] = row[:carried]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    d.state[ROWS] = rows
    return Dictionary(T, beta, basic, d.nonbasic[:carried].copy(), d.span, d.free, d.up, d.state)


@kernel
def _scan(
    d: Dictionary, ends: Ends, found: Found, columns: int, sign: Cells, place: Cells, watch: Cells, notable: Cells
) -> bool:
    """What this vertex says of every open end. False: a buffer is full.

    place: row of each variable, -1: it is not basic. watch: where something could lower an end when it was last looked
    for; notable: values of an end from here on say nothing new of it where the vertex is not whole.
    """
    T, beta, state, nonbasic, free = d.T, d.beta, d.state, d.nonbasic, d.free
    D, rows, active = state[DETERMINANT], state[ROWS], state[ACTIVE]
    whole = True
    if D != 1:
        for i in range(rows):
            if d.basic[i] < columns and beta[i] % D != 0:
                whole = False
                break
    if whole and state[FRESH] == 1:
        at = found.filled[0]
        if at == len(found.vertices):
            return False
        vertex = found.vertices[at]
        for v in range(columns):
            vertex[v] = d.span[v] if d.up[v] else 0
        for i in range(rows):
            if d.basic[i] < columns:
                vertex[d.basic[i]] = beta[i] // D
        found.filled[0] = at + 1
        state[FRESH] = 0
    left, full = 0, False
    for o in range(1, ends.left[0] + 1):
        e = ends.left[o]
        v, g = ends.variable[e], ends.sign[e]
        i = place[v]
        number, below = 0, 1
        if i >= 0:
            number, below = g * beta[i], D
        elif d.up[v]:
            number = g * d.span[v]
        bound = ends.real[e]
        if bound != NO_LOWER and (number <= 0 if bound == 0 else _at_most(number, below, bound)):
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
            row, j = T[i], watch[e]
            if j < active and row[j] != 0 and (row[j] * g < 0 or free[nonbasic[j]]):
                left += 1
                ends.left[left] = e
                continue
            j = 0
            while j < active and (row[j] == 0 or (row[j] * g > 0 and not free[nonbasic[j]])):
                j += 1
            watch[e] = j
            if j == active:
                if state[KEEP] == 0 or _list_proof(d, found, e, i, g, columns, sign):
                    ends.status[e] = OPTIMAL
                    ends.number[e], ends.below[e] = g * beta[i], D
                    continue
                full = True
        left += 1
        ends.left[left] = e
    ends.left[0] = left
    return not full


@kernel
def _at_most(number: int, below: int, bound: int) -> bool:
    """number / below <= bound."""
    if abs(float(bound)) * float(below) < SAFE:
        return number <= bound * below
    return -(-number // below) <= bound


@kernel
def _list_proof(d: Dictionary, found: Found, e: int, i: int, g: int, columns: int, sign: Cells) -> bool:
    """The row of an end as multipliers. False: a buffer is full."""
    carried, proofs, at = d.state[CARRIED], found.filled[1], found.filled[2]
    if proofs == len(found.proof) or at + carried > len(found.row):
        return False
    row, proof = d.T[i], found.proof[proofs]
    for j in range(carried):
        v = d.nonbasic[j]
        if v >= columns and row[j] != 0:
            found.row[at] = v - columns
            found.factor[at] = row[j] * g * sign[v] * (-1 if d.up[v] else 1)
            at += 1
    proof[0], proof[1], proof[2] = e, at, d.state[DETERMINANT]
    found.filled[1], found.filled[2] = proofs + 1, at
    return True


@kernel
def _ray(d: Dictionary, ends: Ends, place: Cells, q: int, way: int) -> None:
    """Column q can go on for ever: so do all the ends that follow it."""
    left = 0
    for o in range(1, ends.left[0] + 1):
        e = ends.left[o]
        v = ends.variable[e]
        rate = 0
        if place[v] >= 0:
            rate = d.T[place[v]][q] * way
        elif v == d.nonbasic[q]:
            rate = -way if d.up[v] else way
        if rate * ends.sign[e] < 0:
            ends.status[e] = UNLIMITED
        else:
            left += 1
            ends.left[left] = e
    ends.left[0] = left
