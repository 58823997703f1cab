"""What may stand behind restored margins, exactly, of small tables: every true table is tried.

Behind a published table stand the tables with its margins from which the method can publish it: some counts that can be
drawn from them are fitted and rounded to it. An invariant matrix and quotas hang on the true counts, so each table has
draws of its own. All of them are gone through, as long as they are few; what is told of a cell then is the smallest and
the largest count that it has in these tables, and nobody can find out more of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.suppression.protections.perturbation.chain import Matrix
from tableseal.suppression.protections.perturbation.draws import Draws, Group, groups
from tableseal.suppression.protections.perturbation.quota_ways import Ways, quota_ways
from tableseal.suppression.protections.perturbation.restored import Restoring

Ints = NDArray[np.int64]

MOST_TABLES, MOST_DRAWS, MOST_WAYS = 3_000, 50_000, 20_000
"""Tables with the published margins, draws of all of them together, and tables that are met while their quotas are
rounded, up to which all are gone through."""

MOST_CELLS, MOST_STEPS = 60, 300_000
"""Inner cells, and counts that are tried for them, up to which tables are looked for."""


@dataclass(frozen=True)
class Drawing:
    """How counts are drawn. strata: int64 (inner cells); units: int64, inner cells that are drawn, in their order."""

    matrix: Matrix
    draws: Draws
    made_invariant: bool
    strata: Ints
    units: Ints


class _Outcomes:
    """What counts can become; as much is gone through as all true tables together may take."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing, self._draws, self._tables = drawing, MOST_DRAWS, MOST_WAYS
        self._known: dict[tuple[tuple[int, ...], ...], Ways] = {}

    def of(self, counts: Ints) -> Ints | None:
        """int64 (draws x inner cells); None: too many."""
        own = self._drawing
        found = list(groups(counts, own.strata, own.units, own.matrix, made_invariant=own.made_invariant))
        parts: list[list[tuple[int, ...]]] = []
        for group in found:
            part = self._of_group(group, counts[group.units].tolist())
            if part is None:
                return None
            parts.append(part)
        number = prod(map(len, parts))
        if number > self._draws:
            return None
        self._draws -= number
        result = np.repeat(counts[None], number, axis=0)
        if found:
            units = np.concatenate([group.units for group in found])
            result[:, units] = [sum(choice, ()) for choice in product(*parts)]
        return result

    def _of_group(self, group: Group, counts: list[int]) -> list[tuple[int, ...]] | None:
        if self._drawing.draws == "independent":
            row = dict(zip(group.states, group.rows, strict=True))
            few = prod(len(row[count]) for count in counts) <= self._draws
            return list(product(*(sorted(row[count]) for count in counts))) if few else None
        key = tuple(group.states), tuple(group.number)
        if key not in self._known:
            ways = quota_ways(group.rows, group.number, self._tables)
            if ways is None:
                return None
            self._known[key] = ways
            self._tables -= ways.met
        found = set[tuple[int, ...]]()
        for way in self._known[key].chances:
            given = [dict(row) for row in way]
            if prod(map(_orders, given)) + len(found) > self._draws:
                return None
            for choice in product(*(list(_arranged(row)) for row in given)):
                left = {state: iter(some) for state, some in zip(group.states, choice, strict=True)}
                found.add(tuple(next(left[count]) for count in counts))
        return sorted(found)


@dataclass(frozen=True)
class Behind:
    """low, high: int64 (inner cells), of all tables that may be the true one; tables: how many have the margins."""

    low: Ints
    high: Ints
    tables: int

    @property
    def words(self) -> str:
        """For the agency."""
        return f"Tried as true tables: {self.tables:,} with these margins; what is told of inner cells is exact"


def behind_restored(
    shown: Ints,
    drawing: Drawing,
    restoring: Restoring,
    within: Callable[[Ints], tuple[Ints, Ints]],
    limits: Limits,
) -> Behind | None:
    """None: there is too much to go through, or no time.

    shown: int64 (inner cells), published. within: counts -> smallest and largest count that each may be shown as.
    """
    moves = np.zeros(len(shown), np.bool_)
    moves[drawing.units] = True
    tables = _tables(restoring, shown, moves)
    if tables is None:
        return None
    trial = _Trial(tables, shown, restoring, within)
    low, high, first = shown.copy(), shown.copy(), True
    outcomes = _Outcomes(drawing)
    # The farthest first: what lies between tables that may be the true one need not be tried.
    for at in np.argsort(-np.abs(tables - shown).sum(axis=1), kind="stable").tolist():
        true = tables[at]
        if not first and ((low <= true) & (true <= high)).all():
            continue
        small, large = within(true)
        if ((shown < small) | (shown > large)).any():
            continue
        drawn = outcomes.of(true)
        if drawn is None or limits.seconds_left() <= 0:
            return None
        if trial.gives(true, drawn):
            low, high = (true, true) if first else (np.minimum(low, true), np.maximum(high, true))
            first = False
    return None if first else Behind(low, high, len(tables))


