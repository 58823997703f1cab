"""A safe pattern of a large table, block by block and grid by grid, each against tables that stay inside it.

What moves in one of them while everything else stands still is a table of the whole: no repair is needed, and a
question costs as much as it has cells, whatever the size of the release. It costs more than to let all move together.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import Part, alone, learn_from
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.blocks import UP, Relations, around, blocks
from tableseal.suppression.search.boxes import grid_of
from tableseal.suppression.search.small_table import LARGER, SmallTable, is_small

Pattern = NDArray[np.bool_]

LARGE = 3_000
"""Cells that can move in a block, up to which its ends are asked in it, if its codes are the finest (34,440 cells, 345
of them: 2 ms an end; 241,080 cells, 2,300: 6 ms)."""


@dataclass
class _Hand:
    """What is done so far. pattern: bool (cells); met: bool (requirements); asked: requirements not met by cells."""

    pattern: Pattern
    met: NDArray[np.bool_]
    asked: dict[int, list[int]]

    def left(self, cells: NDArray[np.int64]) -> list[int]:
        """Requirements of some cells that are not met."""
        return [q for c in cells.tolist() for q in self.asked.get(c, ()) if not self.met[q]]


def by_parts(
    problem: Problem, oracle: Oracle, start: Pattern, limits: Limits, *, remember: bool
) -> tuple[Pattern, NDArray[np.bool_]]:
    """(a pattern around another one; bool (requirements), those that are shown to be met): every end that nothing shows
    to be met takes what it needs, as far as there is time and that is in reach, in a block of the finest codes that can
    move it, or, where there is none or it is large, in a small grid around it.

    remember: let the oracle remember the tables that show it.
    """
    met = oracle.protected(start)
    hand = _Hand(start.copy(), met, {})
    for q in np.flatnonzero(~met).tolist():
        hand.asked.setdefault(oracle.requirements[q].cell, []).append(q)
    relations = Relations(problem)
    for cells in blocks(problem):
        if limits.out_of_time():
            return hand.pattern, hand.met
        inside = relations.movable(cells)
        if len(inside) <= LARGE and (own := hand.left(inside)):
            _take(problem, oracle, hand, inside, own, limits, remember)
    grids = {measure: grid_of(problem, measure) for measure in np.unique(problem.cells.measure).tolist()}
    price = np.where(problem.may, problem.cost.astype(np.float64), np.inf)
    for up in range(UP):
        price[hand.pattern] = 0.0
        for cell in sorted(hand.asked, key=lambda c: (problem.cost[c], c)):
            if limits.out_of_time():
                return hand.pattern, hand.met
            grid = grids[int(problem.cells.measure[cell])]
            if grid is not None and (own := hand.left(np.array([cell]))):
                inside = relations.movable(around(grid, cell, price, up))
                if cell in inside:
                    _take(problem, oracle, hand, inside, own, limits, remember)
                    price[inside[hand.pattern[inside]]] = 0.0
    return hand.pattern, hand.met


def _take(
    problem: Problem,
    oracle: Oracle,
    hand: _Hand,
    cells: NDArray[np.int64],
    own: list[int],
    limits: Limits,
    remember: bool,
) -> None:
    """Withhold what some requirements need of some cells."""
    part = alone(oracle, cells, own)
    chosen = _protected(_posed(problem, part, hand.pattern), part, limits)
    hand.met[own] = part.oracle.protected(chosen)
    hand.pattern[cells] |= chosen
    if remember:
        learn_from(oracle, part, chosen)


def _protected(problem: Problem, part: Part, limits: Limits) -> Pattern:
    """What the ends of a block need: of one that is small enough the cheapest choice in one call, of others what each
    takes in turn."""
    equations, pattern = part.oracle.equations, problem.primary
    price = problem.cost.astype(np.float64)
    if is_small(*equations.matrix.shape, largest=LARGER):
        rows, cells = np.arange(equations.matrix.shape[0]), np.arange(len(pattern))
        posed = replace(problem, equations=replace(equations, short=equations.matrix))
        small = SmallTable(posed, cells, rows, problem.requirements, ())
        besides = small.withheld_besides(pattern, price, Runner(compiled=True))
        if besides is not None:
            pattern = pattern.copy()
            pattern[besides] = True
    chosen, _ = part.oracle.narrowed(np.ones(len(pattern), np.bool_), pattern, price, limits)
    return chosen


def _posed(problem: Problem, part: Part, pattern: Pattern) -> Problem:
    """The problem of one block: what is withheld by now stays withheld."""
    cells, equations = part.cells, part.oracle.equations
    withheld = pattern[cells]
    return replace(
        problem,
        equations=equations,
        primary=withheld,
        may=problem.may[cells] & ~withheld,
        cost=problem.cost[cells],
        requirements=part.oracle.requirements,
    )
