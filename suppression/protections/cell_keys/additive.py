"""The additive table nearest to what cell keys give.

Counts that are changed one by one do not add up. Of all tables that do, over all published tables together, that stay
within the range of the true counts and publish nothing that is never published, the one with the smallest sum of
absolute differences from the cell-key values: an integer program, solved part by part (cells that no relation
connects).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.errors import LimitError
from tableseal.audit.solvers.protocol import MOST_NODES

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Asked:
    """What is to add up, and how far it may move.

    Attributes
    ----------
    matrix: int64 csr (relations x columns); right: int64 (relations): matrix @ x = right holds for published values.
    truth: int64 (columns), none negative; it fulfils the relations. target: int64 (columns), what cell keys give.
    published: bool (columns); others are base cells that no table shows, which may be anything from 0 on.
    stays: bool (columns), known zeros, which keep their value.
    range: no published value is further from the true one. never: no value from 1 to this is published.
    zeros_stay: a true 0 is published as 0. within: smallest and largest published value of each column, in place of the
        range; None: the range says them.
    """

    matrix: csr_array
    right: Integers
    truth: Integers
    target: Integers
    published: NDArray[np.bool_]
    stays: NDArray[np.bool_]
    range: int
    never: int = 0
    zeros_stay: bool = True
    within: tuple[Integers, Integers] | None = None

    def ends(self) -> tuple[Integers, Integers]:
        """Smallest and largest value of each column; NO_END where there is no largest."""
        held = self.stays | (self.published & self.zeros_stay & (self.truth == 0))
        least, most = self.within or (np.maximum(self.truth - self.range, 0), self.truth + self.range)
        low = np.where(self.published, least, 0)
        high = np.where(self.published, most, NO_END)
        # An end among what is never published moves to the next value that may be.
        if self.never:
            low = np.where(self.published & (low > 0) & (low <= self.never), self.never + 1, low)
            high = np.where(self.published & (high <= self.never), 0, high)
        return np.where(held, self.truth, low), np.where(held, self.truth, high)


NO_END = 2**40


@dataclass(frozen=True)
class Additive:
    """shown: int64 (columns), published values that add up. distortion: sum of absolute differences from the target
    over published columns; bound: no table that is allowed has less (by the solver's dual bound, rounded up)."""

    shown: Integers
    distortion: int
    bound: int


def nearest_additive(asked: Asked, limits: Limits) -> Additive | None:
    """The nearest table, or None if there is none within the range.

    What the solver finds counts only after the relations, the range and the gaps have been checked in whole numbers.

    Raises
    ------
    LimitError: the time is over before a table was found.
    """
    shown = np.zeros(len(asked.truth), np.int64)
    bound = 0
    for columns, rows in _parts(asked):
        found = _solved(asked, columns, rows, limits, closest=True)
        if found is None:
            return None
        shown[columns], least = found
        bound += least
    _confirm(asked, shown)
    distortion = int(np.abs(shown - asked.target)[asked.published].sum())
    return Additive(shown, distortion, min(bound, distortion))


def least_range(asked: Asked, limits: Limits) -> int:
    """The least range within which an additive table exists; the table of nothing but zeros is one if nothing else is.

    Raises
    ------
    LimitError: the time is over before.
    """
    high = max(1, asked.range)
    while not _exists(replace(asked, range=high), limits):
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _exists(replace(asked, range=middle), limits) else (middle, high)
    return high


def _exists(asked: Asked, limits: Limits) -> bool:
    return all(_solved(asked, columns, rows, limits, closest=False) is not None for columns, rows in _parts(asked))


def _parts(asked: Asked) -> Iterator[tuple[Integers, Integers]]:
    """(columns, relations) of each connected part, in the order of its first column."""
    from scipy.sparse.csgraph import connected_components  # late: 0.1 s

    relations, columns = asked.matrix.shape
    entries = asked.matrix.tocoo()
    ends = (entries.col, columns + entries.row)
    graph = csr_array((np.ones(entries.nnz, np.int8), ends), shape=(columns + relations,) * 2)
    count, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    start = np.searchsorted(label[order], np.arange(count + 1))
    for part in range(count):
        members = order[start[part] : start[part + 1]]
        own = members[members < columns]
        if len(own):
            yield own.astype(np.int64), (members[members >= columns] - columns).astype(np.int64)


def _solved(
    asked: Asked, columns: Integers, rows: Integers, limits: Limits, *, closest: bool
) -> tuple[Integers, int] | None:
    """Values of a part's columns, and a bound on their distance from the target; None: there are none."""
    low, high = (end[columns] for end in asked.ends())
    if (low > high).any():
        return None
    target, published = asked.target[columns], asked.published[columns]
    gap = np.flatnonzero(published & (low == 0) & (high > asked.never)) if asked.never else np.empty(0, np.int64)
    if not len(rows):  # a cell that nothing is added up with
        return _alone(target, low, high, gap, asked.never)
    return _program(asked, columns, rows, (low, high, gap), limits, closest=closest)


def _alone(target: Integers, low: Integers, high: Integers, gap: Integers, never: int) -> tuple[Integers, int]:
    """The nearest values of columns without relations."""
    shown = np.clip(target, low, high)
    inside = gap[(shown[gap] >= 1) & (shown[gap] <= never)]
    shown[inside] = np.where(2 * target[inside] <= never, 0, never + 1)
    return shown, int(np.abs(shown - target).sum())


def _program(
    asked: Asked,
    columns: Integers,
    rows: Integers,
    ends: tuple[Integers, Integers, Integers],
    limits: Limits,
    *,
    closest: bool,
) -> tuple[Integers, int] | None:
    """The integer program of a part. Variables: how far values lie above their start, how far below it (published ones,
    whose start is the target), and 0 or 1 for whether they lie beyond a gap."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import diags_array, eye_array, hstack

    low, high, gap = ends
    published = asked.published[columns]
    start = np.where(published, np.clip(asked.target[columns], low, high), 0)
    away = int(np.abs(start - asked.target[columns])[published].sum())
    n, g = len(columns), len(gap)
    matrix = csr_array(asked.matrix[rows][:, columns])
    rest = asked.right[rows] - matrix @ start
    held = [LinearConstraint(hstack([matrix, -matrix, csr_array((len(rows), g))]), rest, rest)]
    if g:
        own = eye_array(n, format="csr")[gap]
        beyond = start[gap].astype(float)
        least, most = -(asked.never + 1) * eye_array(g), -diags_array(high[gap].astype(float))
        held.append(LinearConstraint(hstack([own, -own, least]), -beyond, np.inf))
        held.append(LinearConstraint(hstack([own, -own, most]), -np.inf, -beyond))
    cost = np.concatenate([published, published, np.zeros(g)]) * float(closest)
    top = np.where(high >= NO_END, np.inf, (high - start).astype(float))
    bounds = Bounds(0, np.concatenate([top, (start - low).astype(float), np.ones(g)]))
    options: dict[str, float] = {"mip_rel_gap": 0.0, "node_limit": MOST_NODES}
    if limits.deadline is not None:
        options["time_limit"] = max(limits.seconds_left(), 0.01)
    found = milp(cost, constraints=held, bounds=bounds, integrality=np.ones(2 * n + g), options=options)
    limits.out_of_time()
    if found.status == 2:
        return None
    if found.x is None:
        raise LimitError("no additive table was found within the limits, and none was excluded.")
    bound = 0.0 if found.mip_dual_bound is None else max(0.0, float(found.mip_dual_bound))
    if bound >= NO_END:  # the search ended before there was one
        bound = 0.0
    steps = np.round(found.x).astype(np.int64)
    # Published starts that had to be clipped lie next to the target, so distances from both add up.
    return start + steps[:n] - steps[n : 2 * n], away + int(np.ceil(bound - 1e-6))


def _confirm(asked: Asked, shown: Integers) -> None:
    low, high = asked.ends()
    fits = (asked.matrix @ shown == asked.right).all() and ((low <= shown) & (shown <= high)).all()
    gap = asked.published & (shown >= 1) & (shown <= asked.never) & ~asked.stays
    if not fits or gap.any():
        raise LimitError("the solver's table did not stand the check in whole numbers.")
