"""The exact all-objectives tableau: every vertex answers for all targets of a component at once.

One dictionary of whole numbers (see `dictionary.py`) goes from vertex to vertex. At each of them every target
is looked at: a row without negative (positive) entries says that this vertex is the target's minimum (maximum), and is
itself the proof; whole vertices are tables. No solver is asked, and nothing is rounded.
"""

from fractions import Fraction
from sys import modules
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.certify import fitting
from tableseal.audit.bounds.component import Component, Limits, Multipliers
from tableseal.audit.bounds.kernels import tableau_plain
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
    compacted,
    widened,
)
from tableseal.audit.bounds.tableaux.slices import Slices
from tableseal.audit.bounds.tableaux.whole_ends import least_whole
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.propagate import InfeasibleError

COMPILE = 40_000_000
"""Entries that plain pivots may look at (about a second) before the compiled ones are loaded, which takes as long."""

PIVOT = 16_000
"""Entries that a plain pivot could look at in the time that it takes whatever the size."""

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

_LONG = 2**61


class Tableau:
    """Exact simplex method over all targets of a component at once.

    compiled: True: compiled pivots always, False: never, None: when there is enough to do. The answers are the same.
    boxes: splits tried for one whole end, in turn with rounds of cuts.
    largest: entry beyond which a dictionary is given up, or done again in integers of any size if it is small.
    """

    name = "tableau"
    quick = True

    def __init__(self, *, boxes: tuple[int, ...] = BOXES, compiled: bool | None = None, largest: int = LARGEST) -> None:
        self._boxes = boxes
        self._compiled = compiled
        self._largest = largest
        self._looked_at = 0

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Linear programming values of all open ends, the tables met on the way, and most whole ends."""
        asked = known.open_integer() if limits.integer else known.open_linear()
        if limits.out_of_time() or (known.feasible and len(asked) == 0):
            return
        built = build(component, keep=known.keep, largest=self._largest)
        if built is not None and self._search(component, known, limits, *built):
            return
        built = build(component, keep=known.keep, largest=NO_UPPER)
        if built is not None and built[0].T.size <= WIDE:
            self._search(component, known, limits, widened(built[0]), built[1])

    def slices(self, component: Component) -> Slices | None:
        """For tables with given values of targets; None where numbers are too large for it.

        Raises
        ------
        audit.linear.propagate.InfeasibleError: proved that the component has no real solution.
        """
        built = build(component, keep=False, largest=self._largest)
        if built is None:
            return None
        dictionary, frame = built
        kernel = self._kernel(dictionary)
        code = kernel.feasible(dictionary, frame.order)
        self._looked_at += int(dictionary.state[PIVOTS]) * (dictionary.T.size + PIVOT)
        if code == EMPTY:
            raise InfeasibleError
        return Slices(component, kernel, compacted(dictionary), frame) if code == DONE else None

    def _search(
        self, component: Component, known: Knowledge, limits: Limits, dictionary: Dictionary, frame: Frame
    ) -> bool:
        """True unless a number has become too large on the way; what was found until then is known."""
        kernel = self._kernel(dictionary)
        code = kernel.feasible(dictionary, frame.order)
        if code == EMPTY:
            raise InfeasibleError
        if code == DONE:
            known.feasible = True
            dictionary = compacted(dictionary)
            code = _optimise(kernel, component, known, limits, dictionary, frame)
            if code == DONE and limits.integer:
                _whole_ends(kernel, component, known, limits, dictionary, frame, self._boxes)
        self._looked_at += int(dictionary.state[PIVOTS]) * (dictionary.T.size + PIVOT)
        return bool(code != TOO_LARGE)

    def worth_compiling(self, entries: int) -> bool:
        """True if compiled pivots are to be used where some more entries are to be looked at; then from now on."""
        if self._compiled is None:
            # What is already loaded is always faster.
            if self._looked_at + entries < COMPILE and "tableseal.audit.bounds.kernels.tableau_compiled" not in modules:
                return False
            self._compiled = True
        return self._compiled

    def _kernel(self, dictionary: Dictionary) -> ModuleType:
        if dictionary.T.dtype == object or self._compiled is False:
            return tableau_plain
        # About as many pivots as there are columns is usual.
        if not self.worth_compiling(dictionary.T.shape[1] * (dictionary.T.size + PIVOT)):
            return tableau_plain
        from tableseal.audit.bounds.kernels import tableau_compiled

        return tableau_compiled


def _optimise(
    kernel: ModuleType, component: Component, known: Knowledge, limits: Limits, dictionary: Dictionary, frame: Frame
) -> int:
    ends, offset = _ends(known, frame, dictionary.T.dtype)
    found = _buffers(dictionary, frame, len(ends.status))
    # With a deadline it is looked at the clock about every fifty milliseconds.
    dictionary.state[BUDGET] = 1 << 40 if limits.deadline is None else 1 + 20_000_000 // max(dictionary.T.size, 1)
    proofs: dict[int, Multipliers | None] = {}
    while True:
        code = int(kernel.optimise(dictionary, ends, found, frame.columns, frame.sign))
        _tables(component, known, frame, found)
        _proofs(found, proofs)
        found.filled[:] = 0
        if code in (DONE, TOO_LARGE) or limits.out_of_time():
            break
    _record(known, ends, offset, proofs)
    return code


def _whole_ends(
    kernel: ModuleType,
    component: Component,
    known: Knowledge,
    limits: Limits,
    dictionary: Dictionary,
    frame: Frame,
    boxes: tuple[int, ...],
) -> None:
    """The least whole value of each open end, from the vertex where its linear bound is."""
    if len(known.open_integer()) == 0:
        return
    ends, offset = _ends(known, frame, dictionary.T.dtype)
    found = _buffers(dictionary, frame, len(ends.status))
    none = np.full(len(offset), NO_LOWER)

    def witness(w: NDArray[Any]) -> int:
        found.vertices[0], found.filled[0] = w, 1
        _tables(component, known, frame, found)
        found.filled[:] = 0
        return int(known.attained[k]) - int(offset[k])

    for k in known.open_integer().tolist():
        if limits.out_of_time():
            return
        if known.proved[k] >= known.attained[k] or known.lp[k] is None:
            continue
        ends.status[k] = OPEN
        ends.left[:2] = 1, k
        back = ends._replace(real=none, goal=none, order=np.array([k]))
        dictionary.state[[CURSOR, STUCK]] = 0
        dictionary.state[BUDGET] = 1 << 40
        while (code := int(kernel.optimise(dictionary, back, found, frame.columns, frame.sign))) == FULL:
            _tables(component, known, frame, found)
            found.filled[:] = 0
        _tables(component, known, frame, found)
        found.filled[:] = 0
        if code != DONE:
            return
        goal, best = int(known.proved[k]) - int(offset[k]), min(int(known.attained[k]) - int(offset[k]), NO_UPPER)
        if goal >= best:
            continue
        aim = Aim(int(ends.variable[k]), int(ends.sign[k]), goal, frame.columns)
        if least_whole(kernel, dictionary, aim, best, witness, boxes):
            if not known.in_hand:
                raise InfeasibleError
            known.prove(k, int(known.attained[k]), None)


def _ends(known: Knowledge, frame: Frame, number: np.dtype[Any]) -> tuple[Ends, Ints]:
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
        np.concatenate([[len(wanted)], wanted, np.empty(count - len(wanted), np.int64)]),
        status,
        *(np.zeros(count, number) for _ in range(4)),
    )
    return ends, offset


def _buffers(dictionary: Dictionary, frame: Frame, ends: int) -> Found:
    number, carried = dictionary.T.dtype, dictionary.T.shape[1]
    keep = carried < len(frame.sign) and dictionary.state[KEEP]
    return Found(
        np.empty((ROOM, frame.columns), number),
        np.empty((ends if keep else 1, 3), number),
        np.empty(max(carried, 1 << 16) if keep else 1, np.int64),
        np.empty(max(carried, 1 << 16) if keep else 1, number),
        np.zeros(3, np.int64),
    )


def _tables(component: Component, known: Knowledge, frame: Frame, found: Found) -> None:
    """Whole vertices are tables, once it is checked that they fit."""
    w = found.vertices[: found.filled[0]]
    if w.dtype == object:
        w = w[(w < _LONG).all(axis=1)].astype(np.int64) if len(w) else w.astype(np.int64)
    if len(w) == 0:
        return
    x = frame.origin[: frame.columns] + frame.sign[: frame.columns] * w
    known.witnesses(x[fitting(component, x)])


def _proofs(found: Found, proofs: dict[int, Multipliers | None]) -> None:
    begin = 0
    for end, until, below in found.proof[: found.filled[1]].tolist():
        factor = found.factor[begin:until]
        common = int(np.gcd.reduce(factor, initial=below))
        fits = max(np.abs(factor).max(initial=0), below) // common < _LONG
        row = found.row[begin:until].copy()
        proofs[end] = Multipliers(row, (factor // common).astype(np.int64), below // common) if fits else None
        begin = until


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
