"""The exact all-objectives tableau: every vertex answers for all targets of a component at once.

One dictionary of whole numbers (see `dictionary.py`) goes from vertex to vertex. At each of them every target
is looked at: a row without negative (positive) entries says that this vertex is the target's minimum (maximum), and is
itself the proof; whole vertices are tables. No solver is asked, and nothing is rounded.
"""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tableseal.audit.bounds.certify import fitting
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.kernels.simplex import compacted, feasible, optimise
from tableseal.audit.bounds.kernels.whole_ends import PIVOT, least_whole
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.bounds.tableaux.dictionary import (
    BUDGET,
    CLOSED,
    CURSOR,
    DONE,
    EMPTY,
    FULL,
    KEEP,
    LARGEST,
    LIMIT,
    OPEN,
    OPTIMAL,
    PIVOTS,
    STUCK,
    TOO_LARGE,
    TOUCHED,
    UNLIMITED,
    Aim,
    Dictionary,
    Ends,
    Found,
    Frame,
    Ints,
    build,
    check_of,
)
from tableseal.audit.bounds.tableaux.slices import Slices
from tableseal.audit.compiling import Cells, Runner, loaded
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

COMPILE = 8_000_000
"""Entries that pivots may look at as they stand (half a second to a second) before they are compiled, which takes as
long to load."""

WIDE = 20_000
"""Entries up to which a dictionary is done again in integers of any size where 64 bits are not enough."""

ROOM = 64
"""Vertices between two looks at what they show."""

BOXES = (24, 24, 24, 24)
"""Splits tried in turn with rounds of cuts for one end. On a hierarchy with 41,520 withheld cells that closes all of
its whole ends, on one with many withheld sub-totals (1,211 columns, determinants in the thousands) 610 of 660, at 20 ms
each; 200 splits without cuts close 590 in more time, and cuts without splits 500."""

MORE_BOXES = (24, *(0, 0, 24) * 6, 200)
"""The same for ends that other methods have left: 640 of 680 of the second hierarchy."""

EFFORT = 20_000_000_000
"""Entries that pivots may look at for the whole ends of one component, a limit that does not depend on the speed of the
machine; ends that are open then are left to the next steps."""

A_SECOND = 200_000_000
"""Entries that compiled pivots look at in a second: where there is a time limit, no more than fit into it."""

_LONG = 2**61


