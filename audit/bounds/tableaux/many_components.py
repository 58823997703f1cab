"""Many small components in one compiled call: what Python does for each of them costs more than the pivots.

The same exact dictionaries as in `tableau.py`, one component after another; what they know stays in arrays.
A component with an end that is not closed that way (or a number that is too large) is left to the steps of a method.
"""

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Answer, Component, End, Limits, TargetBounds, Use
from tableseal.audit.bounds.components import Components
from tableseal.audit.bounds.kernels.many_components import BEGUN, CLOSED, UNKNOWN, Packed, Said, solve
from tableseal.audit.bounds.kernels.whole_ends import PIVOT
from tableseal.audit.bounds.knowledge import NOTHING
from tableseal.audit.bounds.linear_values import as_fraction
from tableseal.audit.bounds.split_forms import SplitForms
from tableseal.audit.bounds.tableaux.dictionary import LARGEST, OPTIMAL, UNLIMITED, Frame, framed, heaviest
from tableseal.audit.bounds.tableaux.tableau import BOXES, EFFORT, Tableau, effort_within
from tableseal.audit.compiling import compiled
from tableseal.audit.execution.executor import in_batches
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import form_bounds
from tableseal.audit.sparse import rows_at, spans

SMALL = 1_000_000
"""Rows times columns up to which a component is small: 8 MB, its dictionary is made and used in the cache."""

