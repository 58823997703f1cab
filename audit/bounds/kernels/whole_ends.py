"""The least whole value of an end, compiled: twin of audit.bounds.tableaux.whole_ends with its splits, cuts and faces.

The same steps in the same order, but tables that are met are checked here, against the rows and bounds of their block.
"""

import numpy as np
from numba import njit

from tableseal.audit.bounds.kernels import renew, tableau_compiled
from tableseal.audit.bounds.kernels.tableau_compiled import reoptimise
from tableseal.audit.bounds.tableaux.cuts import FACTORS, SOURCES, TOGETHER
from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    BUDGET,
    CARRIED,
    CUT,
    DETERMINANT,
    DONE,
    EMPTY,
    FRESH,
    KEEP,
    ROWS,
    Dictionary,
)
from tableseal.audit.bounds.tableaux.splits import PIVOTS as PIVOTS_OF_A_BOX
from tableseal.audit.bounds.tableaux.whole_ends import FEW, PIVOTS, SMALL
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

_SAFE = 2.0**62
_ENDLESS = 1e30

renew(__file__, tableau_compiled.__file__)


@njit(cache=True)
def witness(block, w):
    """Table with the columns w: where it goes further than all before, and every row and bound of the block holds, its
    targets are attained."""
    x, value, attained = block.x, block.value, block.attained
    largest = 0.0
    for j in range(len(x)):
        x[j] = block.origin[j] + block.sign[j] * w[j]
        if x[j] < block.column_lower[j] or x[j] > block.column_upper[j]:
            return
        largest = max(largest, abs(float(x[j])))
    if largest * block.heaviest >= _SAFE:
        return
    half, better = len(value), False
    for t in range(half):
        value[t] = _sum(block.asked_indptr, block.asked_indices, block.asked_data, t, block.first, x)
        better |= value[t] < attained[t] or -value[t] < attained[half + t]
    if not better:
        return
    for i in range(len(block.lower)):
        activity = _sum(block.indptr, block.indices, block.data, i, block.first, x)
        if activity < block.lower[i] or activity > block.upper[i]:
            return
    for t in range(half):
        attained[t] = min(attained[t], value[t])
        attained[half + t] = min(attained[half + t], -value[t])


@njit(cache=True)
def _sum(indptr, indices, data, row, first, x):
    """row @ x."""
    value = np.int64(0)
    for t in range(indptr[row], indptr[row + 1]):
        value += data[t] * x[indices[t] - first]
    return value


@njit(cache=True)
def least_whole(d, block, k, variable, sign, goal, boxes):
    """True if it is proved that end k of the block goes no further than what is attained; see the plain twin."""
    columns = len(block.x)
    best = min(block.attained[k] - block.offset[k], NO_UPPER)
    fixed = np.zeros(columns, np.int64)
    own, whole = len(d.span), d.T.size <= SMALL
    face = d
    if not whole:
        refuted, face = _narrowed(d, variable, sign, best, columns, fixed)
        if refuted:
            return True
    for at in range(len(boxes)):
        nodes = boxes[at]
        if nodes:
            tried = min(FEW, nodes) if whole else nodes
            closed, found = _dive(_copied(face), block, k, variable, sign, goal, best, fixed, tried)
            if closed:
                return True
            if found < best or whole:
                best = found
                whole = False
                refuted, face = _narrowed(face, variable, sign, best, columns, fixed)
                if refuted:
                    return True
        if at + 1 == len(boxes):
            break
        face = _with_cuts(face, variable, sign, own)
        whole = False
        face.state[BUDGET] = PIVOTS
        code = reoptimise(face, variable, sign, best)
        if code in (EMPTY, CUT):
            return True
        if code != DONE:
            return False
        refuted, face = _narrowed(face, variable, sign, best, columns, fixed)
        if refuted:
            return True
    return False


@njit(cache=True)
def _copied(d):
    return Dictionary(
        d.T.copy(),
        d.beta.copy(),
        d.basic.copy(),
        d.nonbasic.copy(),
        d.span.copy(),
        d.free,
        d.up.copy(),
        d.state.copy(),
    )


