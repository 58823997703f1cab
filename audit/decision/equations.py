"""The relations between the cells of a release, whoever is withheld: what every pattern of suppression has in common.

Where the audit has one row for each released cell, here every cell is a column, and a row is a relation that holds
between cells: a total and its parts, two tables that share a margin, a link. Withholding a cell only frees its column.
Base cells that are no cells of the release themselves are further columns, free in every pattern.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.sparse import csr


@dataclass(frozen=True)
class Equations:
    """lower <= matrix @ x <= upper for the values x of all columns: first the cells, then further base cells.

    Attributes
    ----------
    matrix: int64 csr (relations x columns); by_column: the same, transposed.
    lower, upper: int64 (relations); equal but for links with two different bounds.
    column_lower, column_upper: int64 (columns), what an intruder knows of a column whose value is not published.
    value: int64 (columns), a table that satisfies everything: the true one wherever the agency has given it.
    always_open: bool (columns), never published exactly: rounded cells, cells without a value, base cells.
    cells: number of cells. further: int64, the base cells of the linear system that all columns behind these are.
    short: int64 csr (short relations x columns), every "whole = its parts" that holds, in all directions: more than
        `matrix` needs, each of them equal to zero, and none with an open column among it.
    """

    matrix: csr_array
    by_column: csr_array
    short: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    column_lower: NDArray[np.int64]
    column_upper: NDArray[np.int64]
    value: NDArray[np.int64]
    always_open: NDArray[np.bool_]
    cells: int
    further: NDArray[np.int64]

    def seen_by(self, attacker: Attacker) -> "Equations":
        """As somebody sees them who gave something to cells: they hold at least that, because no value is negative."""
        if not attacker.shares:
            return self
        cells, units = np.array(attacker.shares, np.int64).T
        lower = self.column_lower.copy()
        lower[cells] = np.maximum(lower[cells], units)
        return replace(self, column_lower=lower)

    def component(self, columns: NDArray[np.int64], targets: csr_array) -> Component:
        """The columns as a component, all others published at their value.

        targets: int64 csr over the given columns.
        """
        rows = np.unique(self.by_column[columns].indices)
        local = csr_array(self.matrix[rows])
        inside = csr_array(local[:, columns])
        # What the other columns add up to, from the whole and the inside: both are sparse products over few rows.
        rest = product(local, self.value) - product(inside, self.value[columns])
        return Component(
            inside,
            np.where(self.lower[rows] == NO_LOWER, NO_LOWER, self.lower[rows] - rest),
            np.where(self.upper[rows] == NO_UPPER, NO_UPPER, self.upper[rows] - rest),
            self.column_lower[columns],
            self.column_upper[columns],
            targets,
        )

    def allow(self, columns: NDArray[np.int64], moves: NDArray[np.int64], denominator: int = 1) -> bool:
        """Whether the relations still hold if the columns (int64) move by so much from their values, all others not.

        moves: int64, in 1 / denominator; of fractions it is only said that they are allowed where no link moves.
        """
        which, row, coefficient = stored(self.by_column, columns)
        if np.abs(moves.astype(np.float64)[which] * coefficient).sum() >= NO_UPPER:
            return False
        touched, position = np.unique(row, return_inverse=True)
        moved = np.zeros(len(touched), np.int64)
        np.add.at(moved, position, coefficient * moves[which])
        touched, moved = touched[moved != 0], moved[moved != 0]
        if len(touched) == 0:
            return True
        if (self.lower[touched] == self.upper[touched]).any() or (denominator > 1 and len(touched)):
            return False
        held = product(csr_array(self.matrix[touched]), self.value) + moved
        return bool(((held >= self.lower[touched]) & (held <= self.upper[touched])).all())

    @property
    def broken(self) -> NDArray[np.int64]:
        """int64: relations that the values do not keep."""
        held = product(self.matrix, self.value)
        return np.flatnonzero((held < self.lower) | (held > self.upper))

    def opened(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (columns): those that are open where a pattern (bool, cells) withholds cells."""
        columns = self.always_open.copy()
        columns[: self.cells] |= pattern
        return columns

    def components(
        self, label: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Component]]:
        """Of each group (see `groups`) that holds some of these cells: (which of them, its columns, the group as a
        component with these cells as targets). Published cells are in none."""
        of_cell = label[cells]
        for group in np.unique(of_cell[of_cell >= 0]).tolist():
            asked, columns = np.flatnonzero(of_cell == group), np.flatnonzero(label == group)
            at, indptr = np.searchsorted(columns, cells[asked]), np.arange(len(asked) + 1)
            targets = csr(np.ones(len(asked), np.int64), at, indptr, (len(asked), len(columns)))
            yield asked, columns, self.component(columns, targets)

    def groups(self, open_columns: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Label of the connected group of each open column, -1 elsewhere; in the order of their first columns."""
        if (self.always_open & ~open_columns).any():
            more, column, row = open_columns, *_joined(self.by_column, np.zeros(len(open_columns), np.bool_))
        else:
            more, (column, row) = open_columns & ~self.always_open, self._always_joined
        at = np.flatnonzero(more)
        which, touched, _ = stored(self.by_column, at)
        nodes = 1 + int(max(row.max(initial=-1), column.max(initial=-1)))
        column = column.copy()
        column[at] = nodes + np.arange(len(at))
        label = connected(nodes + len(at), column[at][which], row[touched])
        open_ones = np.flatnonzero(open_columns)
        _, first, group = np.unique(label[column[open_ones]], return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        result = np.full(len(open_columns), -1, dtype=np.int64)
        result[open_ones] = rank[group.ravel()]
        return result

    @cached_property
    def _always_joined(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """See `_joined`: what hangs together in every pattern. A search asks for groups at every step, and where cells
        that no row lists are protected these are nearly all columns."""
        return _joined(self.by_column, self.always_open)


def _joined(by_column: csr_array, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(part of each chosen column, part of each row) where rows hang together through the chosen columns; -1: a column
    that is not chosen."""
    at = np.flatnonzero(chosen)
    which, row, _ = stored(by_column, at)
    label = connected(len(at) + by_column.shape[1], which, len(at) + row)
    column = np.full(len(chosen), -1, np.int64)
    column[at] = label[: len(at)]
    return column, label[len(at) :]


def connected(nodes: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which part of a graph each node is in; its edges are pairs of nodes."""
    from scipy.sparse.csgraph import connected_components  # late: 0.1 s

    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(nodes, nodes))
    label: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return label


def stored(
    matrix: csr_array, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(position among `rows`, column, value) of what some rows of a matrix hold; as slicing gives, but faster."""
    start, length = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    which = np.repeat(np.arange(len(rows)), length)
    at = np.arange(len(which)) + np.repeat(start - np.cumsum(length) + length, length)
    return which, matrix.indices[at].astype(np.int64), matrix.data[at]
