"""A safe pattern of a large table, block by block and grid by grid, each against tables that stay inside it.

What moves in one of them while everything else stands still is a table of the whole: no repair is needed, and a
question costs as much as it has cells, whatever the size of the release. It costs more than to let all move together.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import Part, alone
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.blocks import UP, Relations, around, blocks
from tableseal.suppression.search.boxes import grids_of
from tableseal.suppression.search.in_hand import InHand
from tableseal.suppression.search.small_table import LARGER, SmallTable, is_small

Pattern = NDArray[np.bool_]

LARGE = 3_000
"""Cells that can move in a block, up to which its ends are asked in it, if its codes are the finest (34,440 cells, 345
of them: 2 ms an end; 241,080 cells, 2,300: 6 ms)."""

CROWD = 200
"""Tables that move a cell, up to which it is tried to do without it in small grids."""

SEVERAL = 8
"""Requirements of a block or small grid from which a call chooses for all of them together (241,080 cells, small grids
of 900 cells for one end: 0.14 s with the call)."""


def by_parts(problem: Problem, oracle: Oracle, hand: InHand, limits: Limits) -> None:
    """Put tables in hand for ends that have none: every one takes what it needs, as far as there is time and that is in
    reach, in a block of the finest codes that can move it, or, where there is none or it is large, in a small grid
    around it."""
    asked: dict[int, list[int]] = {}
    for end in hand.missing.tolist():
        asked.setdefault(int(hand.ends.cell[end]), []).append(end)

    def left(cells: NDArray[np.int64]) -> list[int]:
        """Requirements about some cells of which an end has no table."""
        missing = [e for c in cells.tolist() for e in asked.get(c, ()) if hand.table[e] is None]
        return sorted(set(hand.ends.requirement[missing].tolist()))

    relations = Relations(problem)
    for cells in blocks(problem):
        if limits.out_of_time():
            return
        inside = relations.movable(cells)
        if len(inside) <= LARGE and (own := left(inside)):
            _take(problem, oracle, hand, inside, own, limits)
    grids = grids_of(problem)
    price = np.where(problem.may, problem.cost.astype(np.float64), np.inf)
    price[hand.pattern] = 0.0
    for up in range(UP):
        for cell in sorted(asked, key=lambda c: (problem.cost[c], c)):
            if limits.out_of_time():
                return
            grid = grids[int(problem.cells.measure[cell])]
            if grid is not None and (own := left(np.array([cell]))):
                inside = relations.movable(around(grid, cell, price, up))
                if cell in inside:
                    _take(problem, oracle, hand, inside, own, limits)
                    price[inside[hand.used[inside] > 0]] = 0.0


def without_dear_cells(problem: Problem, oracle: Oracle, hand: InHand, limits: Limits) -> None:
    """Put tables in hand that do without dear cells, the dearest first: the ends of those that move one are asked again
    in small grids. Where that is not cheaper they have theirs again; every end has one to begin with and afterwards."""
    relations = Relations(problem)
    grids = grids_of(problem)
    cost = np.where(problem.may, problem.cost.astype(np.float64), np.inf)
    cells = np.flatnonzero((hand.used > 0) & ~problem.primary)
    for cell in cells[np.argsort(-problem.cost[cells], kind="stable")].tolist():
        if limits.out_of_time():
            return
        old = {end: hand.table[end] for end in sorted(hand.moving[cell])}
        if not 0 < len(old) <= CROWD:
            continue
        before = problem.price(hand.pattern)
        for end in old:
            hand.put(end, None)
        for asked in np.unique(hand.ends.cell[list(old)]).tolist():
            grid = grids[int(problem.cells.measure[asked])]
            own = sorted({int(hand.ends.requirement[end]) for end in old if hand.ends.cell[end] == asked})
            if grid is not None:
                inside = relations.movable(around(grid, asked, np.where(hand.pattern, 0.0, cost), UP - 1))
                if asked in inside:
                    _take(problem, oracle, hand, inside, own, limits)
        for end, table in old.items():
            if hand.table[end] is None:
                hand.put(end, table)
        if problem.price(hand.pattern) >= before:
            for end, table in old.items():
                hand.put(end, table)


def _take(
    problem: Problem, oracle: Oracle, hand: InHand, cells: NDArray[np.int64], own: list[int], limits: Limits
) -> None:
    """Put in hand what some requirements need of some cells."""
    part = alone(oracle, cells, own)
    chosen = _protected(_posed(problem, part, hand.pattern_of(cells)), part, limits)
    hand.offer([replace(table, cells=cells[table.cells]) for table in part.oracle.tables(chosen)])


def _protected(problem: Problem, part: Part, limits: Limits) -> Pattern:
    """What the ends of a block need: of one that is small enough the cheapest choice in one call, of others what each
    takes in turn."""
    equations, pattern = part.oracle.equations, problem.primary
    price = problem.cost.astype(np.float64)
    if len(problem.requirements) >= SEVERAL and is_small(*equations.matrix.shape, largest=LARGER):
        rows, cells = np.arange(equations.matrix.shape[0]), np.arange(len(pattern))
        posed = replace(problem, equations=replace(equations, short=equations.matrix))
        small = SmallTable(posed, cells, rows, problem.requirements, ())
        besides = small.withheld_besides(pattern, price, Runner(compiled=True))
        if besides is not None:
            pattern = pattern.copy()
            pattern[besides] = True
    chosen, _ = part.oracle.narrowed(np.ones(len(pattern), np.bool_), pattern, price, limits)
    return chosen


def _posed(problem: Problem, part: Part, withheld: Pattern) -> Problem:
    """The problem of one block: what is withheld by now (bool, its cells) stays withheld."""
    cells, equations = part.cells, part.oracle.equations
    return replace(
        problem,
        equations=equations,
        primary=withheld,
        may=problem.may[cells] & ~withheld,
        cost=problem.cost[cells],
        requirements=part.oracle.requirements,
    )
