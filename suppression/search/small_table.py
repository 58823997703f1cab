"""A small table protected by itself at least cost, in one compiled call (see `kernels.protecting`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.compiling import Runner
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.decision.equations import stored
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.protecting import FAILED, Small, protect

LARGEST = 60_000
"""Entries of a dictionary (independent relations times other cells, as far as that is known before) up to which a table
is small."""

EFFORT = 100_000_000
"""Entries of dictionaries that are looked at before the best so far will do (0.1 s): a limit of work, not of time, so
that answers do not depend on the machine."""


def is_small(relations: int, cells: int) -> bool:
    """Whether a table of so many relations and cells is one for a dense dictionary."""
    return min(relations, cells) * cells <= LARGEST


def withheld_besides(
    problem: Problem,
    cells: NDArray[np.int64],
    rows: NDArray[np.int64],
    pattern: NDArray[np.bool_],
    needs: Sequence[Requirement],
    run: Runner,
) -> NDArray[np.int64] | None:
    """Cells to withhold besides so that a small table is safe by itself, if linear programs are asked; None: nothing
    was found.

    cells: int64, those of the table; rows: int64, short relations inside it. pattern: bool (all cells), withheld by
    now. needs: what is required of its cells; what may be met in either of two ways is left out.
    """
    equations = problem.equations
    place = np.full(len(pattern), -1, np.int64)
    place[cells] = np.arange(len(cells))
    which, column, coefficient = stored(equations.short, rows)
    matrix = np.zeros((len(rows), len(cells)))
    matrix[which, place[column]] = coefficient
    asked = [need for need in needs if not need.either]
    ends = ends_of(asked, equations.value, equations.cells)
    order = np.lexsort((np.arange(len(ends)), -ends.distance, ends.attacker))
    numbers, of_end = np.unique(ends.attacker[order], return_inverse=True)
    known = [
        place[list(asked[ends.requirement[np.flatnonzero(ends.attacker == a)[0]]].attacker.known)]
        for a in numbers.tolist()
    ]
    known = [inside[inside >= 0] for inside in known]
    value = equations.value[cells].astype(np.float64)
    least, most = equations.column_lower[cells], equations.column_upper[cells]
    small = Small(
        matrix,
        np.where(least == NO_LOWER, np.inf, value - least),
        np.where(most == NO_UPPER, np.inf, most - value),
        problem.cost[cells].astype(np.float64),
        pattern[cells],
        problem.may[cells],
        place[ends.cell[order]],
        ends.sign[order],
        ends.distance[order].astype(np.float64),
        of_end.astype(np.int64),
        np.cumsum([0, *map(len, known)]).astype(np.int64),
        np.concatenate([np.empty(0, np.int64), *known]),
    )
    answer = np.zeros(len(cells), np.bool_)
    if run(protect, small, EFFORT, answer) == FAILED:
        return None
    return cells[answer & ~pattern[cells]]
