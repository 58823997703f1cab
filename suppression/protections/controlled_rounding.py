"""Controlled rounding: multiples of a base that add up over all classifications and tables of a release.

Zero-restricted where that is possible: every cell goes to one of its two neighbouring multiples, and multiples stay. Of
all such tables the nearest by the sum of absolute changes; by the sum of squares it is the same. Where none exists, or
none was found, sums go beyond their neighbours, as little as possible, and it is said.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Amounts, Rounding, Table
from tableseal.suppression.protections.bases import RoundingSettings
from tableseal.suppression.protections.method import Changed, Optimised, Tools
from tableseal.suppression.protections.multiples import Chosen, Part, beyond
from tableseal.suppression.protections.multiples_behind import Behind
from tableseal.suppression.protections.multiples_exact import EXACT, choose
from tableseal.suppression.protections.multiples_polish import polished
from tableseal.suppression.protections.multiples_search import searched
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ControlledRounding(RoundingSettings):
    """Multiples that add up, as near as possible."""


def round_controlled(subject: Subject, settings: ControlledRounding, tools: Tools) -> Changed:
    """Nothing is drawn: the same release gives the same table, but for a time limit.

    Raises
    ------
    LimitError: no table of multiples was found in time.
    """
    units = settings.units(subject.release)
    problem = Relations.of(subject, subject.bases(units))
    steps, found = settled(problem, tools)
    best = Optimised(
        "optimal" if all(chosen.status == "optimal" for chosen in found) else "feasible",
        int(np.abs(steps * problem.base - subject.value).sum()),
        sum(chosen.bound for chosen in found),
        kind(problem, steps, found),
    )
    return changed(subject, units, problem, steps, best)


def changed(
    subject: Subject, units: dict[str, int], problem: "Relations", steps: Ints, best: Optimised | None
) -> Changed:
    """What is published. steps: int64 (cells)."""
    everything = Amounts(steps * subject.bases(units), np.ones(len(steps), np.bool_))
    most = int(problem.beyond(steps).max(initial=0))
    return Changed(everything, lambda table: _rounding(table, everything, subject, units, most), True, best)


def settled(problem: "Relations", tools: Tools) -> tuple[Ints, list[Chosen]]:
    """int64 (cells): steps of all of them; and what is known of each part."""
    steps = problem.low.copy()
    found: list[_Found] = []
    left: list[_Found] = []
    parts = problem.parts(problem.open)
    for k, (cells, part) in enumerate(parts):
        tools.progress("parts", k, len(parts))
        chosen = choose(part, tools.limits)
        (left if chosen.steps is None else found).append(_Found(cells, part, chosen))
    steps = _stepped(steps, found)
    unsettled = problem.mask([one.cells for one in left])
    impossible = problem.mask([one.cells for one in left if one.chosen.unrestricted])
    searching: list[_Found] = []
    for cells, part in problem.parts(problem.movable) if left else []:
        if not unsettled[cells].any():
            continue
        inside = problem.mask([cells])
        proved = bool(impossible[cells].any())
        own = [one for one in (*left, *found) if inside[one.cells[0]]]
        found = [one for one in found if not inside[one.cells[0]]]
        chosen = beyond(part, tools.limits) if proved and len(cells) <= EXACT else Chosen("none", None, 0)
        if chosen.steps is None:
            before = np.where(unsettled[cells], -1, steps[cells] - part.low)
            least = sum(one.chosen.bound for one in own)
            chosen = searched(part, before, least, proved, Behind.of(problem.subject, cells, part, steps), tools)
        searching.append(_Found(cells, part, chosen))
    open_ = [k for k, one in enumerate(found) if one.chosen.status == "feasible"]
    for n, k in enumerate(open_):
        nearer = polished(found[k].part, found[k].chosen, tools.limits.share(1 / (len(open_) - n)), tools.progress)
        found[k] = replace(found[k], chosen=nearer)
    found += searching
    return _stepped(steps, found), [one.chosen for one in found]


@dataclass(frozen=True)
class _Found:
    """Cells that hang together, and what is chosen of them. cells: int64, positions."""

    cells: Ints
    part: Part
    chosen: Chosen


def _stepped(steps: Ints, found: list[_Found]) -> Ints:
    """The same with what was chosen."""
    result = steps.copy()
    for one in found:
        if one.chosen.steps is not None:
            result[one.cells] = one.chosen.steps
    return result


def kind(problem: "Relations", steps: Ints, found: list[Chosen]) -> str:
    """What is known of the kind of rounding, in words."""
    further = problem.beyond(steps)
    cells, most = int((further > 0).sum()), int(further.max(initial=0))
    if not cells:
        return "Every cell is shown as one of its two neighbouring multiples"
    proved = any(chosen.unrestricted for chosen in found)
    why = "Proved: no table of neighbouring multiples adds up" if proved else "No table of neighbouring multiples found"
    return f"{why}; {plural(cells, 'cell')} beyond them, by {plural(most, 'multiple')} at most"


def _rounding(table: Table, shown: Amounts, subject: Subject, units: dict[str, int], most: int) -> Rounding:
    """Everybody may know the base, and how many multiples beyond its neighbours a cell may be."""
    base = units[table.measure]
    if most == 0:
        return Rounding(base, "controlled")
    reach = (most + 1) * base - 1
    measure = list(subject.release.measures).index(table.measure)
    values = np.unique(shown.units[subject.cells.measure == measure]).tolist()
    least = 0 if subject.nonnegative else -(2**62)
    return Rounding(1, "ranges", tuple((value, max(least, value - reach), value + reach) for value in values))


@dataclass(frozen=True)
class Relations:
    """The cells of a release and how they hang together.

    value, base, low: int64 (cells), true values, bases, and lower neighbours in steps. relations: between cells, then
    sums that no table shows, in steps; without links that say something else than a sum. open: bool (columns of the
    relations), what is no multiple, and those sums; movable: bool, all but zeros that everybody knows.
    """

    subject: Subject
    value: Ints
    base: Ints
    low: Ints
    relations: csr_array
    open: NDArray[np.bool_]
    movable: NDArray[np.bool_]

    @staticmethod
    def of(subject: Subject, base: Ints) -> "Relations":
        equations = subject.equations
        n = len(subject.cells)
        rows = np.flatnonzero((equations.lower == 0) & (equations.upper == 0))
        relations = csr_array(equations.matrix[rows])
        row = np.repeat(np.arange(len(rows)), np.diff(relations.indptr))
        listed = relations.indices < n
        low, high = np.full(len(rows), 2**62), np.zeros(len(rows), np.int64)
        np.minimum.at(low, row[listed], base[relations.indices[listed]])
        np.maximum.at(high, row[listed], base[relations.indices[listed]])
        same = np.flatnonzero(low >= high)  # links between measures of different bases are none of roundings
        further = np.ones(relations.shape[1] - n, np.bool_)
        return Relations(
            subject,
            subject.value,
            base,
            subject.value // base,
            csr_array(relations[same]),
            np.concatenate([subject.value % base > 0, further]),
            np.concatenate([~subject.known_zero, further]),
        )

    def mask(self, cells: list[Ints]) -> NDArray[np.bool_]:
        """bool (cells)."""
        result = np.zeros(len(self.base), np.bool_)
        for some in cells:
            result[some] = True
        return result

    def parts(self, chosen: NDArray[np.bool_]) -> list[tuple[Ints, Part]]:
        """Chosen cells that hang together, each time with their part; one that hangs with nothing is its own."""
        n, columns = len(self.subject.cells), self.relations.shape[1]
        row = np.repeat(np.arange(self.relations.shape[0]), np.diff(self.relations.indptr))
        inside = chosen[self.relations.indices]
        ends = self.relations.indices[inside], columns + row[inside]
        size = columns + self.relations.shape[0]
        graph = coo_array((np.ones(int(inside.sum()), np.int8), ends), shape=(size, size))
        _, label = connected_components(graph, directed=False)
        others = np.where(chosen[:n], 0, self.low)
        fixed = self.relations[:, :n] @ others
        order = np.argsort(label[:columns], kind="stable")
        order = order[chosen[order]]
        found = []
        row_label = label[columns:]
        row_order = np.argsort(row_label, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
            cells = group[group < n]
            if not len(cells):
                continue
            first, last = np.searchsorted(row_label[row_order], [label[group[0]], label[group[0]] + 1])
            rows = np.sort(row_order[first:last])
            unlisted = group[group >= n].astype(np.int64)
            own = csr_array(csr_array(self.relations[rows])[:, np.concatenate([cells, unlisted])])
            value, base = self.value[cells], int(self.base[cells[0]])
            found.append((cells.astype(np.int64), Part(own, base, value, fixed[rows], unlisted)))
        return found

    def beyond(self, steps: Ints) -> Ints:
        """int64 (cells): steps beyond the two neighbours."""
        high = self.low + (self.value % self.base > 0)
        found: Ints = np.maximum(np.maximum(self.low - steps, steps - high), 0)
        return found
