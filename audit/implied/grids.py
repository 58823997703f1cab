"""All combinations that a release speaks of: for each base table the cross product of its axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import LimitError
from tableseal.audit.in_hand.axes import Axis, axis_of
from tableseal.audit.linear.base import BaseTable
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.model import Release
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import csr, row_of_entries, rows_at

AT_ONCE = 4_000_000
"""Combinations that are looked at together."""


@dataclass(frozen=True)
class Grid:
    """The combinations of one base table: a point of each axis of its variables, all others at the block's total.

    Attributes
    ----------
    table: the base table. measure: its measure.
    axes: of every variable of the release.
    spoken: bool (shape), combinations that a row lists (or that follow from `absent`), or that another grid has.
    columns: of the whole system.
    """

    table: BaseTable
    measure: int
    axes: tuple[Axis, ...]
    spoken: NDArray[np.bool_]
    columns: int

    @property
    def own(self) -> list[Axis]:
        """Axes of the table's variables."""
        return [self.axes[v] for v in self.table.variables]

    @cached_property
    def unlisted(self) -> NDArray[np.int64]:
        """Positions in the grid of the combinations that no row lists, ascending."""
        return np.flatnonzero(~self.spoken.ravel())

    def sums(self, vector: NDArray[np.int64], modulus: int = 0) -> NDArray[np.int64]:
        """For each combination in `unlisted` the sum of a vector (columns of the system) over its base cells.

        modulus: of sums that only matter modulo a prime below 2^31.

        Raises
        ------
        LimitError: sums beyond 2^62.
        """
        own = vector[self.table.offset : self.table.offset + self.table.size].reshape(self.table.shape)
        if not modulus and np.abs(own.astype(np.float64)).sum() * 1.01 >= float(NO_UPPER):
            raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
        if not self.own:
            return own.reshape(1)[self.unlisted]
        first, *others = (axis.points for axis in self.own)
        rest = prod(len(axis) for axis in self.own[1:])
        step = max(1, AT_ONCE // max(rest, 1))
        parts = []
        for begin in range(0, first.shape[0], step):
            some = rows_at(first, np.arange(begin, min(begin + step, first.shape[0])))
            values = along(own, some, 0, modulus)
            for k, points in enumerate(others, start=1):
                values = along(values, points, k, modulus)
            low, high = np.searchsorted(self.unlisted, [begin * rest, (begin + some.shape[0]) * rest])
            parts.append(values.ravel()[self.unlisted[low:high] - begin * rest])
        return np.concatenate(parts)

    def spread(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64 (columns): in how many of some unlisted combinations each base cell is (1 in all, where the grid is
        large)."""
        spread = np.zeros(self.columns, np.int64)
        inside = slice(self.table.offset, self.table.offset + self.table.size)
        if self.spoken.size > AT_ONCE or not which.any():
            spread[inside] = which.any()
            return spread
        flat = np.zeros(self.spoken.size, np.int64)
        flat[self.unlisted[which]] = 1
        marked: NDArray[np.int64] = flat.reshape(self.spoken.shape)
        for k, axis in enumerate(self.own):
            marked = along(marked, csr_array(axis.points.T.tocsr()), k)
        spread[inside] = marked.ravel()
        return spread

    def is_count(self, release: Release) -> bool:
        """Whether it counts."""
        return list(release.measures.values())[self.measure].kind == "count"

    def points(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """(combinations x variables of the release) point of each axis, for positions in the grid."""
        result = np.tile(np.array([axis.whole for axis in self.axes], np.int64), (len(which), 1))
        if self.own:
            result[:, list(self.table.variables)] = np.stack(
                np.unravel_index(which, [len(axis) for axis in self.own]), axis=1
            )
        return result

    def sizes(self) -> NDArray[np.float64]:
        """How many base cells each combination in `unlisted` is a sum of."""
        at = np.unravel_index(self.unlisted, [len(a) for a in self.own]) if self.own else ()
        size = np.ones(len(self.unlisted))
        for axis, point in zip(self.own, at, strict=True):
            size *= np.diff(axis.points.indptr)[point]
        return size

    def forms(self, which: NDArray[np.int64]) -> csr_array:
        """(combinations x columns) what each combination is a sum of."""
        count = len(which)
        row, column = np.arange(count), np.full(count, self.table.offset, np.int64)
        stride = self.table.size
        at = np.unravel_index(which, [len(a) for a in self.own]) if self.own else ()
        for axis, point in zip(self.own, at, strict=True):
            stride //= axis.points.shape[1]
            chosen = rows_at(axis.points, point[row])
            column = column[row_of_entries(chosen)] + stride * chosen.indices.astype(np.int64)
            row = row[row_of_entries(chosen)]
        order = np.lexsort((column, row))
        indptr = np.searchsorted(row, np.arange(count + 1))
        return csr(np.ones(len(column), np.int64), column[order], indptr, (count, self.columns))


def along(values: NDArray[np.int64], points: csr_array, axis: int, modulus: int = 0) -> NDArray[np.int64]:
    """Sums over the atoms of each point of one axis (modulo a prime, if that is not 0)."""
    moved = np.moveaxis(values, axis, 0)
    summed = points @ moved.reshape(moved.shape[0], -1)
    if modulus:
        summed %= modulus
    return np.moveaxis(summed.reshape((points.shape[0], *moved.shape[1:])), 0, axis)


def axes_of(prepared: Prepared) -> list[tuple[Axis, ...]]:
    """The axes of every block."""
    base, hierarchies = prepared.system.base, list(prepared.release.variables.values())
    axes = []
    for block in base.blocks:
        same = [b for b in base.blocks if b.measure == block.measure]
        axes.append(tuple(axis_of(h, same, block, v) for v, h in enumerate(hierarchies)))
    return axes


def grids(prepared: Prepared, axes: Sequence[tuple[Axis, ...]]) -> Iterator[Grid]:
    """A grid for each base table in which something is not listed; axes: see `axes_of`."""
    base, cells = prepared.system.base, prepared.cells
    for position, table in enumerate(base.tables):
        block = base.blocks[table.block]
        own = axes[table.block]
        shape = tuple(len(own[v]) for v in table.variables)
        spoken = np.zeros(shape, np.bool_)
        for k, v in enumerate(table.variables):
            if not own[v].adds_up:
                spoken[(slice(None),) * k + (own[v].whole,)] = True
        for earlier in base.tables[:position]:
            if earlier.block == table.block:
                _seen(spoken, table, earlier, own)
        mark(spoken, table, own, cells.codes[cells.measure == block.measure])
        if not spoken.all():
            yield Grid(table, block.measure, own, spoken, base.columns)


def _seen(spoken: NDArray[np.bool_], table: BaseTable, earlier: BaseTable, axes: Sequence[Axis]) -> None:
    """Mark combinations that an earlier base table has: everything at the total but what both cross."""
    place = tuple(slice(None) if v in earlier.variables else axes[v].whole for v in table.variables)
    spoken[place] = True


def mark(spoken: NDArray[np.bool_], table: BaseTable, axes: Sequence[Axis], codes: NDArray[np.int32]) -> None:
    """Mark cells (n x variables of the release) that the grid has."""
    points = np.stack([axis.point[codes[:, v]] for v, axis in enumerate(axes)], axis=1)
    here = (points >= 0).all(axis=1)
    for v, axis in enumerate(axes):
        if v not in table.variables:
            here &= points[:, v] == axis.whole
    if here.any():  # a table of no variable has one combination, which no position stands for
        spoken[tuple(points[here, v] for v in table.variables)] = True
