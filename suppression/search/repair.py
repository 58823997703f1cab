"""What every method that only proposes a pattern ends with: the proposal made safe on the whole, and tidied."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import alone, learn_from
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.blocks import UP, Relations, around
from tableseal.suppression.search.boxes import grid_of, with_boxes
from tableseal.suppression.search.cover import completed, tidied
from tableseal.suppression.search.in_hand import InHand
from tableseal.suppression.search.kernels.boxing import Grid
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found

ROUNDS = 8
"""Times that boxes are put around what somebody may find out who knows cells of the boxes so far, at most."""

FEW = 20
"""Requirements without a box up to which each is asked by a program (241,080 cells, 24,435 sensitive ones: 2)."""

LED = 0.8
"""Share of the time in which boxes are led around dear cells; programs for those without a box have the rest."""

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
    return pattern if safe else at_once(problem, tools.oracle, pattern, tools.limits)


def at_once(
    problem: Problem,
    oracle: Oracle,
    start: NDArray[np.bool_],
    limits: Limits,
    hand: InHand | None = None,
    *,
    cheaper: bool = False,
) -> NDArray[np.bool_] | None:
    """A safe pattern around another one at once: what tables in hand do not show is shown by boxes, and by programs
    where FEW have none; of everybody for whom the oracle watches, too. None: that is not enough.

    limits: of programs, which are not begun after them. hand: takes the tables; it shows what is met, if it is there.
    cheaper: boxes are replaced by cheaper ones for a share of that time.
    """
    missed = np.flatnonzero(~oracle.protected(start)) if hand is None else hand.ends.requirement[hand.missing]
    needs, pattern = [oracle.requirements[q] for q in np.unique(missed).tolist()], start
    for _ in range(ROUNDS):
        boxed = with_boxes(problem, pattern, needs, limits.share(LED) if cheaper else None)
        if remembers(problem) or oracle.watched:
            oracle.learn(boxed.tables)
        if hand is not None:
            hand.offer(boxed.tables)
        pattern = boxed.pattern
        without = [needs[q] for q in np.flatnonzero(~boxed.shown).tolist()]
        if without:
            wider = _programmed(problem, oracle, pattern, without, limits)
            if wider is None:
                return None
            pattern = wider
            if hand is not None:
                hand.offer(oracle.tables(pattern))
        needs = [doubt.requirement for doubt in (*oracle.untold(pattern), *oracle.doubts(pattern))]
        if not needs:
            return pattern
    return None


def _programmed(
    problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_], needs: Sequence[Requirement], limits: Limits
) -> NDArray[np.bool_] | None:
    """A pattern, widened by programs until it meets FEW requirements; None: they are more, or there is no time."""
    if len(needs) > FEW:
        return None
    asked, relations = oracle.alike(oracle.equations, needs), Relations(problem)
    asked.learn_from(oracle)
    of_need = [int(problem.cells.measure[need.cell]) for need in needs]
    grids = {measure: grid_of(problem, measure) for measure in set(of_need)}
    for q in range(len(needs)):
        if limits.out_of_time():
            return None
        wider = _in_a_small_grid(problem, asked, pattern, q, grids[of_need[q]], relations, limits)
        if wider is None:
            wider = asked.widened(pattern, q, problem.may, problem.cost.astype(np.float64), limits)
        if wider is None:
            return None
        pattern = pattern | wider
    oracle.learn_from(asked)
    return pattern


def _in_a_small_grid(
    problem: Problem,
    oracle: Oracle,
    pattern: NDArray[np.bool_],
    q: int,
    grid: Grid | None,
    relations: Relations,
    limits: Limits,
) -> NDArray[np.bool_] | None:
    """A wider pattern that meets a requirement with cells of a small grid around its own; None: there is none."""
    if grid is None:
        return None
    cell, cost = oracle.requirements[q].cell, problem.cost.astype(np.float64)
    price = np.where(pattern, 0.0, np.where(problem.may, cost, np.inf))
    for up in range(UP):
        inside = relations.movable(around(grid, cell, price, up))
        if cell in inside and not limits.out_of_time():
            part = alone(oracle, inside, [q])
            chosen, _ = part.oracle.narrowed(np.ones(len(inside), np.bool_), pattern[inside], cost[inside], limits)
            if part.oracle.protected(chosen).all():
                learn_from(oracle, part, chosen)
                wider = pattern.copy()
                wider[inside] |= chosen
                return wider
    return None


def remembers(problem: Problem) -> bool:
    """Whether all tables that show a pattern to be safe can be remembered together: of larger problems (241,080 cells,
    24,435 sensitive: gigabytes of marks) only what they show."""
    return len(problem.cost) <= REMEMBERED
