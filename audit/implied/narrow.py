"""Combinations that can take several values, all of them sensitive."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Limits, TargetBounds
from audit.bounds.engine import bound_forms
from audit.bounds.method import Method
from audit.implied.grids import Grid
from audit.implied.tables import Table, columns_of, found_tables, harmless
from audit.linear.integers import NO_LOWER
from audit.linear.reduce import Reduced
from audit.model import Policy, Threshold
from audit.progress import silent
from audit.solvers.protocol import Solver
from audit.sparse import rows_at

MOST_FORMS, MOST_ENTRIES = 2_000, 200_000
"""Combinations, and coefficients of them, for which bounds are computed; a third of what the open cells ask for, where
that is more."""

MOST_LOOKED_AT = 20_000
"""Combinations that are held against tables in hand one by one."""

TABLES = 4
"""Tables that combinations are held against before bounds are computed."""


@dataclass(frozen=True)
class Danger:
    """Values of a count that are sensitive by threshold: low to high."""

    low: int
    high: int

    @staticmethod
    def of(policy: Policy, *, nonnegative: bool) -> "Danger | None":
        """None: no threshold in the policy."""
        rules = [rule for rule in policy.primary if isinstance(rule, Threshold)]
        if not rules:
            return None
        below = max(rule.count for rule in rules)
        lowest = NO_LOWER if not nonnegative else 0
        return Danger(lowest if any(rule.zeros for rule in rules) else 1, below - 1)


def candidates(grid: Grid, open_: NDArray[np.bool_], table: Table, danger: Danger) -> NDArray[np.int64]:
    """Positions in the grid of open combinations to which the table does not give a harmless value, the smallest first.

    open_: bool (unlisted combinations), more than one value is left by the equations.
    """
    if not open_.any():
        return np.empty(0, np.int64)
    gaps = grid.sums((~table.known).astype(np.int64))
    value = grid.sums(np.where(table.known, table.value, 0))
    left = open_ & ((gaps > 0) | ((value >= danger.low) & (value <= danger.high)))
    # Base cells that are not negative add up: what the known part has cannot be taken back.
    order = np.argsort(grid.sizes()[left], kind="stable")
    return grid.unlisted[left][order]


@dataclass(frozen=True)
class Narrow:
    """Which forms are narrow (positions, ascending), their bounds, and how many were not decided."""

    at: NDArray[np.int64]
    bounds: tuple[TargetBounds, ...]
    left_out: int


def narrow(
    forms: csr_array,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    reduced: Reduced,
    asked: csr_array,
    method: Method,
    solver: Solver,
    limits: Limits,
) -> Narrow:
    """Of forms those whose every possible value lies in [low, high].

    asked: the forms whose bounds were computed anyway; the budget is a third of them, or what is cheap.
    """
    count = forms.shape[0]
    within = np.arange(min(count, MOST_LOOKED_AT))
    if count and not limits.out_of_time():
        tables = found_tables(reduced, columns_of(rows_at(forms, within)), TABLES, solver, limits)
        for table in tables:
            some = rows_at(forms, within)
            within = within[~harmless(some, table, low[within], high[within])]
    size = np.diff(forms.indptr)[within]
    fits = np.cumsum(size) <= max(MOST_ENTRIES, asked.nnz // 3)
    fits[max(MOST_FORMS, asked.shape[0] // 3) :] = False
    if limits.out_of_time():
        fits[:] = False
    chosen = within[fits]
    left_out = count - min(count, MOST_LOOKED_AT) + int((~fits).sum())
    if len(chosen) == 0:
        return Narrow(chosen, (), left_out)
    found = bound_forms(reduced, rows_at(forms, chosen), method, limits, silent, check_rest=False).bounds
    at, bounds = [], []
    for k, b in zip(chosen.tolist(), found, strict=True):
        lower, upper = b.lower.outer, b.upper.outer
        if lower is not None and upper is not None and lower >= low[k] and upper <= high[k]:
            at.append(k)
            bounds.append(b)
        elif not _refuted(b, int(low[k]), int(high[k])):
            left_out += 1
    return Narrow(np.array(at, np.int64), tuple(bounds), left_out)


def _refuted(b: TargetBounds, low: int, high: int) -> bool:
    """A table in hand has a value outside."""
    below = b.lower.unlimited or (b.lower.attained is not None and b.lower.attained < low)
    above = b.upper.unlimited or (b.upper.attained is not None and b.upper.attained > high)
    return below or above
