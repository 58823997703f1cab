"""The exact dictionary of a component: D w = beta + T z, in whole numbers.

Its variables are the component's columns, the activities of its rows, and its targets that are more than one column.
Each is measured from one of its bounds (w = x - lower, or upper - x where only that is known), so that w lies in
[0, span]; a free one is measured from 0. Nonbasic variables stand at a bound, and z >= 0 is the distance from it. D is
the determinant of the basis and every entry is a determinant too, so divisions leave no rest (Edmonds 1967, Bareiss
1968). The row of a basic variable is its reduced cost row: without negative entries the variable is at its minimum,
and the entries of row activities are the multipliers that prove it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.compiling import Cells
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, largest_sum
from tableseal.audit.sparse import row_of_entries, rows_at, stacked

Ints = NDArray[np.int64]

LARGEST = 2**31 - 1
"""Largest entry of T: the difference of two products of such entries fits 64 bits."""

SAFE = 2.0**62
"""Numbers below fit 64 bits, whatever floats leave out."""

# What a kernel answers.
DONE, FULL, PAUSE, TOO_LARGE, EMPTY, CUT = range(6)

# What is known of an end.
OPEN, CLOSED, TOUCHED, REACHED, OPTIMAL, UNLIMITED = range(6)
"""CLOSED: when the search began. TOUCHED: a vertex has the value that the column bounds prove. REACHED: an integer
vertex goes as far as is asked."""

# Slots of `Dictionary.state`.
DETERMINANT, ACTIVE, CARRIED, ROWS, LIMIT, KEEP, PIVOTS, CURSOR, STUCK, FRESH, BUDGET = range(11)
"""ACTIVE: nonbasic variables that can move, CARRIED: those and the ones kept for their multipliers, ROWS: basic
variables, LIMIT: largest entry (0: of any size), KEEP: 1 if multipliers are wanted, PIVOTS: made so far, CURSOR: place
in the order of ends, STUCK: pivots in a row that gained nothing, FRESH: 1 if this vertex is not listed yet, BUDGET:
pivots before a pause."""

PATIENCE = 20
"""Pivots without gain before the rule that cannot cycle takes over (Bland 1977)."""


class Dictionary(NamedTuple):
    """State of the simplex method; kernels change it in place.

    Attributes
    ----------
    T: int64 (basic x nonbasic); beta: int64 (basic): D times the values of the basic variables.
    basic, nonbasic: int64, variables: columns first, then rows, then forms.
    span: int64 (variables), how far a variable can be from where it is measured; NO_UPPER: no end.
    free: bool (variables), without bounds; these never leave the basis.
    up: bool (variables), nonbasic at the far end of the span.
    state: int64, see the slots above.
    """

    T: Cells
    beta: Cells
    basic: Cells
    nonbasic: Cells
    span: Cells
    free: Cells
    up: Cells
    state: Cells


class Frame(NamedTuple):
    """How a dictionary belongs to its component.

    sign, origin: int64 (variables): variable = origin + sign * w.
    columns: how many of the variables are columns.
    order: int64 (rows), rows with few entries first: the order in which they are satisfied.
    target: int64 (targets), the variable of each; long: int64, the targets that are variables of their own.
    rows: the component's rows, then long targets; beta: int64, their w where all columns stand where they are measured
        from (the dictionary of which changes it).
    span, free: see Dictionary.
    """

    sign: Ints
    origin: Ints
    columns: int
    order: Ints
    target: Ints
    long: Ints
    rows: csr_array
    beta: Ints
    span: Ints
    free: NDArray[np.bool_]


class Ends(NamedTuple):
    """What is asked, as minima of sign * w, and what was found.

    Attributes
    ----------
    variable, sign: int64 (ends).
    real: int64 (ends), nothing lies below for real tables; goal: for whole ones nothing below is asked; NO_LOWER: none.
    order: int64, the ends in the order in which they are gone for.
    left: int64: how many ends are open, then which.
    status: int64 (ends).
    number, below: int64 (ends): the minimum number / below where the status is OPTIMAL.
    part, part_below: int64 (ends), likewise the least value at a vertex that is not whole; 0 / 0: none.
    """

    variable: Cells
    sign: Cells
    real: Cells
    goal: Cells
    order: Cells
    left: Cells
    status: Cells
    number: Cells
    below: Cells
    part: Cells
    part_below: Cells


class Found(NamedTuple):
    """Buffers that a kernel fills, and empties by stopping when they are full.

    Attributes
    ----------
    vertices: int64 (room x columns), w of the columns at whole vertices.
    proof: int64 (room x 3): end, where its multipliers stop in the next two, denominator.
    row, factor: int64: variables (rows) and what they are multiplied with, as entries of T.
    filled: int64: vertices, proofs, multipliers in the buffers.
    """

    vertices: Cells
    proof: Cells
    row: Cells
    factor: Cells
    filled: Cells


class Aim(NamedTuple):
    """A search for the table of whole units in which sign * w of a variable is least.

    end: position among the ends of a `Check`; NOBODY: any table will do. goal: nothing less is possible.
    """

    end: int
    variable: int
    sign: int
    goal: int


NOBODY = -1
"""As an aim's end and variable: any table will do."""


