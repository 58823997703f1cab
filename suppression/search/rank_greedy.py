"""Withhold more and more cells so that each takes as much rank as it can."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.measures.rank import PRIME
from tableseal.audit.measures.subspace import Column, Subspace, Vector

Afford = Callable[[list[int], list[int]], int]
"""(cells withheld so far, further ones in this order) -> how many of the further ones the budget has room for."""


def grow(
    vectors: list[Vector],
    start: NDArray[np.bool_],
    candidates: NDArray[np.int64],
    cost: NDArray[np.int64],
    afford: Afford,
) -> NDArray[np.bool_]:
    """A pattern around `start` with much rank decrease, within a budget.

    Every cell that takes one off the rank at once is taken, cheapest first. Where there is none, one cell of the class
    that then gives most: cells of one class can all be computed from each other, so that withholding one makes each of
    the others take one off. What was added last without any gain is left out.

    vectors: dependencies between cells; start: bool (cells); candidates: cells that may be added; cost: int64 (cells).
    """
    space = Subspace(vectors, PRIME)
    for cell in np.flatnonzero(start).tolist():
        space.vanish(cell)
    classes = _Classes(space, sorted(candidates[~start[candidates]].tolist(), key=lambda c: (int(cost[c]), c)), cost)
    added: list[int] = []
    useful = 0
    while True:
        free = classes.free()
        room = afford(added, free)
        if room:
            for cell in free[:room]:
                classes.withhold(cell)
            added += free[:room]
            useful = len(added)
            if room < len(free):
                break
        elif free:
            break
        chosen = classes.most_promising(added, afford)
        if chosen is None:
            break
        classes.withhold(chosen)
        added.append(chosen)
    pattern = start.copy()
    pattern[added[:useful]] = True
    return pattern


class _Classes:
    """Candidates by what they can be computed from."""

    def __init__(self, space: Subspace, candidates: list[int], cost: NDArray[np.int64]) -> None:
        self._space, self._cost = space, cost
        self._column: dict[int, Column] = {c: space.column(c) for c in candidates}
        self._members: dict[Column, list[int]] = {}
        for cell, column in self._column.items():
            self._members.setdefault(column, []).append(cell)

    def _order(self, cell: int) -> tuple[int, int]:
        return int(self._cost[cell]), cell

    def free(self) -> list[int]:
        """Candidates that take one off the rank at once, cheapest first."""
        return sorted(self._members.get((), []), key=self._order)

    def withhold(self, cell: int) -> None:
        """Take a candidate; others may change their class."""
        self._leave(cell)
        del self._column[cell]
        for changed in self._space.vanish(cell):
            if changed in self._column:
                self._leave(changed)
                self._column[changed] = self._space.column(changed)
                self._members.setdefault(self._column[changed], []).append(changed)

    def _leave(self, cell: int) -> None:
        column = self._column[cell]
        self._members[column].remove(cell)
        if not self._members[column]:
            del self._members[column]

    def most_promising(self, added: list[int], afford: Afford) -> int | None:
        """The cheapest cell of the class of which most can be withheld; of equal ones the cheaper, then the one that
        fewest dependencies use. None: there is no room for any."""
        best: tuple[tuple[int, int, int, int], int] | None = None
        for column, members in self._members.items():
            if len(members) == 1:
                continue
            cells = sorted(members, key=self._order)
            room = afford(added, cells)
            if room > 1:
                price = sum(int(self._cost[c]) for c in cells[:room])
                score = (-room, price, len(column), cells[0])
                if best is None or score < best[0]:
                    best = score, cells[0]
        if best is not None:
            return best[1]
        alone = min(self._column, key=lambda c: (int(self._cost[c]), len(self._column[c]), c), default=None)
        return alone if alone is not None and afford(added, [alone]) else None
