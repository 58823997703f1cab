"""Both ends of the targets of many components in one call: dictionary after dictionary, each made, used and let go."""

import numpy as np
from numba import njit

from tableseal.audit.bounds.kernels import renew, tableau_compiled, whole_ends
from tableseal.audit.bounds.kernels.tableau_compiled import feasible, optimise
from tableseal.audit.bounds.kernels.whole_ends import least_whole, witness
from tableseal.audit.bounds.knowledge import NOTHING
from tableseal.audit.bounds.tableaux.dictionary import (
    ACTIVE,
    BUDGET,
    CARRIED,
    CURSOR,
    DETERMINANT,
    DONE,
    FRESH,
    FULL,
    LIMIT,
    OPEN,
    OPTIMAL,
    ROWS,
    STUCK,
    UNLIMITED,
    Dictionary,
    Ends,
    Found,
)
from tableseal.audit.bounds.tableaux.many_components import BEGUN, CLOSED, UNKNOWN, Block
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

_ROOM = 64
"""Vertices between two looks at what they show."""

renew(__file__, tableau_compiled.__file__, whole_ends.__file__)


@njit(cache=True)
def solve(packed, said, first, last, integer, boxes, limit):
    """Fill `said` for the blocks first to last - 1."""
    for b in range(first, last):
        said.outcome[b] = _solve(packed, said, b, integer, boxes, limit)


