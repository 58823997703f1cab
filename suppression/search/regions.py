"""Small regions of a large table protected anew: what no table of the rest needs is given up and chosen again at once.

Of a region only ends count whose tables lie wholly inside it; what others move stays withheld, at no cost to these. One
compiled call chooses, another one finds the tables, which are checked in whole numbers: a pattern is safe at any time,
and what a step takes depends on the region alone, whatever the size of the table.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.model import in_whole_units
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import alone
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.blocks import Relations
from tableseal.suppression.search.boxes import grids_of
from tableseal.suppression.search.in_hand import InHand
from tableseal.suppression.search.kernels.giving_back import Part, shown
from tableseal.suppression.search.kernels.protecting import FAILED, Small, protect

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pattern = NDArray[np.bool_]

MOST = 400
"""Cells of a region at most (34,440 cells, from a cost of 45,439, after 20 s: 150 of them 42,666, 250 42,390, 400
41,378)."""

EFFORT = 30_000_000
"""Entries of dictionaries that are looked at for a region."""

CROWD = 60
"""Tables that move a cell, up to which it is tried to do without it."""


def protect_anew(problem: Problem, oracle: Oracle, hand: InHand, limits: Limits) -> None:
    """Put cheaper tables in hand, region by region, the dearest cells first, as long as there is time and something is
    gained. Every end has a table to begin with, and afterwards."""
    regions, gained = _Regions(problem, oracle, hand), True
    while gained and not limits.out_of_time():
        gained = False
        cells = np.flatnonzero((hand.used > 0) & ~problem.primary)
        for cell in cells[np.argsort(-problem.cost[cells], kind="stable")].tolist():
            if limits.out_of_time():
                break
            if hand.used[cell]:
                gained |= regions.anew(cell)


@dataclass(frozen=True)
class _Region:
    """cells: int64, ascending. ends: int64, whose tables lie inside, the widest first. forced: bool (cells), withheld
    whatever is done for these. matrix: float64 (relations x cells)."""

    cells: Ints
    ends: Ints
    forced: Pattern
    matrix: Floats


class _Regions:
    """Regions of a problem around cells."""

    def __init__(self, problem: Problem, oracle: Oracle, hand: InHand) -> None:
        equations = problem.equations
        self._problem, self._oracle, self._hand = problem, oracle, hand
        self._run = Runner(compiled=True)
        self._relations = Relations(problem)
        self._grids = grids_of(problem)
        self._cost = problem.cost.astype(np.float64)
        self._place = np.full(len(problem.cost), -1, np.int64)
        value = equations.value.astype(np.float64)
        self._down = np.where(equations.column_lower == NO_LOWER, np.inf, value - equations.column_lower)
        self._up = np.where(equations.column_upper == NO_UPPER, np.inf, equations.column_upper - value)
        self._ends_of: dict[int, list[int]] = {}
        for end, cell in enumerate(hand.ends.cell.tolist()):
            self._ends_of.setdefault(cell, []).append(end)

    def anew(self, cell: int) -> bool:
        """Protect the region around a cell anew; whether that saves something."""
        cells = self._around(cell) if len(self._hand.moving[cell]) <= CROWD else None
        if cells is None:
            return False
        self._place[cells] = np.arange(len(cells))
        saved = self._saved(cells)
        self._place[cells] = -1
        return saved

    def _around(self, cell: int) -> Ints | None:
        """The cells of the tables that move a cell, and the cheapest others of their codes, those first that are
        withheld; None: they are too many."""
        hand, problem = self._hand, self._problem
        tables = [table for e in hand.moving[cell] if (table := hand.table[e]) is not None]
        core = np.unique(np.concatenate([table.cells for table in tables]))
        grid = self._grids[int(problem.cells.measure[cell])]
        if len(core) > MOST or grid is None:
            return None
        places = np.zeros(1, np.int64)
        for v, stride in enumerate(grid.stride.tolist()):
            places = np.add.outer(places, np.unique(grid.codes[core, v]) * stride).ravel()
        near = np.setdiff1d(grid.place[places[grid.place[places] >= 0]], core)
        near = near[problem.may[near] | problem.primary[near]]
        if len(near) > MOST - len(core):
            open_first = np.lexsort((near, self._cost[near], ~hand.pattern_of(near)))
            near = near[open_first[: MOST - len(core)]]
        return self._relations.movable(np.sort(np.concatenate([core, near])))

    def _saved(self, cells: Ints) -> bool:
        """Put cheaper tables in hand that lie inside a region; whether there are some."""
        hand, region = self._hand, self._region(cells)
        if region is None:
            return False
        before = self._dear(region, hand.used[cells] > 0)
        if before == 0.0:
            return False
        pattern = self._chosen(region)
        if pattern is None or self._dear(region, pattern) >= before:
            return False
        old = {e: hand.table[e] for e in region.ends.tolist()}
        self._put(region, pattern)
        if self._dear(region, hand.used[cells] > 0) < before:
            return True
        for e, table in old.items():
            hand.put(e, table)
        return False

    def _region(self, cells: Ints) -> _Region | None:
        """What is to be protected in some cells; None: they stand in relations with further bounds."""
        hand, equations = self._hand, self._problem.equations
        ends, own = list[int](), np.zeros(len(cells), np.int64)
        for e in (e for c in cells.tolist() for e in self._ends_of.get(c, ())):
            table = hand.table[e]
            if table is not None and (at := self._place[table.cells]).min() >= 0:
                ends.append(e)
                own[at] += 1
        which, row, coefficient = stored(equations.by_column, cells)
        rows, position = np.unique(row, return_inverse=True)
        if (equations.lower[rows] != equations.upper[rows]).any():
            return None
        matrix = np.zeros((len(rows), len(cells)))
        matrix[position, which] = coefficient
        asked = np.array(ends, np.int64)
        asked = asked[np.lexsort((asked, -hand.ends.distance[asked]))]
        return _Region(cells, asked, self._problem.primary[cells] | (hand.used[cells] > own), matrix)

    def _dear(self, region: _Region, pattern: Pattern) -> float:
        """What a pattern (bool, cells of a region) costs beside what is withheld whatever is done."""
        return float(self._cost[region.cells[pattern & ~region.forced]].sum())

    def _chosen(self, region: _Region) -> Pattern | None:
        """bool (cells of a region): the cheapest that protects it as linear programs see it, or nearly; None: nothing
        was found."""
        cells, ends, asked = region.cells, self._hand.ends, region.ends
        may = self._problem.may[cells]
        far = ends.distance[asked].astype(np.float64)
        outsiders = np.zeros(len(asked), np.int64), np.zeros(2, np.int64), np.empty(0, np.int64)
        room, place = (self._down[cells], self._up[cells]), self._place[ends.cell[asked]]
        answer = np.zeros(len(cells), np.bool_)
        small = Small(
            region.matrix, *room, self._cost[cells], region.forced, may, place, ends.sign[asked], far, *outsiders
        )
        return None if self._run(protect, small, EFFORT, answer) == FAILED else answer | region.forced

    def _put(self, region: _Region, pattern: Pattern) -> None:
        """Put tables of a pattern (bool, cells of a region) in hand; ends for which there are only tables of fractions
        take what they need besides, or keep theirs."""
        hand, missing = self._hand, dict[int, FeasibleTable | None]()
        for e, table in self._shown(region, pattern):
            if table is None:
                missing[e] = hand.table[e]
            hand.put(e, table)
        if missing:
            own = alone(self._oracle, region.cells, sorted({int(hand.ends.requirement[e]) for e in missing}))
            everything, cost = np.ones(len(pattern), np.bool_), self._cost[region.cells]
            chosen, _ = own.oracle.narrowed(everything, pattern, cost, Limits())
            hand.offer([replace(table, cells=region.cells[table.cells]) for table in own.oracle.tables(chosen)])
        for e, table in missing.items():
            if hand.table[e] is None:
                hand.put(e, table)

    def _shown(self, region: _Region, pattern: Pattern) -> list[tuple[int, FeasibleTable | None]]:
        """(end, a table of whole units that meets it in a pattern (bool, cells of a region)) for ends of a region."""
        ends, asked, left = self._hand.ends, region.ends, region.cells[pattern]
        room, place = (self._down[left], self._up[left]), np.searchsorted(left, ends.cell[asked])
        matrix = np.ascontiguousarray(region.matrix[:, pattern])
        part = Part(matrix, *room, place, ends.sign[asked], ends.distance[asked].astype(np.float64))
        point, met = np.zeros((len(asked), len(left))), np.zeros(len(asked), np.bool_)
        self._run(shown, part, np.ones(len(left), np.bool_), point, met)
        every = enumerate(asked.tolist())
        return [(e, self._table(e, left, point[k]) if met[k] else None) for k, e in every]

    def _table(self, end: int, cells: Ints, point: Floats) -> FeasibleTable | None:
        """A point (cells) as a table of whole units, as it is or turned round, if that meets an end."""
        found, equations, ends = in_whole_units(point), self._problem.equations, self._hand.ends
        if found is None:
            return None
        at = np.flatnonzero(found[0])
        moves = found[0][at]
        own = int(moves[cells[at] == ends.cell[end]].sum())
        table = FeasibleTable(cells[at], moves if (own < 0) == (ends.sign[end] > 0) else -moves)
        fits = table.fits(equations.value, equations.column_lower, equations.column_upper)
        enough = abs(own) >= ends.distance[end]
        return table if fits and enough and equations.allow(table.cells, table.moves) else None
