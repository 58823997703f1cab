"""Both ends of the targets of many components in one call: dictionary after dictionary, each made, used and let go.

Only ever compiled: for components that are run as they stand `tableau.py` takes the same steps.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.kernels.simplex import compacted, feasible, optimise
from tableseal.audit.bounds.kernels.whole_ends import PIVOT, least_whole, show
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
    PIVOTS,
    ROWS,
    STUCK,
    UNLIMITED,
    Aim,
    Check,
    Dictionary,
    Ends,
    Found,
)
from tableseal.audit.compiling import kernel
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

Ints = NDArray[np.int64]

_ROOM = 64
"""Vertices between two looks at what they show."""

# What became of a component.
UNKNOWN, BEGUN, CLOSED = range(3)
"""BEGUN: linear ends are known, not all whole ones. CLOSED: all ends are known, and a table is in hand."""


class Packed(NamedTuple):
    """Components side by side: columns, rows, sums of columns that are asked for and targets, each in their order.

    column, row, long, target: int64 (components + 1), where those of each component begin.
    indptr, indices, data: rows of all components, then all sums. asked_...: the targets.
    order: int64 (rows), position within its component of the row that is satisfied first, second, ...
    sign, origin, span, free, beta: see audit.bounds.tableaux.dictionary; of all columns, then all rows, then all sums.
    heaviest: largest sum of the absolute coefficients of a row or target.
    """

    column: Ints
    row: Ints
    long: Ints
    target: Ints
    indptr: Ints
    indices: Ints
    data: Ints
    lower: Ints
    upper: Ints
    column_lower: Ints
    column_upper: Ints
    asked_indptr: Ints
    asked_indices: Ints
    asked_data: Ints
    order: Ints
    sign: Ints
    origin: Ints
    span: Ints
    free: NDArray[np.bool_]
    beta: Ints
    heaviest: float


class Said(NamedTuple):
    """What is asked of `Packed` and what was answered.

    Ends are minima, then maxima (as minima of negatives) of one component after another.

    variable, sign, real, order, number, below, part, part_below, status: see `dictionary.Ends`; `order`
    counts within the component. offset: added to w it is the value of the end. proved, attained: values of ends.
    outcome: int64 (components).
    """

    variable: Ints
    sign: Ints
    real: Ints
    order: Ints
    offset: Ints
    status: Ints
    number: Ints
    below: Ints
    part: Ints
    part_below: Ints
    proved: Ints
    attained: Ints
    outcome: Ints


@kernel
def solve(
    packed: Packed, said: Said, first: int, last: int, integer: bool, boxes: Ints, limit: int, effort: int
) -> None:
    """Fill `said` for the blocks first to last - 1. effort: entries that pivots may look at for the whole ends of
    each."""
    for b in range(first, last):
        said.outcome[b] = _solve(packed, said, b, integer, boxes, limit, np.full(1, effort, np.int64))


@kernel
def _solve(packed: Packed, said: Said, b: int, integer: bool, boxes: Ints, limit: int, effort: Ints) -> int:
    """CLOSED, BEGUN or UNKNOWN."""
    columns = packed.column[b + 1] - packed.column[b]
    check = _check(packed, said, b)
    d = _dictionary(packed, b, limit)
    if feasible(d, packed.order[packed.row[b] : packed.row[b + 1]]) != DONE:
        return UNKNOWN
    d = compacted(d)
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
    if _to_the_end(d, ends, found, check, 1 << 40) != DONE:
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
    size = len(d.basic) * len(d.nonbasic) + PIVOT
    for e in range(count):
        if status[e] == UNLIMITED or proved[e] >= attained[e]:
            continue
        left[0], left[1] = 1, e
        d.state[CURSOR] = d.state[STUCK] = 0
        back = Ends(local, ends.sign, none, none, left[1:2].copy(), left, again, *numbers)
        before = d.state[PIVOTS]
        code = _to_the_end(d, back, found, check, effort[0] // size)
        effort[0] -= (d.state[PIVOTS] - before) * size
        if code != DONE:
            return BEGUN
        goal = proved[e] - offset[e]
        if goal < min(attained[e] - offset[e], NO_UPPER):
            aim = Aim(e, local[e], ends.sign[e], goal)
            if least_whole(d, check, aim, boxes, effort) and attained[e] != NOTHING:
                proved[e] = attained[e]
            else:
                outcome = BEGUN
        if effort[0] <= 0:
            return BEGUN
    return BEGUN if attained[0] == NOTHING else outcome


@kernel
def _to_the_end(d: Dictionary, ends: Ends, found: Found, check: Check, pivots: int) -> int:
    """Phase 2 over all vertices, in so many pivots."""
    d.state[BUDGET] = pivots
    while True:
        code = optimise(d, ends, found, len(check.x), check.sign)
        for t in range(found.filled[0]):
            show(check, found.vertices[t])
        found.filled[0] = 0
        if code != FULL:
            return code


@kernel
def _place(packed: Packed, b: int, variable: int) -> int:
    """A variable of all blocks as one of its own block: columns, rows, sums."""
    columns, rows = packed.column[b + 1] - packed.column[b], packed.row[b + 1] - packed.row[b]
    all_columns, all_rows = packed.column[-1], packed.row[-1]
    if variable < all_columns:
        return variable - packed.column[b]
    if variable < all_columns + all_rows:
        return columns + variable - all_columns - packed.row[b]
    return columns + rows + variable - all_columns - all_rows - packed.long[b]


@kernel
def _own(values: NDArray[Any], packed: Packed, b: int) -> NDArray[Any]:
    """What belongs to the variables of a block: of its columns, rows, sums."""
    rows, sums = packed.column[-1], packed.column[-1] + packed.row[-1]
    return np.concatenate(
        (
            values[packed.column[b] : packed.column[b + 1]],
            values[rows + packed.row[b] : rows + packed.row[b + 1]],
            values[sums + packed.long[b] : sums + packed.long[b + 1]],
        )
    )


@kernel
def _check(packed: Packed, said: Said, b: int) -> Check:
    c0, c1, r0, r1 = packed.column[b], packed.column[b + 1], packed.row[b], packed.row[b + 1]
    t0, t1 = packed.target[b], packed.target[b + 1]
    return Check(
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
        np.empty((0, c1 - c0), np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def _dictionary(packed: Packed, b: int, limit: int) -> Dictionary:
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
