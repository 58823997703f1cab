"""What tables that were handed over show to attackers: looked up for all of them at once, before any is asked."""

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.asked import Asked
from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.decision.witnesses import FeasibleTable, Witnesses
from tableseal.audit.in_hand.handed import Shown
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.sparse import row_of_entries

TOGETHER = 500
"""Attackers that are looked at together (of 7,635 with 11,856 cells each the numbers of all would take 2 GB)."""


def left_open(asked: Iterable[Asked], shown: Shown) -> Iterator[Asked]:
    """Attackers with the cells that no table shows them to be far enough from, if there are any.

    A table shows something to an attacker if it leaves alone all cells of which it knows more than everybody.
    """
    requirements = _Numbered(shown.moves.shape[1])
    start = np.searchsorted(row_of_entries(shown.moves), np.arange(shown.moves.shape[0] + 1)).tolist()
    cells, moves = shown.moves.indices.astype(np.int64), shown.moves.data
    tables = [FeasibleTable(cells[a:b], moves[a:b]) for a, b in pairwise(start) if a < b]
    everything, attackers = np.ones(shown.moves.shape[1], np.bool_), iter(asked)
    witnesses: Witnesses | None = None
    while block := list(islice(attackers, TOGETHER)):
        numbers = [requirements.of(one) for one in block]
        needs = [_need(*key) for key in requirements.keys]
        ends = ends_of(needs, shown.value, shown.moves.shape[1])
        if witnesses is None:
            witnesses = Witnesses(shown.moves.shape[1], max(1, len(tables)), ends)
            witnesses.add_all(tables)
        else:
            witnesses.ask(ends)
        times, of_set, end = witnesses.lost_without(everything, [one.attacker.involved for one in block])
        met = ends.requirements_met(times > 0)
        for place, (one, own) in enumerate(zip(block, numbers, strict=True)):
            lost = ends.requirement[end[slice(*np.searchsorted(of_set, [place, place + 1]))]]
            left = _only(one, ~met[own] | np.isin(own, lost))
            if len(left.cells):
                yield left


class _Numbered:
    """Requirements by number, in the order in which they were first asked for.

    keys: (cell, low, high) -> number. first: int64 (cells x 3), low, high and number of the first of each cell, which
    nearly all others are like (-1: none yet).
    """

    def __init__(self, cells: int) -> None:
        self.keys: dict[tuple[int, int, int], int] = {}
        self.first = np.full((cells, 3), -1, np.int64)

    def of(self, asked: Asked) -> NDArray[np.int64]:
        """int64 (cells that an attacker is asked about)."""
        cells, low, high = asked.cells, asked.low, asked.high
        first = self.first[cells]
        numbers = np.where((first[:, 0] == low) & (first[:, 1] == high), first[:, 2], -1)
        for at in np.flatnonzero(numbers < 0).tolist():
            key = int(cells[at]), int(low[at]), int(high[at])
            numbers[at] = self.keys.setdefault(key, len(self.keys))
            if self.first[key[0], 2] < 0:
                self.first[key[0]] = *key[1:], numbers[at]
        return numbers


def _need(cell: int, low: int, high: int) -> Requirement:
    return Requirement(cell, None if low == NO_UPPER else low, None if high == NO_LOWER else high)


def _only(asked: Asked, cells: NDArray[np.bool_]) -> Asked:
    """An attacker with some of its cells."""
    return Asked(asked.attacker, asked.cells[cells], asked.low[cells], asked.high[cells], asked.doubtful[cells])
