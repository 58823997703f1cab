"""Anything that the door takes for a table of counts -> CountTable."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.api.python.keywords import Reading
from tableseal.api.python.origin import Origin
from tableseal.api.python.source import existing, given
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.matrix import checked_matrix, matrix_in
from tableseal.audit.linear.leaf_counts import leaf_counts
from tableseal.audit.model.count_table import CountTable

MATRIX = "matrix"
"""What messages call an array."""


def matrix_of(data: object, *, all_cells: bool) -> tuple[NDArray[np.int64], str, Path | None] | None:
    """A bare matrix of counts with its name and file: an array, nested lists, or a file of numbers without header. None
    for anything else.

    Raises
    ------
    InputError: an array that is none of counts.
    """
    if isinstance(data, str | os.PathLike):
        path = existing(data)
        found = matrix_in(path, all_cells=all_cells)
        return None if found is None else (found, path.name, path)
    is_rows = isinstance(data, list | tuple) and bool(data) and all(isinstance(row, list | tuple) for row in data)
    if not (is_rows or isinstance(data, np.ndarray)):
        return None
    return checked_matrix(array_of(data, MATRIX), MATRIX, all_cells=all_cells), MATRIX, None


def array_of(data: Any, what: str) -> NDArray[Any]:
    """An array of two dimensions.

    Raises
    ------
    InputError: another number of dimensions, rows of different lengths, entries that are no numbers.
    """
    try:
        array = np.asarray(data)
    except ValueError:
        raise InputError("the rows have different lengths; expected a matrix.", at=what) from None
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        shape = f"{array.ndim} dimensions of {array.dtype}"
        raise InputError(found=shape, expected="a matrix of numbers (2 dimensions)", at=what)
    return array


def counts_of(
    data: object, said: Reading, *, table: str | None, all_cells: bool, published: bool = False
) -> tuple[CountTable, Origin]:
    """The leaf counts in a matrix, a data file, a frame or a release.

    table: which table of a release. published: its published values, else the true ones.

    Raises
    ------
    InputError: anything that cannot be used.
    """
    matrix = matrix_of(data, all_cells=all_cells)
    if matrix is None:
        about = given(data, said)
        return leaf_counts(about.release, published=published, table=table), about.origin
    counts, name, file = matrix
    if table is not None:
        text = f"{name} is a bare matrix, which is one table without a name."
        raise InputError(text, at=OptionName("table", table))
    return CountTable.of_matrix(name, counts), Origin(inputs=() if file is None else (file,), title=name)
