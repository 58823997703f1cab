"""Bases of integer matrices with a small determinant: they solve every right side with that one denominator."""

import heapq
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Number = int | Fraction


def unit_basis(matrix: csr_array, allowed: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """Rows, columns and size of determinant of a square submatrix of full rank, by pivots of one unit where there are
    any left: the determinant is mostly 1.

    Sparse elimination that takes the column with fewest entries and in it the shortest row (Markowitz 1957). Margins
    of tables leave units to the end: 1,009 of rank 1,009 in 0.02 s (1,065 x 1,389), 4,481 of 4,481 in 0.6 s (4,600 x
    10,301).

    Parameters
    ----------
    allowed: bool (columns), the columns to choose from.
    """
    starts, indices, data = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    usable = allowed.tolist()
    rows: list[dict[int, Number]] = []
    members: list[set[int]] = [set() for _ in usable]
    for i, start in enumerate(starts[:-1]):
        row: dict[int, Number] = {indices[t]: data[t] for t in range(start, starts[i + 1]) if usable[indices[t]]}
        rows.append(row)
        for j in row:
            members[j].add(i)
    queue = [(len(m), j) for j, m in enumerate(members) if m]
    heapq.heapify(queue)
    done = [not m for m in members]
    pivots: list[tuple[int, int]] = []
    while queue:
        size, column = heapq.heappop(queue)
        if done[column] or not members[column]:
            continue
        if len(members[column]) != size:  # it has changed since it was put there
            heapq.heappush(queue, (len(members[column]), column))
            continue
        done[column] = True
        units = [(len(rows[i]), i) for i in members[column] if abs(rows[i][column]) == 1]
        if not units:
            continue
        _, chosen = min(units)
        pivots.append((chosen, column))
        pivot = rows[chosen]
        for i in list(members[column]):
            if i != chosen:
                _subtract(rows[i], i, pivot, rows[i][column] * int(pivot[column]), members)
        for j in pivot:
            members[j].discard(chosen)
            if not done[j]:
                heapq.heappush(queue, (len(members[j]), j))
        members[column] = set()
    determinant = Fraction(1)
    for i in sorted(set(range(len(rows))) - {chosen for chosen, _ in pivots}):
        row = rows[i]
        if row:
            column = min(row, key=lambda j: (abs(rows[i][j]), j))
            determinant *= abs(Fraction(row[column]))
            pivots.append((i, column))
            for other in sorted(members[column] - {i}):
                _subtract(rows[other], other, row, Fraction(rows[other][column]) / Fraction(row[column]), members)
            for j in row:
                members[j].discard(i)
    chosen_rows, chosen_columns = zip(*pivots, strict=True) if pivots else ((), ())
    return np.array(chosen_rows, dtype=np.int64), np.array(chosen_columns, dtype=np.int64), int(determinant)


def _subtract(
    row: dict[int, Number], i: int, pivot: dict[int, Number], factor: int | Fraction, members: list[set[int]]
) -> None:
    """row - factor * pivot, in place."""
    for j, entry in pivot.items():
        value = row.get(j, 0) - entry * factor
        if value:
            row[j] = value
            members[j].add(i)
        elif j in row:
            del row[j]
            members[j].discard(i)
