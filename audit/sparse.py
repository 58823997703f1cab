"""Sparse matrices of whole numbers without what scipy asks and checks at each call.

All matrices are scipy's `csr_array`, so everything else can be done with them too. What scipy does before and after it
computes takes 40 to 150 microseconds a call, whatever the size, and audits of small tables make hundreds of them: here
arrays that are right by construction become a matrix as they are, and small matrices are taken apart and put together
in a few array operations (2 to 20 microseconds).
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

SMALL = 20_000
"""Entries up to which plain array operations are quicker than scipy's."""

AT_ONCE = 20_000_000
"""Entries of factors that are multiplied at the same time where most of a product comes out as 0."""

_MOST = 2**31 - 1
_ATTRIBUTES = vars(csr_array((1, 1), dtype=np.int64))
_AS_EXPECTED = set(_ATTRIBUTES) == {"_shape", "maxprint", "data", "indices", "indptr"}
"""Whether a matrix of the scipy that is installed is made of what we know."""


def csr(
    data: NDArray[np.integer],
    indices: NDArray[np.integer],
    indptr: NDArray[np.integer],
    shape: tuple[int, int],
) -> csr_array:
    """The matrix of these arrays, which are not checked: `csr_array((data, indices, indptr), shape=shape)`."""
    if not _AS_EXPECTED:
        return csr_array((data, indices, indptr), shape=shape)
    width = np.int32 if len(data) <= _MOST and shape[0] <= _MOST and shape[1] <= _MOST else np.int64
    result = csr_array.__new__(csr_array)
    vars(result).update(
        _ATTRIBUTES,
        _shape=(int(shape[0]), int(shape[1])),
        data=data,
        indices=indices.astype(width, copy=False),
        indptr=indptr.astype(width, copy=False),
    )
    return result


def empty(columns: int) -> csr_array:
    """No rows."""
    nothing = np.empty(0, np.int64)
    return csr(nothing, nothing, np.zeros(1, np.int64), (0, columns))


def row_of_entries(matrix: csr_array) -> NDArray[np.int64]:
    """int64 (entries): the row of each stored entry."""
    result: NDArray[np.int64] = np.arange(matrix.shape[0]).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    return result


def entries(matrix: csr_array, wanted: NDArray[np.bool_]) -> csr_array:
    """The matrix with some of its stored entries only."""
    before = np.zeros(len(wanted) + 1, np.int64)
    wanted.cumsum(out=before[1:])
    return csr(matrix.data[wanted], matrix.indices[wanted], before[matrix.indptr], matrix.shape)


def without_zeros(matrix: csr_array) -> csr_array:
    """The matrix without stored zeros."""
    return matrix if matrix.data.all() else entries(matrix, matrix.data != 0)


def rows_at(matrix: csr_array, at: NDArray[np.integer]) -> csr_array:
    """The rows at these positions: `matrix[at]`. All of them in order are the matrix itself, not a copy."""
    if len(at) == matrix.shape[0] and (at == np.arange(len(at))).all():
        return matrix
    start = matrix.indptr[at]
    size = matrix.indptr[at + 1] - start
    indptr = np.zeros(len(at) + 1, np.int64)
    size.cumsum(out=indptr[1:])
    if indptr[-1] > SMALL:
        return csr_array(matrix[at])
    place = (start - indptr[:-1]).repeat(size) + np.arange(indptr[-1])
    return csr(matrix.data[place], matrix.indices[place], indptr, (len(at), matrix.shape[1]))


def spans(start: NDArray[np.integer], which: NDArray[np.integer]) -> NDArray[np.int64]:
    """The positions start[w] to start[w + 1] - 1 of each w of `which`, one after another."""
    first = start[which]
    size = start[which + 1] - first
    end = size.cumsum()
    result: NDArray[np.int64] = (first - end + size).repeat(size) + np.arange(end[-1] if len(end) else 0)
    return result


def stacked(parts: Sequence[csr_array]) -> csr_array:
    """Matrices of as many columns, one below the other (at least one)."""
    filled = [part for part in parts if part.shape[0]] or list(parts[:1])
    if len(filled) == 1:
        return filled[0]
    start = np.cumsum([0, *(len(part.data) for part in filled)])
    indptr = np.concatenate([part.indptr[:-1] + first for part, first in zip(filled, start[:-1], strict=True)])
    return csr(
        np.concatenate([part.data for part in filled]),
        np.concatenate([part.indices for part in filled]),
        np.append(indptr, start[-1]),
        (len(indptr), filled[0].shape[1]),
    )


def transposed(matrix: csr_array) -> csr_array:
    """Its columns as rows, each in the order of rows."""
    if len(matrix.data) > SMALL:
        return csr_array(matrix.T.tocsr())
    rows, columns = matrix.shape
    order = matrix.indices.argsort(kind="stable")
    indptr = np.zeros(columns + 1, np.int64)
    np.bincount(matrix.indices, minlength=columns).cumsum(out=indptr[1:])
    return csr(matrix.data[order], row_of_entries(matrix)[order], indptr, (columns, rows))


def multiplied(one: csr_array, other: csr_array) -> csr_array:
    """The product `one @ other`; sums must fit 64 bits."""
    if one.nnz > SMALL or other.nnz > SMALL:
        return csr_array(one @ other)
    picked = rows_at(other, one.indices)
    size = picked.indptr[1:] - picked.indptr[:-1]
    row, factor = row_of_entries(one).repeat(size), one.data.repeat(size)
    return from_entries(row, picked.indices, factor * picked.data, (one.shape[0], other.shape[1]))


def products(one: csr_array, other: csr_array) -> Iterator[csr_array]:
    """The product `one @ other` in parts, rows from the first to the last: of sums of which all but a little is taken
    away, scipy keeps every entry as a stored zero, and all of them together would fill the memory."""
    length = (other.indptr[1:] - other.indptr[:-1])[one.indices]
    before = np.append(0, length.cumsum(dtype=np.int64))[one.indptr]
    first, rows = 0, one.shape[0]
    while first < rows:
        last = max(first + 1, int(np.searchsorted(before, before[first] + AT_ONCE, side="right")) - 1)
        yield multiplied(rows_at(one, np.arange(first, last)), other)
        first = last
    if rows == 0:
        yield multiplied(one, other)


def from_entries(
    row: NDArray[np.integer], column: NDArray[np.integer], data: NDArray[np.int64], shape: tuple[int, int]
) -> csr_array:
    """The matrix with these entries, in order; those at one place are added."""
    rows, columns = shape
    if len(data) > SMALL:
        width = np.int32 if max(shape) <= _MOST else np.int64  # scipy keeps the wider ones that it is given
        place = row.astype(width, copy=False), column.astype(width, copy=False)
        return csr_array(coo_array((data, place), shape=shape))
    key = row * np.int64(columns) + column
    order = key.argsort(kind="stable")
    key, row, column, data = key[order], row[order], column[order], data[order]
    first = np.flatnonzero(key[1:] != key[:-1]) + 1
    if len(first) + 1 < len(key):
        first = np.append(0, first)
        row, column, data = row[first], column[first], np.add.reduceat(data, first)
    indptr = np.zeros(rows + 1, np.int64)
    np.bincount(row, minlength=rows).cumsum(out=indptr[1:])
    return csr(data, column, indptr, shape)
