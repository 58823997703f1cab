"""A small table protected by itself at least cost, in one compiled call (see `kernels.protecting`)."""

from collections.abc import Iterable, Sequence

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

LARGER, MORE = 600_000, 1_500_000_000
"""LARGEST and EFFORT where a table falls into many (287 x 10 x 12: 67 sub-tables of 600 to 1,440 cells, 100 calls of
0.01 to 3 s each)."""


def is_small(relations: int, cells: int, *, largest: int = LARGEST) -> bool:
    """Whether a table of so many relations and cells is one for a dense dictionary."""
    return min(relations, cells) * cells <= largest


class SmallTable:
    """A small table, asked for ever more patterns: all that does not change is looked up once."""

    def __init__(
        self,
        problem: Problem,
        cells: NDArray[np.int64],
        rows: NDArray[np.int64],
        needs: Sequence[Requirement],
        extra: Iterable[int],
    ) -> None:
        """cells: int64, those of the table; rows: int64, short relations inside it. needs: what is required of its
        cells; what may be met in either of two ways is left out. extra: cells that must not be computed either once
        they are withheld, and of which nothing else is required."""
        equations = problem.equations
        place = np.full(len(problem.cost), -1, np.int64)
        place[cells] = np.arange(len(cells))
        self._cells = cells
        which, column, self._coefficient = stored(equations.short, rows)
        self._relations, self._entry = len(rows), (which, place[column])
        value = equations.value[cells].astype(np.float64)
        least, most = equations.column_lower[cells], equations.column_upper[cells]
        self._down = np.where(least == NO_LOWER, np.inf, value - least)
        self._up = np.where(most == NO_UPPER, np.inf, most - value)
        self._may = problem.may[cells]
        self._needed = len(needs) > 0
        asked = [need for need in needs if not need.either]
        always = len(asked)
        asked += [Requirement(cell) for cell in extra]
        ends = ends_of(asked, equations.value, equations.cells)
        order = np.lexsort((np.arange(len(ends)), -ends.distance, ends.attacker))
        self._always = ends.requirement[order] < always
        self._cell, self._way = place[ends.cell[order]], ends.sign[order]
        self._distance = ends.distance[order].astype(np.float64)
        self._attacker = ends.attacker[order]
        self._extra = np.zeros(len(cells), np.bool_)
        self._extra[self._cell[~self._always]] = True
        numbers, first = np.unique(self._attacker, return_index=True)
        inside = [place[list(asked[ends.requirement[order[at]]].attacker.known)] for at in first.tolist()]
        self._known = {number: known[known >= 0] for number, known in zip(numbers.tolist(), inside, strict=True)}

    def withheld_besides(
        self, pattern: NDArray[np.bool_], price: NDArray[np.float64], run: Runner
    ) -> NDArray[np.int64] | None:
        """Cells to withhold besides so that the table is safe by itself, if linear programs are asked; None: nothing
        was found.

        pattern: bool (all cells), withheld by now; price: float64 (cells of the table), what each costs.
        """
        forced = pattern[self._cells]
        if not self._needed and not (forced & self._extra).any():
            return self._cells[:0]
        matrix = np.zeros((self._relations, len(self._cells)))
        matrix[self._entry] = self._coefficient
        asked = self._always | forced[self._cell]
        numbers, of_end = np.unique(self._attacker[asked], return_inverse=True)
        known = [self._known[number] for number in numbers.tolist()]
        small = Small(
            matrix,
            self._down,
            self._up,
            price,
            forced,
            self._may,
            self._cell[asked],
            self._way[asked],
            self._distance[asked],
            of_end.astype(np.int64),
            np.cumsum([0, *map(len, known)]).astype(np.int64),
            np.concatenate([np.empty(0, np.int64), *known]),
        )
        answer = np.zeros(len(self._cells), np.bool_)
        effort = EFFORT if is_small(*matrix.shape) else MORE
        if run(protect, small, effort, answer) == FAILED:
            return None
        return self._cells[answer & ~forced]
