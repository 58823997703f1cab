"""What every method that only proposes a pattern ends with: the proposal made safe on the whole, and tidied."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import alone
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.blocks import UP, Relations, around
from tableseal.suppression.search.boxes import grid_of, with_boxes
from tableseal.suppression.search.cover import completed, tidied
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found

FEW = 20
"""Requirements without a box up to which each is asked by a program (241,080 cells, 24,435 sensitive ones: 2)."""

REMEMBERED = 100_000
"""Cells up to which the oracle of a whole table remembers the tables that show its pattern to be safe."""

PROPOSING = 0.4
"""Share of the time for a proposal; the rest is for making it safe and tidy."""


def repaired(problem: Problem, tools: Tools, proposal: NDArray[np.bool_], tidying: Limits | None = None) -> Found:
    """A safe pattern made from a proposal: what is missing added, what is not needed given back.

    proposal: bool (cells), primaries included. tidying: for giving back, if not those of the tools.
    """
    found = made_safe(problem, tools, proposal)
    if found.pattern is None:
        return found
    tools.keep(found)
    pattern = tidied(problem, tools.oracle, found.pattern, tidying or tools.limits)
    return Found("feasible", pattern, problem.price(pattern), 0)


def made_safe(problem: Problem, tools: Tools, proposal: NDArray[np.bool_]) -> Found:
    """A safe pattern around a proposal. Where so much hangs together that to decide takes long (34,440 cells: nothing
    after 200 s), what no table shows is not decided first."""
    if not tools.oracle.watched and tools.oracle.large(proposal):
        pattern = widened(problem, tools, proposal)
        if pattern is not None:
            return Found("feasible", pattern, problem.price(pattern), 0)
    pattern, impossible = completed(problem, tools.oracle, proposal, tools.limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0, start=proposal)
    return Found("feasible", pattern, problem.price(pattern), 0)


def widened(problem: Problem, tools: Tools, start: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """A safe pattern around another one, as soon as there is one: each end takes what it needs as long as there is
    time, what is then left has its box. None: something has none."""
    price = problem.cost.astype(np.float64)
    pattern, safe = tools.oracle.narrowed(problem.primary | problem.may, start, price, tools.limits)
    return pattern if safe else at_once(problem, tools.oracle, pattern)


def at_once(
    problem: Problem,
    oracle: Oracle,
    start: NDArray[np.bool_],
    met: NDArray[np.bool_] | None = None,
    limits: Limits | None = None,
) -> NDArray[np.bool_] | None:
    """A safe pattern around another one at once: what tables in hand do not show is shown by boxes, and by programs
    where FEW have none. None: that is not enough.

    met: bool (requirements), shown to be met, if the oracle does not know. limits: see `with_boxes`.
    """
    left = ~(oracle.protected(start) if met is None else met)
    boxed = with_boxes(problem, start, left, limits)
    if remembers(problem):
        oracle.learn(boxed.tables)
    pattern, without = boxed.pattern, np.flatnonzero(left & ~boxed.shown)
    if len(without) > FEW:
        return None
    for q in without.tolist():
        wider = _in_a_small_grid(problem, oracle, pattern, q)
        if wider is None:
            wider = oracle.widened(pattern, q, problem.may, problem.cost.astype(np.float64), Limits())
        if wider is None:
            return None
        pattern = pattern | wider
    return pattern


def _in_a_small_grid(problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_], q: int) -> NDArray[np.bool_] | None:
    """A wider pattern that meets a requirement with cells of a small grid around its own; None: there is none."""
    cell, cost = problem.requirements[q].cell, problem.cost.astype(np.float64)
    grid = grid_of(problem, int(problem.cells.measure[cell]))
    price = np.where(pattern, 0.0, np.where(problem.may, cost, np.inf))
    if grid is None:
        return None
    for up in range(UP):
        inside = Relations(problem).movable(around(grid, cell, price, up))
        if cell in inside:
            part = alone(oracle, inside, [q])
            chosen, _ = part.oracle.narrowed(np.ones(len(inside), np.bool_), pattern[inside], cost[inside], Limits())
            if part.oracle.protected(chosen).all():
                wider = pattern.copy()
                wider[inside] |= chosen
                return wider
    return None


def remembers(problem: Problem) -> bool:
    """Whether all tables that show a pattern to be safe can be remembered together: of larger problems (241,080 cells,
    24,435 sensitive: gigabytes of marks) only what they show."""
    return len(problem.cost) <= REMEMBERED