class Tableau:
    """Exact simplex method over all targets of a component at once.

    compiled: True: compiled pivots always, False: never, None: when there is enough to do. The answers are the same.
    boxes: splits tried for one whole end, in turn with rounds of cuts.
    largest: entry beyond which a dictionary is given up, or done again in integers of any size if it is small.
    effort: entries that pivots may look at for the whole ends of one component.
    """

    name = "tableau"
    quick = True

    def __init__(
        self,
        *,
        boxes: tuple[int, ...] = BOXES,
        compiled: bool | None = None,
        largest: int = LARGEST,
        effort: int = EFFORT,
    ) -> None:
        self._boxes, self._effort = boxes, effort
        self._compiled = compiled
        self._largest = largest
        self._looked_at = 0

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Linear programming values of all open ends, the tables met on the way, and most whole ends."""
        asked = known.open_integer() if limits.integer else known.open_linear()
        if limits.out_of_time() or (known.feasible and len(asked) == 0):
            return
        built = build(component, keep=known.keep, largest=self._largest)
        if built is not None and self._search(self._runner(built[0]), component, known, limits, *built):
            return
        built = build(component, keep=known.keep, largest=NO_UPPER)
        if built is not None and built[0].T.size <= WIDE:
            built[0].state[LIMIT] = 0
            with suppress(OverflowError):  # more than 308 digits
                self._search(Runner(compiled=False), component, known, limits, *built)

    def slices(self, component: Component) -> Slices | None:
        """For tables with given values of targets; None where numbers are too large for it.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: proved that the component has no real solution.
        """
        built = build(component, keep=False, largest=self._largest)
        if built is None:
            return None
        run, frame = self._runner(built[0]), built[1]
        d = run.arrays(built[0])
        if not self._first_vertex(run, d, frame):
            return None
        check = check_of(component, frame, np.zeros(2 * len(frame.target), np.int64), room=1)
        return Slices(component, run, run(compacted, d), frame, run.arrays(check))

    def worth_compiling(self, entries: int) -> bool:
        """True if compiled pivots are to be used where some more entries are to be looked at; then from now on."""
        if self._compiled is None:
            # What is already loaded is always faster.
            if self._looked_at + entries < COMPILE and optimise not in loaded:
                return False
            self._compiled = True
        return self._compiled

    def _runner(self, dictionary: Dictionary) -> Runner:
        # About as many pivots as there are columns is usual.
        rows, columns = dictionary.T.shape
        return Runner(self._compiled is not False and self.worth_compiling(columns * (rows * columns + PIVOT)))

    def _first_vertex(self, run: Runner, d: Dictionary, frame: Frame) -> bool:
        """Phase 1. False: a number is too large."""
        code = run(feasible, d, run.array(frame.order))
        self._looked_at += int(d.state[PIVOTS]) * (len(d.basic) * len(d.nonbasic) + PIVOT)
        if code == EMPTY:
            raise InfeasibleError
        return bool(code == DONE)

    def _search(
        self, run: Runner, component: Component, known: Knowledge, limits: Limits, dictionary: Dictionary, frame: Frame
    ) -> bool:
        """True unless a number has become too large on the way; what was found until then is known."""
        d = run.arrays(dictionary)
        if not self._first_vertex(run, d, frame):
            return False
        known.feasible = True
        first = int(d.state[PIVOTS])
        search = _Search(run, component, known, limits, run(compacted, d), frame)
        code = search.real_ends()
        if code == DONE and limits.integer:
            search.whole_ends(self._boxes, effort_within(limits, self._effort))
        self._looked_at += (int(search.d.state[PIVOTS]) - first) * (len(d.basic) * len(d.nonbasic) + PIVOT)
        return code != TOO_LARGE


@dataclass(frozen=True)
class _Search:
    """Both phases for the ends of one component, from a first vertex on (d; it is changed)."""

    run: Runner
    component: Component
    known: Knowledge
    limits: Limits
    d: Dictionary
    frame: Frame

    def real_ends(self) -> int:
        """The least real value of each open end."""
        d, run = self.d, self.run
        ends, offset = _ends(self.known, self.frame)
        ends, found = run.arrays(ends), run.arrays(_buffers(d, self.frame, len(ends.status)))
        # With a deadline it is looked at the clock about every fifty milliseconds.
        size = max(len(d.basic) * len(d.nonbasic), 1)
        d.state[BUDGET] = 1 << 40 if self.limits.deadline is None else 1 + 20_000_000 // size
        proofs: dict[int, Multipliers | None] = {}
        while True:
            code = self._optimise(ends, found)
            self._proofs(found, proofs)
            if code in (DONE, TOO_LARGE) or self.limits.out_of_time():
                break
        _record(self.known, Ends._make(map(run.numbers, ends)), offset, proofs)
        return code

    def whole_ends(self, boxes: tuple[int, ...], most: int) -> None:
        """The least whole value of each open end, from the vertex where its least real value is.

        most: entries that pivots may look at; ends that are open then stay open.
        """
        known, run, d = self.known, self.run, self.d
        if len(known.open_integer()) == 0:
            return
        ends, offset = _ends(known, self.frame)
        found = run.arrays(_buffers(d, self.frame, len(ends.status)))
        check = run.arrays(check_of(self.component, self.frame, offset, sum(boxes)))
        none, turns = np.full(len(offset), NO_LOWER), run.array(np.array(boxes))
        ends = run.arrays(ends._replace(real=none, goal=none))
        effort, size = run.full(1, most), len(d.basic) * len(d.nonbasic) + PIVOT
        for k in known.open_integer().tolist():
            if self.limits.out_of_time() or effort[0] <= 0:
                return
            if known.proved[k] >= known.attained[k] or known.lp[k] is None:
                continue
            ends.status[k], ends.left[0], ends.left[1] = OPEN, 1, k
            d.state[CURSOR] = d.state[STUCK] = 0
            d.state[BUDGET], before = effort[0] // size, d.state[PIVOTS]
            back = ends._replace(order=run.full(1, k))
            while (code := self._optimise(back, found)) == FULL:
                pass
            effort[0] -= (d.state[PIVOTS] - before) * size
            if code != DONE:
                return
            aim = Aim(k, int(ends.variable[k]), int(ends.sign[k]), int(known.proved[k]) - int(offset[k]))
            if aim.goal >= min(int(known.attained[k]) - int(offset[k]), NO_UPPER):
                continue
            check.attained[:], check.filled[0] = run.array(known.attained), 0
            closed = run(least_whole, d, check, aim, turns, effort)
            for t in range(check.filled[0]):
                self._tables(check.shown[t : t + 1])
            if closed:
                if not known.in_hand:
                    raise InfeasibleError
                known.prove(k, int(known.attained[k]), None)

    def _optimise(self, ends: Ends, found: Found) -> int:
        """On to further vertices; the tables that they are become known."""
        found.filled[:] = self.run.full(3, 0)
        code = int(self.run(optimise, self.d, ends, found, self.frame.columns, self.run.array(self.frame.sign)))
        self._tables(found.vertices[: found.filled[0]])
        return code

    def _tables(self, w: Cells) -> None:
        """Whole vertices are tables, once it is checked that they fit."""
        if len(w) == 0:
            return
        w, origin, sign = self.run.numbers(w), self.frame.origin, self.frame.sign
        if w.dtype == object:
            w = w[(w < _LONG).all(axis=1)].astype(np.int64)
        x = origin[: self.frame.columns] + sign[: self.frame.columns] * w
        self.known.witnesses(x[fitting(self.component, x)])

    def _proofs(self, found: Found, proofs: dict[int, Multipliers | None]) -> None:
        """Take the multipliers of ends out of their buffers."""
        begin = 0
        for end, until, below in self.run.numbers(found.proof[: found.filled[1]]).tolist():
            factor = self.run.numbers(found.factor[begin:until])
            common = int(np.gcd.reduce(factor, initial=below))
            fits = max(np.abs(factor).max(initial=0), below) // common < _LONG
            row = self.run.numbers(found.row[begin:until])
            proofs[end] = Multipliers(row, (factor // common).astype(np.int64), below // common) if fits else None
            begin = until


def effort_within(limits: Limits, most: int) -> int:
    """Entries that pivots may look at for the whole ends of one component."""
    seconds = limits.seconds_left()
    return most if seconds == float("inf") else min(most, int(seconds * A_SECOND))


def _ends(known: Knowledge, frame: Frame) -> tuple[Ends, Ints]:
    """Ends as minima of sign * w, and what is to be added to those."""
    variable = np.tile(frame.target, 2)
    half, count = known.targets, 2 * known.targets
    sign, offset = frame.sign[variable], frame.origin[variable]
    sign[half:] *= -1
    offset[half:] *= -1
    goal = np.maximum(known.proved, known.enough)
    status = np.full(count, CLOSED)
    wanted = known.open_linear()
    status[wanted] = OPEN
    # Maxima first, the largest of all in front: they lead through vertices where many others are zero.
    order = np.argsort(known.real[half:], kind="stable")
    order = np.concatenate([order + half, order])
    ends = Ends(
        variable,
        sign,
        np.where(known.real == NO_LOWER, NO_LOWER, known.real - offset),
        np.where(goal == NO_LOWER, NO_LOWER, goal - offset),
        order[status[order] == OPEN],
        np.concatenate([[len(wanted)], wanted, np.zeros(count - len(wanted), np.int64)]),
        status,
        *(np.zeros(count, np.int64) for _ in range(4)),
    )
    return ends, offset


def _buffers(d: Dictionary, frame: Frame, ends: int) -> Found:
    carried = len(d.nonbasic)
    keep = carried < len(frame.sign) and d.state[KEEP]
    return Found(
        np.zeros((ROOM, frame.columns), np.int64),
        np.zeros((ends if keep else 1, 3), np.int64),
        np.zeros(max(carried, 1 << 16) if keep else 1, np.int64),
        np.zeros(max(carried, 1 << 16) if keep else 1, np.int64),
        np.zeros(3, np.int64),
    )


def _record(known: Knowledge, ends: Ends, offset: Ints, proofs: dict[int, Multipliers | None]) -> None:
    touched, at = np.flatnonzero(ends.status == TOUCHED), np.flatnonzero(ends.status == OPTIMAL)
    known.lp.know(touched, known.real[touched])
    number, below = ends.number[at], ends.below[at]
    quotient = number // below
    rest = number - quotient * below
    bound = quotient + offset[at] + (rest > 0)
    known.prove_all(at, bound, proofs)
    known.lp.know(at[rest == 0], bound[rest == 0])
    for k in at[rest != 0].tolist():
        known.lp[k] = Fraction(int(ends.number[k]), int(ends.below[k])) + int(offset[k])
    known.unlimited[ends.status == UNLIMITED] = True
    at = np.flatnonzero(ends.part_below > 0)
    at = at[ends.part[at] // ends.part_below[at] + offset[at] < known.attained[at]]
    for k, number, below in zip(at.tolist(), ends.part[at].tolist(), ends.part_below[at].tolist(), strict=True):
        value, before = Fraction(number + int(offset[k]) * below, below), known.continuous[k]
        if before is None or value < before:
            known.continuous[k] = value
    known.settle_from_columns()