class Check(NamedTuple):
    """What tables of one component are checked against, and what they attain.

    Attributes
    ----------
    first: the component's first column in these: indptr, indices, data: rows, lower, upper: their bounds;
    asked_indptr, asked_indices, asked_data: targets. column_lower, column_upper: bounds of its own columns.
    origin, sign: x = origin + sign * w for its columns.
    offset: int64 (ends), what is added to an aim's w; attained: int64 (ends), least values in hand, NOTHING: none.
    x, value: room for a table and the values of the targets in it.
    heaviest: largest sum of the absolute coefficients of a row or target.
    shown: int64 (room x columns), w of the tables that were met; filled: how many. No room: they are not kept.
    """

    first: int
    indptr: Cells
    indices: Cells
    data: Cells
    lower: Cells
    upper: Cells
    column_lower: Cells
    column_upper: Cells
    asked_indptr: Cells
    asked_indices: Cells
    asked_data: Cells
    origin: Cells
    sign: Cells
    offset: Cells
    attained: Cells
    x: Cells
    value: Cells
    heaviest: float
    shown: Cells
    filled: Cells


def build(component: Component, *, keep: bool, largest: int = LARGEST) -> tuple[Dictionary, Frame] | None:
    """The dictionary in which all columns are nonbasic at their lower bounds; None if numbers are too large for it.

    keep: columns of equations are carried along, for their multipliers.
    """
    frame = framed(component, largest)
    if frame is None:
        return None
    sign, n = frame.sign, frame.columns
    T = frame.rows.toarray()
    if (sign < 0).any():
        T *= sign[n:, None] * sign[None, :n]
    state = np.zeros(BUDGET + 1, np.int64)
    state[[DETERMINANT, ACTIVE, CARRIED, ROWS, LIMIT, KEEP, FRESH]] = 1, n, n, len(T), largest, keep, 1
    variables = len(sign)
    dictionary = Dictionary(
        T,
        frame.beta,
        np.arange(n, variables),
        np.arange(n),
        frame.span,
        frame.free,
        np.zeros(variables, np.bool_),
        state,
    )
    return dictionary, frame


def framed(component: Component, largest: int) -> Frame | None:
    """How the columns, rows and sums of a component are measured; None if numbers are too large for it.

    Upper bounds of columns that follow from the rows and the lower bounds are no constraints of the dictionary: they
    would add nothing but degenerate vertices. Lower bounds cost nothing, and rows of one column stay rows.
    """
    matrix, targets = component.matrix, component.targets
    m, n = matrix.shape
    start, size = targets.indptr[:-1], np.diff(targets.indptr)
    single = size == 1
    single[single] = targets.data[start[single]] == 1
    long = np.flatnonzero(~single)
    target = np.empty(len(size), np.int64)
    target[single] = targets.indices[start[single]]
    target[long] = n + m + np.arange(len(long))

    lower = np.concatenate([component.column_lower, component.lower, np.full(len(long), NO_LOWER)])
    upper = np.concatenate([_needed_upper(component), component.upper, np.full(len(long), NO_UPPER)])
    has_lower, has_upper = lower != NO_LOWER, upper != NO_UPPER
    sign = np.where(has_upper & ~has_lower, -1, 1)
    origin = np.where(has_lower, lower, np.where(has_upper, upper, 0))
    span = np.where(has_lower & has_upper, upper - np.where(has_lower, lower, 0), NO_UPPER)
    rows = stacked([matrix, rows_at(targets, long)])
    beta, at = np.zeros(m + len(long), np.int64), origin[:n]
    if at.any():
        if largest_sum(rows, at) >= float(NO_UPPER):
            return None
        value = rows @ at
        beta[:m], origin[n + m :] = value[:m], value[m:]
    beta[:m] = sign[n : n + m] * (beta[:m] - origin[n : n + m])
    room = float(NO_UPPER) / 4
    bounded = np.where(span == NO_UPPER, 0, span)
    if max(np.abs(beta).max(initial=0), bounded.max(initial=0)) >= room or np.abs(rows.data).max(initial=0) > largest:
        return None
    order = np.argsort(np.diff(matrix.indptr), kind="stable")
    return Frame(sign, origin, n, order, target, long, rows, beta, span, ~has_lower & ~has_upper)


def _needed_upper(component: Component) -> Ints:
    """Upper bounds of columns, without those that some sum gives: entries > 0, and lower bounds of its columns."""
    matrix, low, high = component.matrix, component.column_lower, component.column_upper
    entry, column = matrix.data, matrix.indices
    if (high == NO_UPPER).all() or np.abs(entry).max(initial=0) > 2**10:
        return high
    small = np.abs(low) < 2**50
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    sums = (component.upper != NO_UPPER) & (np.bincount(row, (entry < 0) | ~small[column], len(component.upper)) == 0)
    least = matrix @ np.where(small, low, 0)
    room = np.where(sums, component.upper - least, NO_UPPER)
    follows = np.zeros(len(high), np.bool_)
    follows[column[room[row] <= entry * (np.minimum(high, 2**51) - np.where(small, low, 0))[column]]] = True
    return np.where(follows, NO_UPPER, high)


def check_of(component: Component, frame: Frame, offset: Ints, room: int) -> Check:
    """What tables of a component are checked against, and that none is in hand. room: tables that are kept."""
    rows, asked, n = component.matrix, component.targets, frame.columns
    return Check(
        0,
        rows.indptr,
        rows.indices,
        rows.data,
        component.lower,
        component.upper,
        component.column_lower,
        component.column_upper,
        asked.indptr,
        asked.indices,
        asked.data,
        frame.origin[:n],
        frame.sign[:n],
        offset,
        np.full(len(offset), NO_UPPER),
        np.zeros(n, np.int64),
        np.zeros(asked.shape[0], np.int64),
        max(heaviest(rows), heaviest(asked)),
        np.zeros((room, n), np.int64),
        np.zeros(1, np.int64),
    )


def heaviest(rows: csr_array) -> float:
    """Largest sum of the absolute coefficients of a row."""
    return float(np.bincount(row_of_entries(rows), np.abs(rows.data.astype(np.float64))).max(initial=0.0))