@njit(cache=True)
def _dive(d, block, k, variable, sign, goal, best, fixed, nodes):
    """Splits of a column's values, depth first: (closed, what is best now); see audit.bounds.tableaux.splits."""
    columns = len(fixed)
    low = np.zeros(columns, np.int64)
    d.state[BUDGET] = PIVOTS_OF_A_BOX
    waiting = [(d, low, np.int64(0), np.int64(0), False) for _ in range(0)]
    code = DONE
    for _ in range(nodes):
        row = np.int64(-1)
        at = np.int64(0)
        upward = False
        if code == DONE:
            row = _most_fractional(d, columns)
            if row < 0:
                value = _value(d, variable, sign, low)
                w = low + fixed
                for j in range(columns):
                    if d.up[j]:
                        w[j] += d.span[j]
                for i in range(d.state[ROWS]):
                    if d.basic[i] < columns:
                        w[d.basic[i]] += d.beta[i] // d.state[DETERMINANT]
                witness(block, w)
                best = min(block.attained[k] - block.offset[k], NO_UPPER)
                if best <= goal:
                    return True, best
                if value < best:
                    return False, best
        elif code not in (EMPTY, CUT):
            return False, best
        if row >= 0:
            if d.free[d.basic[row]]:
                return False, best
            D = d.state[DETERMINANT]
            at = d.beta[row] // D
            upward = 2 * (d.beta[row] - at * D) > D
            waiting.append((_copied(d), low.copy(), row, at, not upward))
        elif len(waiting):
            d, low, row, at, upward = waiting.pop()
        else:
            return True, best
        v = d.basic[row]
        if upward:
            d.beta[row] -= (at + 1) * d.state[DETERMINANT]
            low[v] += at + 1
            if d.span[v] != NO_UPPER:
                d.span[v] -= at + 1
        else:
            d.span[v] = at
        code = reoptimise(d, variable, sign, best)
    return False, best


@njit(cache=True)
def _most_fractional(d, columns):
    """Row of the column whose value is nearest to a half; -1: all are whole."""
    D = d.state[DETERMINANT]
    row, nearest = np.int64(-1), np.int64(0)
    if D == 1:
        return row
    for i in range(d.state[ROWS]):
        if d.basic[i] >= columns:
            continue
        rest = d.beta[i] % D
        if rest != 0 and (row < 0 or abs(2 * rest - D) < nearest):
            row, nearest = np.int64(i), abs(2 * rest - D)
    return row


@njit(cache=True)
def _value(d, variable, sign, low):
    """The end at a whole vertex; NO_UPPER where it is not in the dictionary."""
    shift = sign * low[variable] if variable < len(low) else np.int64(0)
    for i in range(d.state[ROWS]):
        if d.basic[i] == variable:
            return sign * d.beta[i] // d.state[DETERMINANT] + shift
    for j in range(len(d.nonbasic)):
        if d.nonbasic[j] == variable:
            return (sign * d.span[variable] if d.up[variable] else np.int64(0)) + shift
    return np.int64(NO_UPPER)


@njit(cache=True)
def _reduced_costs(d, variable, sign):
    """(cost of each active column, value), so that D times the end is value + cost z."""
    D, active = d.state[DETERMINANT], d.state[ACTIVE]
    cost = np.zeros(active, np.int64)
    for i in range(d.state[ROWS]):
        if d.basic[i] == variable:
            for j in range(active):
                cost[j] = sign * d.T[i, j]
            return cost, sign * d.beta[i]
    for j in range(active):
        if d.nonbasic[j] == variable:
            cost[j] = -sign * D if d.up[variable] else sign * D
    if not d.up[variable]:
        return cost, np.int64(0)
    if float(D) * float(d.span[variable]) >= _SAFE:
        return cost, np.int64(NO_LOWER)  # less is always true: it refutes nothing
    return cost, sign * D * d.span[variable]


@njit(cache=True)
def _narrowed(d, variable, sign, best, columns, fixed):
    """(proved that nothing is better, what can still move); see audit.bounds.tableaux.fixing."""
    D, rows, active = d.state[DETERMINANT], d.state[ROWS], d.state[ACTIVE]
    cost, value = _reduced_costs(d, variable, sign)
    if float(D) * abs(float(best - 1)) + abs(float(value)) >= _SAFE:
        room = np.int64(NO_UPPER)  # as good as no limit
    else:
        room = min(D * (best - 1) - value, np.int64(NO_UPPER))
    if room < 0:
        return True, d
    span, up = d.span.copy(), d.up.copy()
    stays = np.ones(active, np.bool_)
    for j in range(active):
        v = d.nonbasic[j]
        if cost[j] <= 0 or v == variable:
            continue
        most = room // cost[j]
        if most < span[v]:
            if most == 0:
                stays[j] = False
            elif not up[v]:
                span[v] = most
    count = stays.sum()
    kept = np.empty(count, np.int64)
    c = 0
    for j in range(active):
        if stays[j]:
            kept[c] = j
            c += 1
    moves = np.zeros(rows, np.bool_)
    for i in range(rows):
        common = D
        for c in range(count):
            if d.T[i, kept[c]] != 0:
                moves[i] = True
                if common != 1:
                    common = _gcd(abs(d.T[i, kept[c]]), common)
        if common != 1 and d.beta[i] % common != 0:
            return True, d
        moves[i] |= d.basic[i] == variable
        if not moves[i] and d.basic[i] < columns:
            fixed[d.basic[i]] = d.beta[i] // D
    for j in range(len(d.nonbasic)):
        if j < active and stays[j]:
            continue
        v = d.nonbasic[j]
        if v < columns and up[v]:
            fixed[v] = d.span[v]
        up[v] = False
    state = d.state.copy()
    state[ACTIVE] = state[CARRIED] = count
    state[ROWS], state[KEEP] = moves.sum(), 0
    T = np.empty((state[ROWS], count), np.int64)
    beta, basic = np.empty(state[ROWS], np.int64), np.empty(state[ROWS], np.int64)
    r = 0
    for i in range(rows):
        if moves[i]:
            for c in range(count):
                T[r, c] = d.T[i, kept[c]]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    return False, Dictionary(T, beta, basic, d.nonbasic[kept], span, d.free, up, state)