class _Trial:
    """Whether draws lead to the published table; what was found out for one true table is kept for the next."""

    def __init__(
        self, tables: Ints, shown: Ints, restoring: Restoring, within: Callable[[Ints], tuple[Ints, Ints]]
    ) -> None:
        self._tables, self._shown, self._restoring, self._within = tables, shown, restoring, within
        self._targets: dict[bytes, Ints] = {}

    def gives(self, true: Ints, outcomes: Ints) -> bool:
        """Whether one of the draws (draws x inner cells) of a true table is restored to the published one."""
        small, large = self._within(true)
        inside = self._tables[((self._tables >= small) & (self._tables <= large)).all(axis=1)]
        for target in self._fitted(outcomes):
            away = np.abs(inside - target).sum(axis=1)
            own = int(np.abs(self._shown - target).sum())
            if away.min() == own and ((away == own).sum() == 1 or self._chosen(target, (small, large))):
                return True
        return False

    def _fitted(self, outcomes: Ints) -> Ints:
        """int64 (different targets x inner cells), the nearest to what is published first."""
        keys = [drawn.tobytes() for drawn in outcomes]
        new = np.array([k for k, key in enumerate(keys) if key not in self._targets], np.int64)
        if len(new):
            for k, target in zip(new.tolist(), self._restoring.targets(outcomes[new]), strict=True):
                self._targets[keys[k]] = target
        found = np.unique(np.array([self._targets[key] for key in keys]), axis=0)
        return found[np.argsort(np.abs(found - self._shown).sum(axis=1), kind="stable")]

    def _chosen(self, target: Ints, within: tuple[Ints, Ints]) -> bool:
        """Of several nearest tables the program takes one, within a moment."""
        return bool((self._restoring.inner(self._restoring.nearest(target, within, Limits())) == self._shown).all())


def _tables(restoring: Restoring, shown: Ints, moves: NDArray[np.bool_]) -> Ints | None:
    """int64 (tables x inner cells): all with the margins of the published one and its cells that do not move; None: too
    many."""
    margins = restoring.margins.tocsc()
    rows = [margins.indices[margins.indptr[k] : margins.indptr[k + 1]].tolist() for k in range(margins.shape[1])]
    last = {row: k for k, own in enumerate(rows) for row in own}
    left: list[int] = restoring.totals.tolist()
    count, found, steps = [0] * len(rows), list[list[int]](), 0
    if len(rows) > MOST_CELLS or not all(rows):
        return None

    def fill(k: int) -> bool:
        nonlocal steps
        if k == len(rows):
            found.append(count.copy())
            return len(found) <= MOST_TABLES
        most = min(left[row] for row in rows[k])
        closing = {left[row] for row in rows[k] if last[row] == k}
        if len(closing) > 1:
            return True
        least, most = (max(closing), min(most, max(closing))) if closing else (0, most)
        if not moves[k]:
            least, most = max(least, int(shown[k])), min(most, int(shown[k]))
        for value in range(least, most + 1):
            steps += 1
            count[k] = value
            for row in rows[k]:
                left[row] -= value
            enough = fill(k + 1)
            for row in rows[k]:
                left[row] += value
            if not enough or steps > MOST_STEPS:
                return False
        return True

    return np.array(found, np.int64).reshape(-1, len(rows)) if fill(0) else None


def _orders(given: Mapping[int, int]) -> int:
    """In how many orders these can stand."""
    return factorial(sum(given.values())) // prod(factorial(n) for n in given.values())


def _arranged(given: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """Every order of so many of each."""
    if not given:
        yield ()
    for k in sorted(given):
        rest = {other: n - (other == k) for other, n in given.items() if n - (other == k)}
        for more in _arranged(rest):
            yield (k, *more)
