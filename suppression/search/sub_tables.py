"""The simple sub-tables of a problem, which propose patterns.

In each variable they hold one code and the codes directly below it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Hierarchy
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.kernels.protecting import protect
from tableseal.suppression.search.method import Search, Tools, keep_nothing
from tableseal.suppression.search.small_table import LARGER, LARGEST, SmallTable, is_small

Pattern = NDArray[np.bool_]

MANY = 8
"""Sub-tables from which on larger ones are protected in one call, too."""

DEAREST = 2.0**50
"""Prices beyond are no longer told apart."""

LARGE: tuple[Search, ...] = (heuristic, elimination)
"""What sub-tables are protected with that are not small."""


@dataclass(frozen=True)
class SubTable:
    """cells: int64, positions; depth: of its total codes together, 0 at the top; rows: int64, relations inside it."""

    cells: NDArray[np.int64]
    depth: int
    rows: NDArray[np.int64]


@dataclass(frozen=True)
class _Frame:
    """What is known of a sub-table whatever the pattern and the prices.

    which, relation: int64 (pairs), a cell by its place in the sub-table, and a relation of another one that holds it.
    needs: what is required of its cells. small: the sub-table for one call; None where it is too large.
    """

    which: NDArray[np.int64]
    relation: NDArray[np.int64]
    needs: list[Requirement]
    small: SmallTable | None


class SubTables:
    """The sub-tables of a problem, which propose patterns."""

    def __init__(self, problem: Problem, tools: Tools) -> None:
        self._problem, self._tools = problem, tools
        self._parts = sub_tables(problem)
        self._needs: dict[int, list[Requirement]] = {}
        for need in problem.requirements:
            self._needs.setdefault(need.cell, []).append(need)
        self._spared = problem.primary & ~problem.asked
        self._holding: dict[int, list[int]] = {}
        for number, part in enumerate(self._parts):
            for cell in part.cells.tolist():
                self._holding.setdefault(cell, []).append(number)
        entries = sum(len(part.rows) * len(part.cells) for part in self._parts)
        self._run = Runner(worth_compiling(entries, protect))
        short = problem.equations.short
        self._relations = csr_array(abs(short[:, : len(problem.cost)].sign()))
        self._of_cell = csr_array(self._relations.T.tocsr())
        self._frames: dict[int, _Frame] = {}

    @property
    def small(self) -> bool:
        """Whether each is small enough to be protected in one call."""
        return all(self._fits(part) for part in self._parts)

    @property
    def larger(self) -> bool:
        """Whether such a call may take seconds."""
        return not all(is_small(len(part.rows), len(part.cells)) for part in self._parts)

    @property
    def separable(self) -> bool:
        """Whether there are many, and nothing but cells hangs together in them."""
        return len(self._parts) >= MANY and not self._problem.equations.always_open.any()

    def _fits(self, part: SubTable) -> bool:
        """Whether a sub-table is small enough to be protected in one call."""
        largest = LARGER if len(self._parts) >= MANY else LARGEST
        return is_small(len(part.rows), len(part.cells), largest=largest)

    def proposal(self, price: NDArray[np.float64], caution: float, limits: Limits) -> Pattern:
        """A pattern (bool, cells) of which each sub-table is safe by itself, as far as there was time.

        price: float64 (cells), what a cell seems to cost; besides it costs so often `caution` times as much again as it
        stands alone in relations of other sub-tables, because there more will have to be withheld beside it.
        """
        pattern = self._problem.primary.copy()
        holding = {number for c in np.flatnonzero(pattern).tolist() for number in self._holding.get(c, ())}
        self._fill(pattern, self._relations @ pattern.astype(np.int64), holding, price, caution, limits)
        return pattern

    def batches(self, count: int) -> list[range]:
        """Positions of all sub-tables, in order, in so many batches or fewer."""
        size = max(1, -(-len(self._parts) // count))
        return [range(k, min(k + size, len(self._parts))) for k in range(0, len(self._parts), size)]

    def again(self, pattern: Pattern, numbers: Iterable[int], price: NDArray[np.float64], caution: float) -> Pattern:
        """A pattern that costs no more: of one sub-table after the other (positions) all secondary cells are published,
        and it and those that share some of them are protected again beside what is withheld in all others.

        price, caution: see `proposal`.
        """
        cost, primary = self._problem.cost, self._problem.primary
        pattern = pattern.copy()
        withheld = self._relations @ pattern.astype(np.int64)
        for number in numbers:
            cells = self._parts[number].cells
            given = cells[pattern[cells] & ~primary[cells]]
            if not len(given):
                continue
            before = withheld.copy()
            pattern[given] = False
            np.subtract.at(withheld, stored(self._of_cell, given)[1], 1)
            holding = {other for c in given.tolist() for other in self._holding[c]}
            added = self._fill(pattern, withheld, holding, price, caution, Limits())
            if cost[added].sum() >= cost[given].sum():
                pattern[added], withheld = False, before
                pattern[given] = True
        return pattern

    def _fill(
        self,
        pattern: Pattern,
        withheld: NDArray[np.int64],
        numbers: Iterable[int],
        price: NDArray[np.float64],
        caution: float,
        limits: Limits,
    ) -> list[int]:
        """Withhold cells until some sub-tables (positions), and all that share what these withhold, are safe by
        themselves; the cells.

        pattern: changed in place, as is withheld: int64 (relations), how many cells are withheld in each.
        """
        waiting, result = list(numbers), list[int]()
        queued = set(waiting)
        heapify(waiting)
        while waiting and not limits.out_of_time():
            number = heappop(waiting)
            queued.discard(number)
            part, frame = self._parts[number], self._frame(number)
            lonely = withheld[frame.relation] == 0
            alone = np.bincount(frame.which, lonely, len(part.cells))
            dear = np.rint(np.minimum(price[part.cells] * (1 + caution * alone), DEAREST))
            for cell in self._protected(part, frame, pattern, dear):
                pattern[cell] = True
                result.append(cell)
                withheld[self._of_cell.indices[self._of_cell.indptr[cell] : self._of_cell.indptr[cell + 1]]] += 1
                for other in self._holding[cell]:
                    if other != number and other not in queued:
                        queued.add(other)
                        heappush(waiting, other)
        return result

    def _frame(self, number: int) -> _Frame:
        """What is known of a sub-table whatever the pattern and the prices."""
        frame = self._frames.get(number)
        if frame is None:
            part = self._parts[number]
            which, relation, _ = stored(self._of_cell, part.cells)
            outside = ~np.isin(relation, part.rows)
            needs = [replace(need, sure=True) for c in part.cells.tolist() for need in self._needs.get(c, ())]
            small = None
            if self._fits(part):
                extra = [c for c in part.cells[~self._spared[part.cells]].tolist() if c not in self._needs]
                small = SmallTable(self._problem, part.cells, part.rows, needs, extra)
            frame = self._frames[number] = _Frame(which[outside], relation[outside], needs, small)
        return frame

    def _protected(
        self, part: SubTable, frame: _Frame, pattern: NDArray[np.bool_], price: NDArray[np.float64]
    ) -> list[int]:
        """Cells to withhold besides so that a sub-table is safe by itself; none where it cannot be.

        price: float64 (cells of the sub-table).
        """
        if frame.small is not None:
            besides = frame.small.withheld_besides(pattern, price, self._run)
            return [] if besides is None else besides.tolist()
        withheld = part.cells[pattern[part.cells]]
        extra = withheld[~self._spared[withheld]].tolist()
        needs = frame.needs + [Requirement(c) for c in extra if c not in self._needs]
        if not needs:
            return []
        cost = np.zeros(len(pattern), np.int64)
        cost[part.cells] = price.astype(np.int64)
        problem = replace(self._problem, cost=cost)
        inside = np.zeros(len(pattern), np.bool_)
        inside[part.cells] = True
        equations, engine = problem.equations, self._tools.engine
        matrix = csr_array(equations.short[part.rows])
        zero = np.zeros(len(part.rows), np.int64)
        local = replace(
            equations, matrix=matrix, by_column=csr_array(matrix.T.tocsr()), short=matrix, lower=zero, upper=zero
        )
        small = replace(
            problem, equations=local, primary=pattern, may=problem.may & inside & ~pattern, requirements=tuple(needs)
        )
        oracle = Oracle(local, needs, deciding(engine), engine)
        own_tools = replace(self._tools, oracle=oracle, keep=keep_nothing)
        found = [f for method in LARGE for f in (method(small, own_tools),) if f.pattern is not None]
        best = min(found, key=lambda f: f.cost, default=None)
        return [] if best is None or best.pattern is None else np.flatnonzero(best.pattern & ~pattern).tolist()


def sub_tables(problem: Problem) -> list[SubTable]:
    """All simple sub-tables that hold a relation, from the top down; of equal depth in the order of the tables."""
    cells, release = problem.cells, problem.release
    short = problem.equations.short
    length = np.diff(short.indptr)
    by_column = csr_array(short.T.tocsr())
    found = []
    for table in release.tables:
        measure = list(release.measures).index(table.measure)
        axes = [
            list(_groups(hierarchy, np.unique(table.codes[:, v])))
            for v, hierarchy in enumerate(release.variables.values())
        ]
        masks = [[np.isin(cells.codes[:, v], codes) for codes, _ in axis] for v, axis in enumerate(axes)]
        depths = [[depth for _, depth in axis] for axis in axes]
        for choice in product(*(range(len(axis)) for axis in axes)):
            inside = cells.measure == measure
            for mask, k in zip(masks, choice, strict=True):
                inside = inside & mask[k]
            members = np.flatnonzero(inside)
            if len(members) == 0:
                continue
            rows, held = np.unique(by_column[members].indices, return_counts=True)
            rows = rows[held == length[rows]].astype(np.int64)
            if len(rows):
                found.append(SubTable(members, sum(d[k] for d, k in zip(depths, choice, strict=True)), rows))
    return sorted(found, key=lambda part: part.depth)


def _groups(hierarchy: Hierarchy, codes: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int64], int]]:
    """(a code with those directly below it, its depth) for each code that a table breaks down, in any grouping; the one
    code alone where it breaks down none."""
    if len(codes) == 1:
        yield codes.astype(np.int64), 0
        return
    seen: set[tuple[int, ...]] = set()
    for parent in hierarchy.parents:
        children: dict[int, list[int]] = {}
        for code, above in enumerate(parent.tolist()):
            if code != hierarchy.total_index:
                children.setdefault(above, []).append(code)
        for above, below in sorted(children.items()):
            group = tuple(([above] if above >= 0 else []) + below)
            if group not in seen and np.isin(group, codes).sum() > 1:
                seen.add(group)
                yield np.array(group, dtype=np.int64), _depth(parent.tolist(), above)


def _depth(parent: list[int], code: int) -> int:
    steps = 0
    while code >= 0:
        code = parent[code]
        steps += 1
    return max(0, steps - 1)
