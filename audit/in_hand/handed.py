"""Tables that somebody else has in hand, a search that chose a pattern by them: each is checked in whole numbers before
it counts for anything."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.in_hand.axes import Axis
from tableseal.audit.in_hand.tables import columns_of, true_table
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.prepare import Prepared
from tableseal.audit.sparse import row_of_entries, rows_at

Ints = NDArray[np.int64]

MOST = 2**40
"""Units by which a table may move a cell: sums of moves have room in 64 bits (2^20 cells of a row)."""


@dataclass(frozen=True)
class Handed:
    """Tables, told by how they differ from the true one; nothing in them is believed.

    table: int64, which table each change is of, ascending from 0; measure: int64, codes: int32 (changes x variables),
    the cell; move: int64, by how many units.
    """

    table: Ints
    measure: Ints
    codes: NDArray[np.int32]
    move: Ints


@dataclass(frozen=True)
class Shown:
    """Tables that fit a release, beside the true one.

    moves: int64 csr (tables x forms), by how much each form differs from its true value. value: int64 (forms), true
    values of those that are moved.
    """

    moves: csr_array
    value: Ints

    def reached(self) -> tuple[Ints, Ints]:
        """The least and the largest value of each form in these tables and the true one; above each other where none
        moves it."""
        low, high = np.full(len(self.value), NO_UPPER), np.full(len(self.value), NO_LOWER)
        form = self.moves.indices
        np.minimum.at(low, form, self.value[form] + np.minimum(self.moves.data, 0))
        np.maximum.at(high, form, self.value[form] + np.maximum(self.moves.data, 0))
        return low, high


def checked(handed: Handed, prepared: Prepared, reduced: Reduced, axes: list[tuple[Axis, ...]]) -> Shown:
    """The tables that fit a release: base cells within their bounds, every statement kept. Of a table only what it says
    of base cells counts; the rest follows from these."""
    base, forms = prepared.system.base, prepared.system.forms
    true = true_table(prepared, reduced, axes)
    rows, columns, data = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for table in base.tables:
        at = np.flatnonzero(handed.measure == base.blocks[table.block].measure)
        column = columns_of(table, axes[table.block], handed.codes[at])
        here = column >= 0
        rows.append(handed.table[at[here]])
        columns.append(column[here])
        data.append(handed.move[at[here]])
    count = int(handed.table.max(initial=-1)) + 1
    entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))
    moves = csr_array(entries, shape=(count, base.columns), dtype=np.int64)
    column = moves.indices
    after = true.value[column] + np.clip(moves.data, -MOST, MOST)
    bad = reduced.fixed[column] | ~true.known[column] | (moves.data > MOST) | (moves.data < -MOST)
    bad |= (after < reduced.column_lower[column]) | (after > reduced.column_upper[column])
    fits = np.bincount(row_of_entries(moves), bad, count) == 0
    moves = rows_at(moves, np.flatnonzero(fits))
    sums = csr_array(moves @ csr_array(reduced.matrix.T.tocsr()))
    after = (reduced.matrix @ np.where(true.known, true.value, 0))[sums.indices] + sums.data
    broken = (after < reduced.lower[sums.indices]) | (after > reduced.upper[sums.indices])
    moves = rows_at(moves, np.flatnonzero(np.bincount(row_of_entries(sums), broken, sums.shape[0]) == 0))
    moved = csr_array(moves @ csr_array(forms.T.tocsr()))
    moved.eliminate_zeros()
    unknown = np.bincount(row_of_entries(forms), ~true.known[forms.indices], forms.shape[0]) > 0
    fits = np.bincount(row_of_entries(moved), unknown[moved.indices], moved.shape[0]) == 0
    return Shown(rows_at(moved, np.flatnonzero(fits)), forms @ np.where(true.known, true.value, 0))