@njit(cache=True)
def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@njit(cache=True)
def _with_cuts(d, variable, sign, own):
    """The dictionary with cuts that its vertex breaks, without older ones that do not bind; see `cuts.py`."""
    D, rows, active = d.state[DETERMINANT], d.state[ROWS], d.state[ACTIVE]
    cost = _reduced_costs(d, variable, sign)[0]
    source = _sources(d)
    tried = len(source) * len(FACTORS)
    t, need = np.empty((tried, active), np.int64), np.zeros(tried, np.int64)
    gain, size = np.zeros(tried, np.float64), np.zeros(tried, np.int64)
    for f in range(len(FACTORS)):
        factor = FACTORS[f] % D
        again = factor == 0
        for g in range(f):
            again |= FACTORS[g] % D == factor
        if again:
            continue
        for s in range(len(source)):
            i, c = source[s], f * len(source) + s
            need[c] = (-factor * (d.beta[i] % D)) % D
            price = np.inf
            for j in range(active):
                entry = (factor * (d.T[i, j] % D)) % D
                t[c, j] = entry
                if entry != 0:
                    size[c] += 1
                    price = min(price, float(cost[j]) / float(entry))
                    if d.free[d.nonbasic[j]]:
                        need[c] = 0
            gain[c] = float(need[c]) * min(price, _ENDLESS)
    chosen = _best(t, need, gain, size)
    stays = 0
    for i in range(rows):
        stays += d.basic[i] < own
    count, variables = len(chosen), len(d.span)
    state = d.state.copy()
    state[ROWS], state[CARRIED], state[FRESH] = stays + count, active, 1
    T = np.empty((stays + count, active), np.int64)
    beta, basic = np.empty(stays + count, np.int64), np.empty(stays + count, np.int64)
    r = 0
    for i in range(rows):
        if d.basic[i] < own:
            for j in range(active):
                T[r, j] = d.T[i, j]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    for c in range(count):
        for j in range(active):
            T[r, j] = t[chosen[c], j]
        beta[r], basic[r] = -need[chosen[c]], variables + c
        r += 1
    return Dictionary(
        T,
        beta,
        basic,
        d.nonbasic[:active].copy(),
        np.concatenate((d.span, np.full(count, NO_UPPER, np.int64))),
        np.concatenate((d.free, np.zeros(count, np.bool_))),
        np.concatenate((d.up, np.zeros(count, np.bool_))),
        state,
    )


@njit(cache=True)
def _sources(d):
    """Rows that are not whole, those nearest to a half first."""
    D, rows = d.state[DETERMINANT], d.state[ROWS]
    row, distance = np.empty(rows, np.int64), np.empty(rows, np.int64)
    count = 0
    for i in range(rows):
        rest = d.beta[i] % D
        if rest != 0:
            row[count], distance[count] = i, abs(2 * rest - D)
            count += 1
    order = np.argsort(distance[:count], kind="mergesort")
    return row[order[:SOURCES]]


@njit(cache=True)
def _best(t, need, gain, size):
    """The cuts that raise the end most in the first pivot; among equals those with fewest entries. None twice."""
    chosen = np.empty(TOGETHER, np.int64)
    count = 0
    left = need > 0
    while count < TOGETHER:
        best = -1
        for c in range(len(need)):
            if left[c] and (best < 0 or gain[c] > gain[best] or (gain[c] == gain[best] and size[c] < size[best])):
                best = c
        if best < 0:
            break
        left[best] = False
        new = True
        for o in range(count):
            other = chosen[o]
            if new and need[other] == need[best] and gain[other] == gain[best]:
                same = True
                for j in range(t.shape[1]):
                    same &= t[other, j] == t[best, j]
                new = not same
        if new:
            chosen[count] = best
            count += 1
    return chosen[:count]
