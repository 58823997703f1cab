"""Combinations that bounds leave one value, or none that is not sensitive."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.shown import Shown
from tableseal.audit.bounds.component import Limits, TargetBounds
from tableseal.audit.bounds.engine import bound_forms
from tableseal.audit.bounds.method import Method
from tableseal.audit.implied.cells import as_cells
from tableseal.audit.implied.computed import Computed
from tableseal.audit.implied.danger import Danger
from tableseal.audit.implied.grids import Grid
from tableseal.audit.implied.judged import Chosen, Judged, forms_of, picked, rules_at
from tableseal.audit.implied.moved import Mover
from tableseal.audit.implied.naming import named
from tableseal.audit.implied.seen import Seen, look
from tableseal.audit.implied.telling import Telling
from tableseal.audit.in_hand.tables import Table, Tables
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Amounts, Policy
from tableseal.audit.prepare import Prepared
from tableseal.audit.progress import silent
from tableseal.audit.rules import completed
from tableseal.audit.rules.unlisted import assess_unlisted
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import row_of_entries

WORK = 300_000
"""Open base cells that hang together with a combination, added up over those for which bounds are computed; a third of
what the open cells ask for, where that is more."""

MOST_ENTRIES = 1_000_000
"""Coefficients of combinations that are written down."""

MOVES = 20
"""Times WORK for combinations that are moved one by one from a table in hand (16,299 columns: 20 ms each, bounds half a
second)."""

FREE_WORK = 30_000
"""The same for combinations that are harmless even if they can be computed, which are only counted."""


@dataclass(frozen=True)
class Bounding:
    """How bounds of combinations are computed.

    forms: of the open cells, which set the budget; method, solver, limits: as for those cells.
    """

    forms: csr_array
    method: Method
    solver: Solver
    limits: Limits


class Search:
    """Bounds of combinations that the equations leave open.

    Attributes
    ----------
    left_out: how many were not decided.
    """

    def __init__(
        self,
        prepared: Prepared,
        reduced: Reduced,
        policy: Policy,
        found: Sequence[tuple[Grid, Computed]],
        bounding: Bounding,
        true: Table,
        records: Table | None = None,
    ) -> None:
        """found: what the equations give. true: the true values, as far as they are known. records: a table in hand,
        from which combinations can be moved."""
        self._prepared, self._reduced, self._policy = prepared, reduced, policy
        self._bounding, self._true_table = bounding, true
        self._telling = Telling.of(prepared.release, prepared.cells)
        dangers = self._telling.dangers(policy, nonnegative=prepared.system.nonnegative)
        self._seen = [
            Seen(
                grid,
                ~np.isin(grid.unlisted, c.at, assume_unique=True),
                dangers[grid.measure],
            )
            for grid, c in found
        ]
        touched = np.sum([one.grid.spread(one.left) for one in self._seen], axis=0) > 0
        self._tables = look(self._seen, true, Tables(reduced, touched, bounding.solver, bounding.limits), records)
        self._mover = None
        if records is not None:
            shown = Shown(bounding.method, bounding.solver, bounding.limits)
            self._mover = Mover(reduced, records, shown)
        self._budget = max(WORK, int(_work(reduced, bounding.forms).sum()) // 3)
        self.left_out = 0

    def by_value(self) -> tuple[list[tuple[Grid, Computed]], Judged]:
        """(combinations that bounds leave one value, narrow counts)."""
        needed = [(one.grid, one.grid.unlisted[one.sensitive]) for one in self._seen]
        each = [one.danger for one, (_, at) in zip(self._seen, needed, strict=True) for _ in at]
        low = np.array([NO_UPPER if danger is None else danger.low - 1 for danger in each], np.int64)
        high = np.array([NO_LOWER if danger is None else danger.high + 1 for danger in each], np.int64)
        chosen = self._affordable(
            picked(needed, np.flatnonzero(~self._moved(needed, low, high))),
            [(one.grid, one.grid.unlisted[one.single & ~one.sensitive]) for one in self._seen],
        )
        bounds = self._bounds(chosen)
        single = np.array([b is not None and _single(b) for b in bounds], np.bool_)
        dangers = [one.danger for one, (_, at) in zip(self._seen, chosen, strict=True) for _ in at]
        close = np.zeros(len(bounds), np.bool_)
        if self._policy.require.protection:
            inside = [
                b is not None and danger is not None and _inside(b, danger.low, danger.high)
                for b, danger in zip(bounds, dangers, strict=True)
            ]
            close = ~single & np.array(inside, np.bool_)
        self.left_out += sum(
            not (one or near or _refuted(b, danger))
            for b, one, near, danger in zip(bounds, single, close, dangers, strict=True)
        )
        values = iter([b.lower.outer for b, one in zip(bounds, single, strict=True) if b is not None and one])
        singles = [
            (grid, Computed(at, np.array([next(values) for _ in at], np.int64)))
            for grid, at in picked(chosen, np.flatnonzero(single))
        ]
        narrow = picked(chosen, np.flatnonzero(close))
        kept = tuple(b for b, keep in zip(bounds, close, strict=True) if keep and b is not None)
        return singles, self._narrow(narrow, kept)

    def from_microdata(self, singles: Sequence[tuple[Grid, Computed]], narrow: Chosen) -> Judged | None:
        """Combinations that rules find sensitive, and whose interval lies inside what the rule requires.

        singles, narrow: those that are found already.
        """
        if self._prepared.release.microdata is None or not self._policy.require.protection:
            return None
        left = [
            (seen.grid, np.setdiff1d(seen.grid.unlisted[seen.left], np.concatenate([one.at, close])))
            for seen, (_, one), (_, close) in zip(self._seen, singles, narrow, strict=True)
        ]
        chosen = [(grid, np.sort(_shortest(grid, at, MOST_ENTRIES))) for grid, at in left]
        self.left_out += sum(len(at) - len(kept) for (_, at), (_, kept) in zip(left, chosen, strict=True))
        names = named(self._prepared, chosen)
        count = len(names.codes)
        unknown = Amounts.none(count)
        cells = completed(names.release, as_cells(names, unknown))
        rules, _ = assess_unlisted(self._telling.facts(names.release, cells), self._policy)
        known = rules.required_lower.known & rules.required_upper.known & cells.truth.known
        wanted = np.flatnonzero(rules.sensitive & known)
        for beyond in (self._beyond, self._moved_beyond):
            low, high = rules.required_lower.units[wanted], rules.required_upper.units[wanted]
            wanted = wanted[~beyond(picked(chosen, wanted), low, high)]
        affordable = self._within(picked(chosen, wanted), self._budget)
        self.left_out += int((~affordable).sum())
        wanted = wanted[affordable]
        bounds = self._bounds(picked(chosen, wanted))
        ends = rules.required_lower.units[wanted].tolist(), rules.required_upper.units[wanted].tolist()
        need = list(zip(*ends, strict=True))
        close = [
            b is not None and _inside(b, *own) and (b.lower.outer, b.upper.outer) != own
            for b, own in zip(bounds, need, strict=True)
        ]
        self.left_out += sum(
            not (near or _refuted(b, Danger(*own))) for b, near, own in zip(bounds, close, need, strict=True)
        )
        at = wanted[np.array(close, np.bool_)]
        kept = tuple(b for b, keep in zip(bounds, close, strict=True) if keep and b is not None)
        truth, frequency, weighted = (a.take(at) for a in (cells.truth, cells.frequency, cells.weighted))
        return Judged(picked(chosen, at), truth, frequency, weighted, rules_at(rules, at), kept)

    def _affordable(self, needed: Chosen, free: Chosen = ()) -> list[tuple[Grid, NDArray[np.int64]]]:
        """Those that are looked at one by one, ascending: those that ask for least first."""
        chosen = [self._cheapest(grid, at, self._budget) for grid, at in needed]
        self.left_out += sum(len(at) - len(kept) for (_, at), kept in zip(needed, chosen, strict=True))
        more = [self._cheapest(grid, at, FREE_WORK) for grid, at in free] or [np.empty(0, np.int64)] * len(chosen)
        return [
            (grid, np.sort(np.concatenate([kept, also])))
            for (grid, _), kept, also in zip(needed, chosen, more, strict=True)
        ]

    def _cheapest(self, grid: Grid, at: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
        """As many as the budget allows."""
        at = _shortest(grid, at, max(budget, MOST_ENTRIES), budget)
        work = _work(self._reduced, grid.forms(at))
        order = np.argsort(work, kind="stable")
        result: NDArray[np.int64] = at[order[np.cumsum(work[order]) <= budget]]
        return result

    def _within(self, chosen: Chosen, budget: int) -> NDArray[np.bool_]:
        """bool (combinations): those that a budget for each grid allows."""
        kept = [np.isin(at, self._cheapest(grid, at, budget)) for grid, at in chosen]
        return np.concatenate([np.empty(0, np.bool_), *kept])

    def _moved(self, chosen: Chosen, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool (combinations): see `Mover.beyond`, as far as the budget allows."""
        found = np.zeros(len(low), np.bool_)
        if self._mover is not None:
            some = np.flatnonzero(self._within(chosen, MOVES * self._budget))
            found[some] = self._mover.beyond(forms_of(self._prepared, picked(chosen, some)), low[some], high[some])
        return found

    def _moved_beyond(self, chosen: Chosen, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool (combinations): tables in hand have two values, and one of them outside [low, high]."""
        return self._moved(chosen, low - 1, high + 1)

    def _bounds(self, chosen: Chosen) -> list[TargetBounds | None]:
        """Both ends of each, None where there was no time."""
        forms = forms_of(self._prepared, chosen)
        b = self._bounding
        if not forms.shape[0] or b.limits.out_of_time():
            return [None] * forms.shape[0]
        return list(bound_forms(self._reduced, forms, b.method, b.limits, silent, check_rest=False).bounds)

    def _narrow(self, chosen: Chosen, bounds: tuple[TargetBounds, ...]) -> Judged:
        """Narrow counts are judged by their least value: a rule finds all of them sensitive."""
        names = named(self._prepared, chosen)
        least = np.array([b.lower.outer for b in bounds], np.int64)
        nothing = Amounts.none(len(bounds))
        cells = as_cells(names, Amounts(least, np.ones(len(bounds), np.bool_)))
        rules, _ = assess_unlisted(self._telling.facts(names.release, cells), self._policy)
        return Judged(chosen, self._true(chosen), nothing, nothing, rules, bounds)

    def _true(self, chosen: Chosen) -> Amounts:
        """True values, where they are known."""
        forms, true = forms_of(self._prepared, chosen), self._true_table
        known = forms @ (~true.known).astype(np.int64) == 0
        return Amounts(np.where(known, forms @ np.where(true.known, true.value, 0), 0), known)

    def _beyond(self, chosen: Chosen, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool (combinations): a table in hand gives a value outside [low, high]."""
        forms = forms_of(self._prepared, chosen)
        row = row_of_entries(forms)
        beyond = np.zeros(forms.shape[0], np.bool_)
        for table in self._tables:
            gaps = np.bincount(row, ~table.known[forms.indices], forms.shape[0]) > 0
            value = forms @ np.where(table.known, table.value, 0)
            beyond |= ~gaps & ((value < low) | (value > high))
        return beyond


def _shortest(grid: Grid, at: NDArray[np.int64], entries: int, most: int | None = None) -> NDArray[np.int64]:
    """Those of the fewest base cells, up to so many coefficients, and combinations, in all."""
    size = grid.sizes()[np.searchsorted(grid.unlisted, at)]
    order = np.argsort(size, kind="stable")[:most]
    result: NDArray[np.int64] = at[order[: int(np.searchsorted(np.cumsum(size[order]), entries, side="right"))]]
    return result


def _work(reduced: Reduced, forms: csr_array) -> NDArray[np.int64]:
    """int64 (forms): open base cells of the components that each reaches into, 1 at least."""
    size = np.bincount(reduced.component[reduced.component >= 0], minlength=reduced.components)
    component = reduced.component[forms.indices]
    inside = component >= 0
    pairs = np.unique(row_of_entries(forms)[inside] * np.int64(reduced.components + 1) + component[inside])
    row, which = np.divmod(pairs, reduced.components + 1)
    result = np.ones(forms.shape[0], np.int64)
    np.add.at(result, row, size[which])
    return result


def _single(b: TargetBounds) -> bool:
    return b.lower.outer is not None and b.lower.outer == b.upper.outer


def _inside(b: TargetBounds, low: int, high: int) -> bool:
    lower, upper = b.lower.outer, b.upper.outer
    return lower is not None and upper is not None and lower >= low and upper <= high


def _refuted(b: TargetBounds | None, danger: Danger | None) -> bool:
    """Tables in hand give two values, and one of them lies outside of what is in danger; or nothing is left to find out
    about the ends."""
    if b is None:
        return False
    if all(end.outer is not None and end.outer == end.attained for end in (b.lower, b.upper)):
        return True
    low, high = b.lower.attained, b.upper.attained
    below = b.lower.unlimited or (low is not None and (danger is None or low < danger.low))
    above = b.upper.unlimited or (high is not None and (danger is None or high > danger.high))
    several = b.lower.unlimited or b.upper.unlimited or (low is not None and high is not None and low < high)
    return several and (below or above)
