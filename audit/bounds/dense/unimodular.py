"""Bases of integer matrices with a small determinant: they solve every right side with that one denominator."""

from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int64]


def unit_basis(matrix: csr_array, allowed: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """Rows, columns and size of determinant of a square submatrix of full rank, by pivots of one unit where there are
    any left: the determinant is mostly 1.

    Sparse elimination that takes the column with fewest entries and in it the shortest row (Markowitz 1957). Margins
    of tables leave units to the end.

    Parameters
    ----------
    allowed: bool (columns), the columns to choose from.
    """
    from tableseal.audit.bounds.kernels.unit_pivots import unit_pivots  # late: loads a compiler

    matrix = matrix.sorted_indices()
    numbers = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices, matrix.data))
    chosen_rows, chosen_columns, starts, indices, data = unit_pivots(*numbers, allowed)
    rows: dict[int, dict[int, int]] = {}
    members: dict[int, set[int]] = {}
    for i in np.flatnonzero(np.diff(starts)).tolist():
        span = slice(starts[i], starts[i + 1])
        rows[i] = dict(zip(indices[span].tolist(), data[span].tolist(), strict=True))
        for j in rows[i]:
            members.setdefault(j, set()).add(i)
    determinant = Fraction(1)
    pivots: list[tuple[int, int]] = []
    times = dict.fromkeys(rows, Fraction(1))  # what each row has been multiplied by
    for i, row in rows.items():
        if row:
            column = min(row, key=lambda j: (abs(rows[i][j]), j))
            determinant *= abs(row[column]) / times[i]
            pivots.append((i, column))
            for other in sorted(members[column] - {i}):
                times[other] *= _clear(rows[other], other, row, column, members)
            for j in row:
                members[j].discard(i)
    further = np.array(pivots, dtype=np.int64).reshape(-1, 2)
    return (
        np.concatenate([chosen_rows, further[:, 0]]),
        np.concatenate([chosen_columns, further[:, 1]]),
        int(determinant),
    )


def _clear(row: dict[int, int], i: int, pivot: dict[int, int], column: int, members: dict[int, set[int]]) -> Fraction:
    """Remove a column from row i by the pivot row, in place and in whole numbers: what the row is multiplied by."""
    common = gcd(row[column], pivot[column])
    times, factor = abs(pivot[column]) // common, row[column] // common * (1 if pivot[column] > 0 else -1)
    for j in row:
        row[j] *= times
    for j, entry in pivot.items():
        value = row.get(j, 0) - entry * factor
        if value:
            row[j] = value
            members[j].add(i)
        elif j in row:
            del row[j]
            members[j].discard(i)
    content = gcd(*row.values()) or 1
    for j in row:
        row[j] //= content
    return Fraction(times, content)