@njit(cache=True)
def _solve(packed, said, b, integer, boxes, limit):
    """CLOSED, BEGUN or UNKNOWN."""
    columns = packed.column[b + 1] - packed.column[b]
    block = _block(packed, said, b)
    d = _dictionary(packed, b, limit)
    if feasible(d, packed.order[packed.row[b] : packed.row[b + 1]]) != DONE:
        return UNKNOWN
    d = _compacted(d)
    e0, e1 = 2 * packed.target[b], 2 * packed.target[b + 1]
    count = e1 - e0
    local, left = np.empty(count, np.int64), np.empty(count + 1, np.int64)
    left[0] = count
    for e in range(count):
        local[e] = _place(packed, b, said.variable[e0 + e])
        left[1 + e] = said.order[e0 + e]
    status, number, below, real = said.status[e0:e1], said.number[e0:e1], said.below[e0:e1], said.real[e0:e1]
    ends = Ends(
        local,
        said.sign[e0:e1],
        real,
        real,
        said.order[e0:e1],
        left,
        status,
        number,
        below,
        said.part[e0:e1],
        said.part_below[e0:e1],
    )
    found = Found(
        np.empty((_ROOM, columns), np.int64),
        np.empty((1, 3), np.int64),
        np.empty(1, np.int64),
        np.empty(1, np.int64),
        np.zeros(3, np.int64),
    )
    if _to_the_end(d, ends, found, block) != DONE:
        return UNKNOWN
    proved, attained, offset = said.proved[e0:e1], said.attained[e0:e1], said.offset[e0:e1]
    for e in range(count):
        if status[e] == OPTIMAL:
            proved[e] = max(proved[e], -(-number[e] // below[e]) + offset[e])
        if status[e] != UNLIMITED and proved[e] >= NO_UPPER:
            return UNKNOWN
    if not integer:
        return BEGUN if attained[0] == NOTHING else CLOSED
    outcome = CLOSED
    none, again = np.full(count, NO_LOWER, np.int64), np.full(count, OPEN, np.int64)
    numbers = number.copy(), below.copy(), ends.part.copy(), ends.part_below.copy()
    for e in range(count):
        if status[e] == UNLIMITED or proved[e] >= attained[e]:
            continue
        left[0], left[1] = 1, e
        d.state[CURSOR] = d.state[STUCK] = 0
        back = Ends(local, ends.sign, none, none, left[1:2].copy(), left, again, *numbers)
        if _to_the_end(d, back, found, block) != DONE:
            return BEGUN
        goal = proved[e] - offset[e]
        if goal < min(attained[e] - offset[e], NO_UPPER):
            if least_whole(d, block, e, local[e], ends.sign[e], goal, boxes) and attained[e] != NOTHING:
                proved[e] = attained[e]
            else:
                outcome = BEGUN
    return BEGUN if attained[0] == NOTHING else outcome


@njit(cache=True)
def _to_the_end(d, ends, found, block):
    """Phase 2 over all vertices."""
    d.state[BUDGET] = 1 << 40
    while True:
        code = optimise(d, ends, found, len(block.x), block.sign)
        for t in range(found.filled[0]):
            witness(block, found.vertices[t])
        found.filled[0] = 0
        if code != FULL:
            return code


@njit(cache=True)
def _place(packed, b, variable):
    """A variable of all blocks as one of its own block: columns, rows, sums."""
    columns, rows = packed.column[b + 1] - packed.column[b], packed.row[b + 1] - packed.row[b]
    all_columns, all_rows = packed.column[-1], packed.row[-1]
    if variable < all_columns:
        return variable - packed.column[b]
    if variable < all_columns + all_rows:
        return columns + variable - all_columns - packed.row[b]
    return columns + rows + variable - all_columns - all_rows - packed.long[b]


@njit(cache=True)
def _own(values, packed, b):
    """What belongs to the variables of a block: of its columns, rows, sums."""
    rows, sums = packed.column[-1], packed.column[-1] + packed.row[-1]
    return np.concatenate(
        (
            values[packed.column[b] : packed.column[b + 1]],
            values[rows + packed.row[b] : rows + packed.row[b + 1]],
            values[sums + packed.long[b] : sums + packed.long[b + 1]],
        )
    )


@njit(cache=True)
def _block(packed, said, b):
    c0, c1, r0, r1 = packed.column[b], packed.column[b + 1], packed.row[b], packed.row[b + 1]
    t0, t1 = packed.target[b], packed.target[b + 1]
    return Block(
        c0,
        packed.indptr[r0 : r1 + 1],
        packed.indices,
        packed.data,
        packed.lower[r0:r1],
        packed.upper[r0:r1],
        packed.column_lower[c0:c1],
        packed.column_upper[c0:c1],
        packed.asked_indptr[t0 : t1 + 1],
        packed.asked_indices,
        packed.asked_data,
        packed.origin[c0:c1],
        packed.sign[c0:c1],
        said.offset[2 * t0 : 2 * t1],
        said.attained[2 * t0 : 2 * t1],
        np.empty(c1 - c0, np.int64),
        np.empty(t1 - t0, np.int64),
        packed.heaviest,
    )


@njit(cache=True)
def _dictionary(packed, b, limit):
    """All columns nonbasic at the bounds that they are measured from, see audit.bounds.tableaux.dictionary.build."""
    c0, columns = packed.column[b], packed.column[b + 1] - packed.column[b]
    rows, sums = packed.row[b + 1] - packed.row[b], packed.long[b + 1] - packed.long[b]
    T, beta = np.zeros((rows + sums, columns), np.int64), np.empty(rows + sums, np.int64)
    for i in range(rows + sums):
        r = packed.row[b] + i if i < rows else packed.row[-1] + packed.long[b] + i - rows
        own = packed.sign[packed.column[-1] + r]
        beta[i] = packed.beta[r]
        for t in range(packed.indptr[r], packed.indptr[r + 1]):
            c = packed.indices[t]
            T[i, c - c0] = packed.data[t] * own * packed.sign[c]
    variables = columns + rows + sums
    state = np.zeros(BUDGET + 1, np.int64)
    state[DETERMINANT], state[FRESH], state[LIMIT], state[ROWS] = 1, 1, limit, rows + sums
    state[ACTIVE] = state[CARRIED] = columns
    return Dictionary(
        T,
        beta,
        np.arange(columns, variables),
        np.arange(columns),
        _own(packed.span, packed, b),
        _own(packed.free, packed, b),
        np.zeros(variables, np.bool_),
        state,
    )


@njit(cache=True)
def _compacted(d):
    """Without rows that must hold and have stayed basic, and columns let go."""
    carried, rows = d.state[CARRIED], 0
    for v in d.basic:
        rows += d.span[v] != 0
    T, beta, basic = np.empty((rows, carried), np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    r = 0
    for i in range(len(d.basic)):
        if d.span[d.basic[i]] != 0:
            for j in range(carried):
                T[r, j] = d.T[i, j]
            beta[r], basic[r] = d.beta[i], d.basic[i]
            r += 1
    d.state[ROWS] = rows
    return Dictionary(T, beta, basic, d.nonbasic[:carried].copy(), d.span, d.free, d.up, d.state)
