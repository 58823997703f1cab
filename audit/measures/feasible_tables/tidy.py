"""A system before its tables are counted: bounds for whole numbers, and only rows that still say something."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER, product
from tableseal.audit.linear.propagate import InfeasibleError, propagate
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import csr, row_of_entries, rows_at

System = TypeVar("System", Component, Reduced)


def tidied(system: System) -> System | None:
    """The same tables: column bounds tightened for whole numbers, row bounds to what the entries and columns allow (so
    that rows with one value left are equations), rows that always hold left out. Rows over a column without limit stay
    as they are.

    None if propagation finds that nothing fits.
    """
    matrix = system.matrix
    if not matrix.has_canonical_format:  # a link may name one cell twice
        matrix = matrix.copy()
        matrix.sum_duplicates()
    try:
        low, high = propagate(
            matrix, system.lower, system.upper, system.column_lower, system.column_upper, integer=True
        )
    except InfeasibleError:
        return None
    endless = (low == NO_LOWER) | (high == NO_UPPER)
    far = np.bincount(row_of_entries(matrix), endless[matrix.indices] & (matrix.data != 0), matrix.shape[0]) > 0
    bottom, top = np.where(endless, 0, low), np.where(endless, 0, high)
    positive = csr(np.maximum(matrix.data, 0), matrix.indices, matrix.indptr, matrix.shape)
    least, greatest = product(positive, bottom), product(positive, top)
    if (matrix.data < 0).any():
        negative = csr(np.minimum(matrix.data, 0), matrix.indices, matrix.indptr, matrix.shape)
        least, greatest = least + product(negative, top), greatest + product(negative, bottom)
    divisor = np.gcd.reduceat(np.append(matrix.data, 0), matrix.indptr[:-1]) if matrix.shape[0] else least
    divisor = np.where((np.diff(matrix.indptr) > 0) & (divisor > 0), divisor, 1)
    lower = np.maximum(np.where(system.lower == NO_LOWER, NO_LOWER, -(-system.lower // divisor) * divisor), least)
    upper = np.minimum(np.where(system.upper == NO_UPPER, NO_UPPER, system.upper // divisor * divisor), greatest)
    lower, upper = np.where(far, system.lower, lower), np.where(far, system.upper, upper)
    if (lower > upper).any():
        return None
    speaks = np.flatnonzero(far | (lower > least) | (upper < greatest))
    kept: dict[str, Any] = {"matrix": rows_at(matrix, speaks), "lower": lower[speaks], "upper": upper[speaks]}
    if isinstance(system, Reduced):
        kept["row"] = system.row[speaks]
    return replace(system, column_lower=low, column_upper=high, **kept)
