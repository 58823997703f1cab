"""What a release gives away of combinations that no row lists: computed ones, and narrow ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Limits, TargetBounds
from audit.bounds.engine import point
from audit.bounds.method import Method
from audit.implied.cells import as_cells
from audit.implied.computed import Computed, Equations, computed
from audit.implied.grids import Grid, axes_of, grids
from audit.implied.naming import Named, named
from audit.implied.narrow import MOST_ENTRIES, Danger, Narrow, candidates, narrow
from audit.implied.tables import Table, true_table
from audit.implied.tallies import tallies
from audit.implied.unions import unions
from audit.linear.cells import Cells
from audit.linear.reduce import Reduced
from audit.model import Amounts, Entropy, Policy, Status
from audit.prepare import Prepared
from audit.rules import Sensitivity, completed
from audit.rules.unlisted import assess_unlisted
from audit.solvers.protocol import Solver
from audit.sparse import empty, rows_at, stacked

MOST_JUDGED = 50_000
"""Combinations that are judged one by one (from microdata, or from frequencies); the others are counted as not
judged, or left out."""

Chosen = Sequence[tuple[Grid, NDArray[np.int64]]]
"""Combinations, by grid and position in it."""


@dataclass(frozen=True)
class Implied:
    """The sensitive cells that no row lists and that a release gives away.

    Attributes
    ----------
    named: their codes (a new code for what no code stands for, with its leaves), and the release whose classifications
        have them.
    cells: the same as cells (status `missing`, no row); truth: the value, where one is left or microdata tell it.
    sensitivity: what the rules say of them, with the interval that each rule requires.
    forms: int64 csr (cells x columns of the system), what each is a sum of.
    bounds: both ends of each, in units. Where they are equal the value is computed.
    looked_at, left_out, computed, judged: numbers of combinations, see `report.model.ImpliedCount`.
    """

    named: Named
    cells: Cells
    sensitivity: Sensitivity
    forms: csr_array
    bounds: tuple[TargetBounds, ...]
    looked_at: int
    left_out: int
    computed: int
    judged: int

    def __len__(self) -> int:
        return len(self.bounds)

    @property
    def single(self) -> NDArray[np.bool_]:
        """bool (cells): one value is left."""
        return np.array([b.lower.outer == b.upper.outer for b in self.bounds], np.bool_)


@dataclass(frozen=True)
class Bounding:
    """How bounds of combinations are computed.

    asked: forms whose bounds are computed anyway, which set the budget; method, solver, limits: as for those.
    """

    asked: csr_array
    method: Method
    solver: Solver
    limits: Limits


def find_implied(
    prepared: Prepared, reduced: Reduced, policy: Policy, sensitivity: Sensitivity, bounding: Bounding | None = None
) -> Implied:
    """Look for sensitive cells that no row lists.

    Parameters
    ----------
    prepared, reduced: the system of a release, whatever it withholds. (With all cells published this gives every cell
        that withholding may have to protect: less information leaves fewer.)
    policy: its rules judge. sensitivity: what they say of the cells that are listed.
    bounding: None looks for computed cells only.

    Raises
    ------
    LimitError: amounts beyond 2^62 units.
    """
    axes = axes_of(prepared)
    everything = list(grids(prepared, axes))
    looked_at = sum(len(grid.unlisted) for grid in everything)
    if not everything:
        return _implied(prepared, [], looked_at, 0, 0, 0)
    equations = Equations.of(reduced)
    found = [(grid, computed(grid, equations)) for grid in everything]
    exact, judged = _judge_computed(prepared, reduced, policy, sensitivity, found)
    close: list[_Some] = []
    left_out = 0
    if bounding is not None and policy.require.protection:
        search = _Narrow(prepared, reduced, policy, found, bounding, true_table(prepared, reduced, axes))
        close = [some for some in (search.counts(), search.from_microdata()) if some is not None]
        left_out = search.left_out
    return _implied(prepared, [exact, *close], looked_at, left_out, sum(len(c.at) for _, c in found), judged)


@dataclass(frozen=True)
class _Some:
    """Combinations that were judged sensitive, with their bounds; see `Implied`."""

    chosen: Chosen
    truth: Amounts
    frequency: Amounts
    sensitivity: Sensitivity
    bounds: tuple[TargetBounds, ...]


def _implied(
    prepared: Prepared, parts: Sequence[_Some], looked_at: int, left_out: int, count: int, judged: int
) -> Implied:
    chosen = [one for some in parts for one in some.chosen]
    names = named(prepared, chosen)
    truth, frequency = (
        Amounts(
            np.concatenate([np.empty(0, np.int64), *(getattr(some, name).units for some in parts)]),
            np.concatenate([np.empty(0, np.bool_), *(getattr(some, name).known for some in parts)]),
        )
        for name in ("truth", "frequency")
    )
    return Implied(
        names,
        as_cells(names, truth, frequency, np.zeros(len(names.codes), np.bool_)),
        _joined([some.sensitivity for some in parts]),
        _forms(prepared, chosen),
        tuple(b for some in parts for b in some.bounds),
        looked_at,
        left_out,
        count,
        judged,
    )


def _forms(prepared: Prepared, chosen: Chosen) -> csr_array:
    return stacked([empty(prepared.system.base.columns), *(grid.forms(at) for grid, at in chosen if len(at))])


def _judge_computed(
    prepared: Prepared,
    reduced: Reduced,
    policy: Policy,
    sensitivity: Sensitivity,
    found: Sequence[tuple[Grid, Computed]],
) -> tuple[_Some, int]:
    """(the sensitive ones of the computed combinations, how many could be judged)."""
    measures = list(prepared.release.measures.values())
    danger = Danger.of(policy, nonnegative=prepared.system.nonnegative)
    microdata = prepared.release.microdata is not None
    judged, kept = 0, list[NDArray[np.bool_]]()
    tallied = danger is not None and bool(prepared.cells.frequency.known.any())
    for grid, c in found:
        if danger is not None and measures[grid.measure].kind == "count" and not microdata:
            judged += len(c.at)
            kept.append((c.value <= danger.high) & ((danger.low <= 0) | (c.value != 0)))
            continue
        fine = _unions(prepared, policy, sensitivity, grid)[np.searchsorted(grid.unlisted, c.at)]
        judged += int(fine.sum())
        kept.append(~fine if microdata or tallied else np.zeros(len(fine), np.bool_))
    singly = sum(
        int(keep.sum()) for (grid, _), keep in zip(found, kept, strict=True) if microdata or _magnitude(prepared, grid)
    )
    chosen = _first([(grid, c.at[keep]) for (grid, c), keep in zip(found, kept, strict=True)], MOST_JUDGED)
    value = np.concatenate([c.value[np.searchsorted(c.at, at)] for (_, c), (_, at) in zip(found, chosen, strict=True)])
    truth = Amounts(value, np.ones(len(value), np.bool_))
    frequency = Amounts.none(len(value))
    if tallied and singly and not microdata:
        frequency = tallies(prepared, reduced, _forms(prepared, chosen))
    names = named(prepared, chosen)
    zero = _known_zeros(prepared, chosen) if danger is not None and danger.low <= 0 else np.zeros(len(value), np.bool_)
    rules, could = assess_unlisted(names.release, as_cells(names, truth, frequency, zero), policy)
    by_value = np.concatenate(
        [
            np.full(len(at), danger is not None and not _magnitude(prepared, grid) and not microdata)
            for grid, at in chosen
        ]
    )
    judged += int((could & ~by_value).sum())
    bounds = tuple(point(v) for v in value.tolist())
    return _only(_Some(chosen, truth, frequency, rules, bounds), rules.sensitive), judged


def _magnitude(prepared: Prepared, grid: Grid) -> bool:
    return list(prepared.release.measures.values())[grid.measure].kind == "magnitude"


def _unions(prepared: Prepared, policy: Policy, sensitivity: Sensitivity, grid: Grid) -> NDArray[np.bool_]:
    """bool (unlisted combinations): nothing but published cells put together, none of them sensitive, where the rules
    find no fault with a whole of such parts."""
    cells = prepared.cells
    if not prepared.system.nonnegative or any(isinstance(rule, Entropy) for rule in policy.primary):
        return np.zeros(len(grid.unlisted), np.bool_)
    return unions(grid, cells, cells.exact & ~sensitivity.sensitive & ~cells.sensitive_status & ~cells.consent)


def _known_zeros(prepared: Prepared, chosen: Chosen) -> NDArray[np.bool_]:
    """bool (combinations): sums of zeros that everyone knows."""
    cells = prepared.cells
    zero = (cells.status == Status.STRUCTURAL_ZERO) | ((cells.row < 0) & cells.exact & (cells.truth.units == 0))
    parts = [np.empty(0, np.bool_)]
    for grid, at in chosen:
        parts.append(unions(grid, cells, zero)[np.searchsorted(grid.unlisted, at)])
    return np.concatenate(parts)


class _Narrow:
    """The search for narrow combinations; `left_out` counts what was not decided."""

    def __init__(
        self,
        prepared: Prepared,
        reduced: Reduced,
        policy: Policy,
        found: Sequence[tuple[Grid, Computed]],
        bounding: Bounding,
        table: Table,
    ) -> None:
        self._prepared, self._reduced, self._policy = prepared, reduced, policy
        self._bounding, self._table = bounding, table
        self._open = [(grid, ~np.isin(grid.unlisted, c.at, assume_unique=True)) for grid, c in found]
        self.left_out = 0

    def counts(self) -> _Some | None:
        """Counts that a threshold finds sensitive whatever they are."""
        danger = Danger.of(self._policy, nonnegative=self._prepared.system.nonnegative)
        if danger is None or danger.high < danger.low:
            return None
        at = [
            (grid, candidates(grid, left, self._table, danger))
            for grid, left in self._open
            if not _magnitude(self._prepared, grid)
        ]
        chosen = self._affordable(at)
        forms = _forms(self._prepared, chosen)
        count = forms.shape[0]
        found = self._bounded(forms, np.full(count, danger.low), np.full(count, danger.high))
        lowest = np.array([b.lower.outer for b in found.bounds], np.int64)
        some = self._judged(_pick(chosen, found.at), Amounts(lowest, np.ones(len(lowest), np.bool_)), found)
        return replace(some, truth=self._true(rows_at(forms, found.at)))

    def from_microdata(self) -> _Some | None:
        """Combinations that rules find sensitive, and whose interval lies inside what the rule requires."""
        if self._prepared.release.microdata is None:
            return None
        chosen = self._affordable([(grid, grid.unlisted[left]) for grid, left in self._open])
        names = named(self._prepared, chosen)
        count = len(names.codes)
        no = np.zeros(count, np.bool_)
        cells = completed(names.release, as_cells(names, Amounts.none(count), Amounts.none(count), no))
        rules, _ = assess_unlisted(names.release, cells, self._policy)
        wanted = np.flatnonzero(rules.sensitive & cells.truth.known)
        ends = [
            np.where(end.known, end.units, cells.truth.units)[wanted]
            for end in (rules.required_lower, rules.required_upper)
        ]
        forms = rows_at(_forms(self._prepared, chosen), wanted)
        found = self._bounded(forms, *ends)
        inside = [
            (b.lower.outer, b.upper.outer) != (ends[0][k], ends[1][k])
            for k, b in zip(found.at.tolist(), found.bounds, strict=True)
        ]
        at = wanted[found.at]
        some = _Some(
            _pick(chosen, at), cells.truth.take(at), cells.frequency.take(at), _sensitivity_at(rules, at), found.bounds
        )
        return _only(some, np.array(inside, np.bool_))

    def _affordable(self, at: Chosen) -> list[tuple[Grid, NDArray[np.int64]]]:
        """Those that are looked at one by one."""
        chosen = []
        for grid, positions in at:
            size = grid.sizes()[np.searchsorted(grid.unlisted, positions)]
            fits = (np.cumsum(size) <= MOST_ENTRIES) & (np.arange(len(size)) < MOST_JUDGED)
            self.left_out += int((~fits).sum())
            chosen.append((grid, positions[fits]))
        return chosen

    def _bounded(self, forms: csr_array, low: NDArray[np.int64], high: NDArray[np.int64]) -> Narrow:
        b = self._bounding
        found = narrow(forms, low, high, self._reduced, b.asked, b.method, b.solver, b.limits)
        self.left_out += found.left_out
        return found

    def _judged(self, chosen: Chosen, value: Amounts, found: Narrow) -> _Some:
        names = named(self._prepared, chosen)
        count = len(names.codes)
        cells = as_cells(names, value, Amounts.none(count), np.zeros(count, np.bool_))
        rules, _ = assess_unlisted(names.release, cells, self._policy)
        return _Some(chosen, value, Amounts.none(count), rules, found.bounds)

    def _true(self, forms: csr_array) -> Amounts:
        """True values of forms, where the true table is known."""
        gaps = forms @ (~self._table.known).astype(np.int64)
        return Amounts(np.where(gaps == 0, forms @ self._table.value, 0), gaps == 0)


def _first(chosen: Chosen, most: int) -> list[tuple[Grid, NDArray[np.int64]]]:
    """As many as may be judged one by one."""
    result = []
    for grid, at in chosen:
        result.append((grid, at[:most]))
        most -= len(result[-1][1])
    return result


def _pick(chosen: Chosen, at: NDArray[np.int64]) -> list[tuple[Grid, NDArray[np.int64]]]:
    """Combinations by their position in the list (ascending)."""
    result, begin = [], 0
    for grid, positions in chosen:
        own = at[(at >= begin) & (at < begin + len(positions))] - begin
        result.append((grid, positions[own]))
        begin += len(positions)
    return result


def _only(some: _Some, keep: NDArray[np.bool_]) -> _Some:
    at = np.flatnonzero(keep)
    bounds = tuple(some.bounds[k] for k in at.tolist())
    rules = _sensitivity_at(some.sensitivity, at)
    return _Some(_pick(some.chosen, at), some.truth.take(at), some.frequency.take(at), rules, bounds)


def _sensitivity_at(found: Sensitivity, at: NDArray[np.int64]) -> Sensitivity:
    return Sensitivity(
        found.sensitive[at],
        found.required_lower.take(at),
        found.required_upper.take(at),
        found.required_width.take(at),
        tuple(found.rule[k] for k in at.tolist()),
        found.rules,
    )


def _joined(parts: Sequence[Sensitivity]) -> Sensitivity:
    def amounts(name: str) -> Amounts:
        own = [getattr(part, name) for part in parts]
        return Amounts(
            np.concatenate([np.empty(0, np.int64), *(a.units for a in own)]),
            np.concatenate([np.empty(0, np.bool_), *(a.known for a in own)]),
        )

    return Sensitivity(
        np.concatenate([np.empty(0, np.bool_), *(part.sensitive for part in parts)]),
        amounts("required_lower"),
        amounts("required_upper"),
        amounts("required_width"),
        tuple(rule for part in parts for rule in part.rule),
        parts[0].rules if parts else (),
    )
