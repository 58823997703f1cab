"""What is left of a dictionary where only less than the best table in hand is asked for.

At the vertex where a target is least, a nonbasic variable whose reduced cost makes up for all of the gap stays where it
is in every better table. What then no longer moves is taken out; what would be no whole number there refutes all of it.
"""

from math import gcd

from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    CARRIED,
    DETERMINANT,
    KEEP,
    LIMIT,
    ROWS,
    SAFE,
    Aim,
    Dictionary,
)
from tableseal.audit.compiling import Cells, kernel
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.primitives import flags, integers, matrix


@kernel
def reduced_costs(d: Dictionary, aim: Aim) -> tuple[Cells, int]:
    """(cost of each active column, value), so that D times the aim is value + cost z."""
    D, active = d.state[DETERMINANT], d.state[ACTIVE]
    cost = integers(active, 0)
    for i in range(d.state[ROWS]):
        if d.basic[i] == aim.variable:
            row = d.T[i]
            for j in range(active):
                cost[j] = aim.sign * row[j]
            return cost, aim.sign * d.beta[i]
    up = d.up[aim.variable]
    for j in range(active):
        if d.nonbasic[j] == aim.variable:
            cost[j] = -aim.sign * D if up else aim.sign * D
    if not up:
        return cost, 0
    if d.state[LIMIT] and float(D) * float(d.span[aim.variable]) >= SAFE:
        return cost, NO_LOWER  # less is always true: it refutes nothing
    return cost, aim.sign * D * d.span[aim.variable]


@kernel
def narrowed(d: Dictionary, aim: Aim, best: int, fixed: Cells) -> tuple[bool, Dictionary]:
    """(it is proved that the aim cannot be less than `best`, a dictionary of what can still move where it is).

    fixed: int64 (columns): w of the columns that are taken out is written here.
    """
    D, rows, active, columns = d.state[DETERMINANT], d.state[ROWS], d.state[ACTIVE], len(fixed)
    cost, value = reduced_costs(d, aim)
    room = NO_UPPER  # as good as no limit
    if not d.state[LIMIT] or float(D) * abs(float(best - 1)) + abs(float(value)) < SAFE:
        room = min(D * (best - 1) - value, room)
    if room < 0:
        return True, d
    span, up, kept, count = d.span.copy(), d.up.copy(), integers(active, 0), 0
    stays = flags(active, True)
    for j in range(active):
        v = d.nonbasic[j]
        if cost[j] > 0 and v != aim.variable:
            most = room // cost[j]
            if most == 0 < span[v]:
                stays[j] = False
            elif most < span[v] and not up[v]:
                # Where w falls from its upper bound a smaller distance would be another lower bound.
                span[v] = most
        if stays[j]:
            kept[count] = j
            count += 1
    moves, moving = flags(rows, False), 0
    for i in range(rows):
        row, common = d.T[i], D
        for c in range(count):
            entry = row[kept[c]]
            if entry != 0:
                moves[i] = True
                if common == 1:
                    break
                common = gcd(abs(entry), common)
        if common != 1 and d.beta[i] % common != 0:
            return True, d
        v = d.basic[i]
        if moves[i] or v == aim.variable:
            moves[i] = True
            moving += 1
        elif v < columns:
            fixed[v] = d.beta[i] // D
    for j in range(len(d.nonbasic)):
        if j >= active or not stays[j]:
            v = d.nonbasic[j]
            if v < columns and up[v]:
                fixed[v] = d.span[v]
            up[v] = False
    T, beta, basic, nonbasic = matrix(moving, count), integers(moving, 0), integers(moving, 0), integers(count, 0)
    r = 0
    for i in range(rows):
        if moves[i]:
            row, new = d.T[i], T[r]
            for c in range(count):
                new[c] = row[kept[c]]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    for c in range(count):
        nonbasic[c] = d.nonbasic[kept[c]]
    state = d.state.copy()
    state[ACTIVE] = state[CARRIED] = count
    state[ROWS], state[KEEP] = moving, 0
    return False, Dictionary(T, beta, basic, nonbasic, span, d.free, up, state)