AT_ONCE = 1_000_000
"""Rows times columns between two looks at the clock (some ten milliseconds)."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Closed:
    """What was closed.

    components: int64, those whose ends are all known. piece: int64, the pieces that they were asked for, in order;
    minimum, maximum: int64, where in `said` their ends are. uses: what each component has cost.
    begun: what is known of components that were left open.
    """

    components: Ints
    piece: Ints
    said: Said
    minimum: Ints
    maximum: Ints
    uses: list[Use]
    begun: dict[int, Answer]

    def bounds(self) -> dict[int, TargetBounds]:
        """Both ends of each piece."""
        return dict(zip(self.piece.tolist(), _bounds(self.said, self.minimum, self.maximum), strict=True))


@dataclass(frozen=True)
class Blocks:
    """Answers for all small components at once; `tableau` says whether there is enough to do to compile.

    boxes: splits tried for one whole end, in turn with rounds of cuts. effort: entries that pivots may look at for the
    whole ends of one component.
    """

    tableau: Tableau
    boxes: tuple[int, ...] = BOXES
    effort: int = EFFORT

    def close(self, parts: Components, pieces: SplitForms, which: Ints, limits: Limits) -> Closed | None:
        """Close all ends of the components of `which` that are small; None: there are too few to compile anything."""
        sums = np.append(0, np.cumsum(np.diff(pieces.weights.indptr) > 1))[pieces.start]
        size = parts.columns_of(which) * (parts.rows_of(which) + np.diff(sums)[which])
        which, size = which[size <= SMALL], size[size <= SMALL]
        columns = parts.columns_of(which)
        if len(which) == 0 or not self.tableau.worth_compiling(int((columns * (size + PIVOT)).sum())):
            return None
        piece = spans(pieces.start, which)
        component = parts.side_by_side(which, rows_at(pieces.weights, piece))
        frame = framed(component, LARGEST)
        if frame is None:
            return None
        targets = np.diff(pieces.start)[which]
        column, row, target = (np.append(0, np.cumsum(m)) for m in (columns, parts.rows_of(which), targets))
        said = _said(component, frame, target)
        seconds = self._solve(_packed(component, frame, column, row, target), said, size, limits)
        minimum, maximum = _places(target)
        begun = {}
        for b in np.flatnonzero(said.outcome == BEGUN).tolist():
            own = slice(target[b], target[b + 1])
            known = _bounds(said, minimum[own], maximum[own])
            begun[int(which[b])] = Answer(tuple(known), (), (), complete=False)
        done = np.flatnonzero(said.outcome == CLOSED)
        costs = zip(columns[done].tolist(), targets[done].tolist(), seconds[done].tolist(), strict=True)
        uses = [Use(self.tableau.name, width, many, 2 * many, 2 * many, spent) for width, many, spent in costs]
        at = spans(target, done)
        return Closed(which[done], piece[at], said, minimum[at], maximum[at], uses, begun)

    def _solve(self, packed: Packed, said: Said, size: Ints, limits: Limits) -> NDArray[np.float64]:
        """Fill `said` until the time is up; seconds that each component took."""
        boxes, seconds = np.array(self.boxes), np.zeros(len(size))
        for first, last in in_batches(size.tolist(), batch=AT_ONCE):
            if limits.out_of_time():
                break
            began = perf_counter()
            compiled(solve)(
                packed, said, first, last, limits.integer, boxes, LARGEST, effort_within(limits, self.effort)
            )
            seconds[first:last] = (perf_counter() - began) / (last - first)
        return seconds


def _packed(component: Component, frame: Frame, column: Ints, row: Ints, target: Ints) -> Packed:
    """Components side by side as compiled code wants them. column, row, target: where each begins."""
    blocks = len(column) - 1
    owner = np.repeat(np.arange(blocks), np.diff(row))
    order = np.lexsort((np.diff(component.matrix.indptr), owner))
    long = np.searchsorted(frame.long, target)
    rows, asked = frame.rows, component.targets
    return Packed(
        column,
        row,
        long,
        target,
        _int64(rows.indptr),
        _int64(rows.indices),
        _int64(rows.data),
        component.lower,
        component.upper,
        component.column_lower,
        component.column_upper,
        _int64(asked.indptr),
        _int64(asked.indices),
        _int64(asked.data),
        order - row[owner],
        frame.sign,
        frame.origin,
        frame.span,
        frame.free,
        frame.beta,
        max(heaviest(component.matrix), heaviest(asked)),
    )


def _int64(values: NDArray[np.integer]) -> Ints:
    return np.ascontiguousarray(values, dtype=np.int64)


def _said(component: Component, frame: Frame, target: Ints) -> Said:
    """What is asked, and nothing answered yet. target: where the targets of each component begin."""
    low, high = form_bounds(component.targets, component.column_lower, component.column_upper)
    minimum, maximum = _places(target)
    count = len(low)
    variable, sign, offset, proved = (np.empty(2 * count, np.int64) for _ in range(4))
    for at, side, bound in ((minimum, 1, low), (maximum, -1, np.where(high == NO_UPPER, NO_LOWER, -high))):
        variable[at], sign[at], proved[at] = frame.target, side * frame.sign[frame.target], bound
        offset[at] = side * frame.origin[frame.target]
    # Maxima first, the largest of all in front: they lead through vertices where many others are zero.
    owner = np.repeat(np.arange(len(target) - 1), np.diff(target))
    largest = np.lexsort((proved[maximum], owner))
    order = np.empty(2 * count, np.int64)
    order[minimum], order[maximum] = maximum[largest], minimum[largest]
    order -= np.repeat(2 * target[:-1], 2 * np.diff(target))
    number, below, part, part_below, status = (np.zeros(2 * count, np.int64) for _ in range(5))
    return Said(
        variable,
        sign,
        np.where(proved == NO_LOWER, NO_LOWER, proved - offset),
        order,
        offset,
        status,
        number,
        below,
        part,
        part_below,
        proved,
        np.full(2 * count, NOTHING),
        np.full(len(target) - 1, UNKNOWN),
    )


def _places(target: Ints) -> tuple[Ints, Ints]:
    """Where the minimum and the maximum of each target stand among the ends."""
    count, first = np.diff(target), target[:-1]
    minimum = np.arange(target[-1]) + np.repeat(first, count)
    return minimum, minimum + np.repeat(count, count)


def _bounds(said: Said, minimum: Ints, maximum: Ints) -> list[TargetBounds]:
    """Both ends of some targets."""
    ends = zip(_ends(said, minimum, 1), _ends(said, maximum, -1), strict=True)
    return [TargetBounds(lower, upper, convex=False, seen=0) for lower, upper in ends]


def _ends(said: Said, at: Ints, sign: int) -> list[End]:
    """Some minima as ends of their targets: sign -1 makes maxima of minima of negatives."""
    status, offset, proved, attained = said.status[at], said.offset[at], said.proved[at], said.attained[at]
    number, below = said.number[at], np.maximum(said.below[at], 1)
    quotient = number // below
    best = status == OPTIMAL
    lp: list[Fraction | None] = list(
        map(as_fraction, (sign * (np.where(best, quotient, said.real[at]) + offset)).tolist())
    )
    for k in np.flatnonzero(best & (quotient * below != number)).tolist():
        lp[k] = sign * (Fraction(int(number[k]), int(below[k])) + int(offset[k]))
    outer: list[int | None] = (sign * proved).tolist()
    reached: list[int | None] = (sign * attained).tolist()
    unlimited = status == UNLIMITED
    for k in np.flatnonzero(unlimited).tolist():
        lp[k] = outer[k] = None
    for k in np.flatnonzero(attained == NOTHING).tolist():
        reached[k] = None
    continuous: list[Fraction | None] = [None] * len(at)
    part, part_below = said.part[at], said.part_below[at]
    for k in np.flatnonzero((part_below > 0) & (part // np.maximum(part_below, 1) + offset < attained)).tolist():
        continuous[k] = sign * (Fraction(int(part[k]), int(part_below[k])) + int(offset[k]))
    told = zip(lp, outer, reached, continuous, unlimited.tolist(), strict=True)
    return [End(*end) for end in told]
