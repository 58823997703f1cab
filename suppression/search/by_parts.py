"""A safe pattern of a large table, sub-table by sub-table, each against tables that stay inside it.

What moves in one sub-table while everything else stands still is a table of the whole: no repair is needed, and a
question costs as much as the sub-table, whatever the size of the release. It costs more than to let sub-tables move
together.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.decision.parts import Part, alone, learn_from
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.cover import clean_up, needed

Pattern = NDArray[np.bool_]

NARROWED, CLEANED = 0.7, 0.8
"""Shares of the time: for what ends of all sub-tables need; of what a sub-table has left, for giving back."""


def by_parts(
    problem: Problem, oracle: Oracle, start: Pattern, tables: Sequence[NDArray[np.int64]], limits: Limits
) -> Pattern:
    """A pattern around another one: in each sub-table every end that nothing shows to be met takes what it needs, as
    far as there is time and that is inside; then what is not needed is given back.

    tables: int64, cells of each sub-table, in the order in which they are looked at.
    """
    pattern, met = start.copy(), oracle.protected(start)
    asked: dict[int, list[int]] = {}
    for q in np.flatnonzero(~met).tolist():
        asked.setdefault(oracle.requirements[q].cell, []).append(q)
    narrowing, relations = limits.share(NARROWED), _Relations(problem)
    done: list[tuple[Part, Problem, Pattern]] = []
    for cells in tables:
        if narrowing.out_of_time():
            break
        inside = relations.movable(cells[(pattern | problem.may)[cells]])
        own = [q for c in inside.tolist() for q in asked.get(c, ()) if not met[q]]
        if not own:
            continue
        part = alone(oracle, inside, own)
        posed = _posed(problem, part, pattern)
        chosen, _ = needed(posed, part.oracle, np.ones(len(inside), np.bool_), narrowing)
        met[own] = part.oracle.protected(chosen)
        pattern[inside] |= chosen
        done.append((part, posed, chosen))
    for number, (part, posed, chosen) in enumerate(done):
        lean = chosen
        if part.oracle.protected(chosen).all():
            lean = clean_up(posed, part.oracle, chosen, limits.share(CLEANED).share(1 / (len(done) - number)))
            pattern[part.cells] &= lean | posed.primary
        learn_from(oracle, part, lean)
    return pattern


class _Relations:
    """Which cells stand in which short relations."""

    def __init__(self, problem: Problem) -> None:
        short = csr_array(abs(problem.equations.short[:, : len(problem.cost)].sign()))
        self._of_cell = csr_array(short.T.tocsr())

    def movable(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some cells that no relation holds still, while everything else stands still."""
        while len(cells):
            which, row, _ = stored(self._of_cell, cells)
            _, place, count = np.unique(row, return_inverse=True, return_counts=True)
            held = np.zeros(len(cells), np.bool_)
            held[which[count[place] == 1]] = True
            if not held.any():
                break
            cells = cells[~held]
        return cells


def _posed(problem: Problem, part: Part, pattern: Pattern) -> Problem:
    """The problem of one sub-table: what is withheld by now stays withheld."""
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
