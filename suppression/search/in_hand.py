"""One table for each end: what shows a pattern to be safe, where a pool of many tables would take gigabytes.

A pattern of the cells that these tables move, and of primaries, is safe; a cell that none moves may be published.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.decision.ends import Ends
from tableseal.audit.decision.witnesses import FeasibleTable
from tableseal.audit.in_hand.handed import Handed
from tableseal.suppression.problem.problem import Problem

Pattern = NDArray[np.bool_]


class InHand:
    """Tables for ends, each of which meets its end.

    Attributes
    ----------
    table: of each end (None: none yet). used: int64 (cells), how many of them move each. moving: ends whose tables move
    a cell.
    """

    def __init__(self, problem: Problem, ends: Ends) -> None:
        self._problem, self.ends = problem, ends
        self.table: list[FeasibleTable | None] = [None] * len(ends)
        self.used = np.zeros(len(problem.cost), np.int64)
        self.moving: dict[int, set[int]] = {}

    @property
    def pattern(self) -> Pattern:
        """bool (cells): primaries, and what is moved."""
        found: Pattern = self._problem.primary | (self.used > 0)
        return found

    def pattern_of(self, cells: NDArray[np.int64]) -> Pattern:
        """bool: the same of some cells."""
        found: Pattern = self._problem.primary[cells] | (self.used[cells] > 0)
        return found

    @property
    def missing(self) -> NDArray[np.int64]:
        """Ends without a table."""
        return np.array([e for e, table in enumerate(self.table) if table is None], np.int64)

    @property
    def complete(self) -> bool:
        """Whether these tables show that all requirements are met."""
        return all(table is not None for table in self.table)

    def put(self, end: int, table: FeasibleTable | None) -> None:
        """A table for an end, in place of the one that it has."""
        before = self.table[end]
        if before is not None:
            self.used[before.cells] -= 1
            for cell in before.cells.tolist():
                self.moving[cell].discard(end)
        self.table[end] = table
        if table is not None:
            self.used[table.cells] += 1
            for cell in table.cells.tolist():
                self.moving.setdefault(cell, set()).add(end)

    def offer(self, tables: Sequence[FeasibleTable]) -> None:
        """Tables for ends that have none: of those that meet one the table that costs least beside the others."""
        if not tables:
            return
        size = [len(table.cells) for table in tables]
        number = np.repeat(np.arange(len(tables)), size)
        cells = np.concatenate([table.cells for table in tables])
        moves = np.concatenate([table.moves for table in tables])
        parts = np.repeat(np.array([table.denominator for table in tables], np.int64), size)
        found: dict[int, list[int]] = {}
        for at, end in zip(*(a.tolist() for a in self.ends.shown_by(number, cells, moves, parts)), strict=True):
            if self.table[end] is None:
                found.setdefault(end, []).append(at)
        for end, those in found.items():
            self.put(
                end, tables[min(those, key=lambda at: self._dear(tables[at]))] if len(those) > 1 else tables[those[0]]
            )

    def _dear(self, table: FeasibleTable) -> int:
        """What a table costs besides."""
        return int(self._problem.cost[table.cells[~self.pattern_of(table.cells)]].sum())

    @property
    def tables(self) -> list[FeasibleTable]:
        """The tables, once each."""
        return list({table.key: table for table in self.table if table is not None}.values())

    def handed(self) -> Handed:
        """The tables for an audit."""
        return as_handed(self._problem, self.tables)


def as_handed(problem: Problem, tables: Iterable[FeasibleTable]) -> Handed:
    """Those tables that change cells by whole units, as an audit takes them."""
    tables = [table for table in tables if table.denominator == 1]
    number = np.repeat(np.arange(len(tables)), [len(table.cells) for table in tables])
    at = np.concatenate([np.empty(0, np.int64), *(table.cells for table in tables)])
    moves = np.concatenate([np.empty(0, np.int64), *(table.moves for table in tables)])
    return Handed(number, problem.cells.measure[at].astype(np.int64), problem.cells.codes[at], moves)
