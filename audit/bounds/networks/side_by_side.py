"""Small networks side by side are one network: hundreds of them cost as much as one of their size."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.networks.matrix import opposed
from tableseal.audit.linear.integers import NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import row_of_entries, rows_at, stacked, transposed

COLUMNS = 4_000
"""Columns from which a component stays by itself, and up to which smaller ones are put together."""

MAGNITUDE = 2.0**44
"""Bounds of one component that add up to more keep it by itself: flows must fit 64 bits."""

Ints = NDArray[np.int64]


def together(reduced: Reduced, pieces: csr_array, start: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """(which component of a coarser division each component belongs to, numbered in the order of first members; which
    of those are no networks).

    pieces: csr (pieces x columns), targets; those of component c are start[c]:start[c + 1].
    """
    count = reduced.components
    apart = _not_network(reduced, pieces, np.repeat(np.arange(count), np.diff(start)))
    inside = np.flatnonzero(reduced.component >= 0)
    size = np.bincount(reduced.component[inside], minlength=count)
    bounds = np.abs(np.stack([reduced.column_lower[inside], reduced.column_upper[inside]]).astype(np.float64))
    finite = np.where(bounds < float(NO_UPPER), bounds, 0.0).sum(axis=0)
    heavy = np.bincount(reduced.component[inside], finite, count) + _of_rows(reduced) >= MAGNITUDE
    # Nobody asks about those without pieces; they are looked at one by one, and only for a table.
    alone = apart | heavy | (size >= COLUMNS) | (np.diff(start) == 0)
    before = np.cumsum(np.where(alone, 0, size)) - np.where(alone, 0, size)
    group = np.where(alone, -1 - np.arange(count), before // COLUMNS)
    _, first, label = np.unique(group, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    order = np.argsort(first)
    number[order] = np.arange(len(first))
    return np.asarray(number[label.ravel()], dtype=np.int64), apart[first[order]]


def _row_labels(reduced: Reduced) -> Ints:
    matrix = reduced.matrix
    return np.asarray(reduced.component[matrix.indices[matrix.indptr[:-1]]], dtype=np.int64)


def _of_rows(reduced: Reduced) -> NDArray[np.float64]:
    bounds = np.abs(np.stack([reduced.lower, reduced.upper]).astype(np.float64))
    finite = np.where(bounds < float(NO_UPPER), bounds, 0.0).sum(axis=0)
    return np.bincount(_row_labels(reduced), finite, reduced.components).astype(np.float64)


def _not_network(reduced: Reduced, pieces: csr_array, owner: Ints) -> NDArray[np.bool_]:
    """Components that are no network whose arcs all pieces are, as they stand."""
    longer = np.flatnonzero(np.diff(pieces.indptr) > 1)
    matrix = stacked([reduced.matrix, rows_at(pieces, longer)])
    of_row = np.concatenate([_row_labels(reduced), owner[longer]])
    of_entry = of_row[row_of_entries(matrix)]
    apart = np.zeros(reduced.components, np.bool_)
    apart[np.repeat(owner, np.diff(pieces.indptr))[pieces.data != 1]] = True
    apart[of_entry[np.abs(matrix.data) != 1]] = True
    crowded = np.bincount(matrix.indices, minlength=matrix.shape[1]) > 2
    apart[of_entry[crowded[matrix.indices]]] = True
    rows = np.flatnonzero(~apart[of_row])
    apart[of_row[rows[opposed(transposed(rows_at(matrix, rows)))[1]]]] = True
    return apart
