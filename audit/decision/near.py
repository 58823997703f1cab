"""What lies near a column: the part of a large program that mostly answers it.

A table that moves one cell mostly changes a few cells around it, and what keeps a cell from moving mostly lies in the
relations around it, too. A program over a few columns takes a tenth of the time of the whole one, however little either
has to do (French counts, 11,201 columns: 3 ms instead of 30).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.regions import Floats, Ints, Region
from tableseal.audit.solvers.protocol import Problem as Program
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import row_of_entries

NEAR = (150, 1_000, 5_000)
"""Columns that are near, and further columns that are asked if these are not enough: as far as they are half of all
(66,810 cells: where 1,000 are not enough, 5,000 mostly are, and take 15 ms in place of 50)."""

REACH, FURTHER, FURTHEST = 16.0, 1.25, 400.0
"""How far is looked at first, and how many times as far then; beyond that everywhere (10,449 columns: the nearest 150
of one within 20, 0.06 ms; all of them 1.6 ms)."""

SETTLED = 1e-7
"""What a unit of a column further away may gain, beside a unit of the cell in question, without being worth it."""


class NearProgram:
    """Moves of a few columns of a region: up, then down.

    Attributes
    ----------
    near: int64, the columns; taken: int64, their moves among those of all columns. rows: int64, of the region.
    """

    def __init__(self, region: Region, by_column: csr_array, near: Ints, solver: Solver) -> None:
        """by_column: the region's matrix, transposed."""
        self.near = near
        self.taken = np.concatenate([near, len(region.columns) + near])
        column, row, coefficient = stored(by_column, near)
        self.rows, own = np.unique(row, return_inverse=True)
        entries = np.tile(own, 2), np.concatenate([column, len(near) + column])
        both = csr_array((np.concatenate([coefficient, -coefficient]), entries), (len(self.rows), len(self.taken)))
        still = np.zeros(len(self.taken))
        self.warm = solver.warm(Program(both, region.low[self.rows], region.high[self.rows], still, still))
        self.still = still


class Nearby:
    """Columns by how many others one meets on the way: relations of few open columns are short ways.

    What is near is found out once for each column, with the columns that were open then.
    """

    def __init__(self, region: Region, solver: Solver, kept: int) -> None:
        """kept: columns of programs that are kept, those of the latest ones."""
        self._region, self._solver, self._room = region, solver, kept
        self._rows, self._columns = region.matrix, csr_array(region.matrix.T.tocsr())
        self._open = self._known = np.zeros(len(region.columns), np.bool_)
        self._ways = csr_array((0, 0))
        self._order: dict[int, tuple[Ints, float]] = {}
        self._reach = dict.fromkeys(NEAR, REACH)
        self._programs: dict[tuple[int, int], NearProgram] = {}
        self._kept = 0

    @property
    def steps(self) -> tuple[int, ...]:
        """Numbers of columns worth asking before all."""
        return tuple(most for most in NEAR if most <= len(self._open) / 2)

    def open(self, columns: NDArray[np.bool_]) -> None:
        """Which columns can move from now on."""
        self._open = columns
        if (columns & ~self._known).any():
            self._known = columns
            self._order.clear()
            self._programs.clear()
            self._kept = 0
            rows, count = self._rows, self._rows.shape[1]
            row = row_of_entries(rows)
            inside = columns[rows.indices]
            row, column = row[inside], rows.indices[inside]
            length = np.bincount(row, minlength=rows.shape[0])
            ends = np.concatenate([column, count + row]), np.concatenate([count + row, column])
            steps = np.concatenate([length[row], np.full(len(row), 0.5)])
            self._ways = csr_array(coo_array((steps, ends), shape=(count + rows.shape[0],) * 2))

    def program(self, move: int, most: int) -> NearProgram:
        """The program over the nearest open columns of a move (of those up, then down, of all columns)."""
        column = move % len(self._open)
        if (column, most) in self._programs:
            self._programs[column, most].warm.forget()
        else:
            while self._programs and self._kept > self._room - most:
                oldest = next(iter(self._programs))
                del self._programs[oldest]
                self._kept -= oldest[1]
            near = self._around(column, most)
            self._programs[column, most] = NearProgram(self._region, self._columns, near, self._solver)
            self._kept += most
        return self._programs[column, most]

    def _around(self, column: int, most: int) -> Ints:
        """The nearest open columns (int64, ascending), the column itself among them."""
        order, reach = self._order.get(column, (np.empty(0, np.int64), 0.0))
        near = order[self._open[order]]
        while len(near) < most and reach < np.inf:
            reach = self._reach[most] if reach < self._reach[most] else FURTHER * reach
            if reach > FURTHEST:
                reach = np.inf
            order = self._within(column, reach)
            near = order[self._open[order]]
            self._order[column] = order, reach
        if reach < np.inf:
            self._reach[most] = reach
        return np.sort(near[:most])

    def _within(self, column: int, reach: float) -> Ints:
        """Columns up to so far away, the nearest first."""
        from scipy.sparse.csgraph import dijkstra  # late: 0.1 s

        far = dijkstra(self._ways, indices=column, limit=reach)[: len(self._open)]
        found = np.flatnonzero(np.isfinite(far))
        return found[np.argsort(far[found], kind="stable")]

    def settles(
        self,
        multipliers: Floats,
        up: NDArray[np.bool_],
        down: NDArray[np.bool_],
        taken: Ints,
        cost: Floats | float = 0.0,
    ) -> bool:
        """Whether no other column is worth moving, at the multipliers (rows) of a program over some columns.

        up, down: bool (columns), those that can rise, and fall; cost: of a unit of each other column.
        """
        gain = self._columns @ multipliers
        gain[taken] = 0.0
        worth = cost + SETTLED
        return not bool((up & (gain > worth)).any() or (down & (gain < -worth)).any())
