"""Bases of integer matrices with a small determinant: they solve every right side with that one denominator."""

import heapq
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.compiling import compiled, kernel

Ints = NDArray[np.int64]

MOST = 2**30
"""Numbers above which nothing is multiplied any more: the pivots end there."""


def unit_basis(matrix: csr_array, allowed: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """Rows, columns and size of determinant of a square submatrix of full rank, by pivots of one unit where there are
    any left: the determinant is mostly 1.

    Sparse elimination that takes the column with fewest entries and in it the shortest row (Markowitz 1957). Margins
    of tables leave units to the end.

    Parameters
    ----------
    allowed: bool (columns), the columns to choose from.
    """
    matrix = matrix.sorted_indices()
    numbers = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices, matrix.data))
    chosen_rows, chosen_columns, starts, indices, data = compiled(_unit_pivots)(*numbers, allowed)
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


@kernel
def _find(column: Ints, start: int, length: int, wanted: int) -> int:
    """Where a sorted row has a column; -1 where it has not."""
    left, right = start, start + length
    while left < right:
        middle = (left + right) // 2
        if column[middle] < wanted:
            left = middle + 1
        else:
            right = middle
    return left if left < start + length and column[left] == wanted else -1


@kernel
def _unit_pivots(
    pointer: Ints, index: Ints, entry: Ints, allowed: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Eliminate by units: the column with fewest entries, in it the shortest row, until there are none.

    pointer, index, entry: csr with sorted columns. allowed: bool (columns).
    Rows and columns of the pivots; the rows that are left (pointer, index, entry; empty for those with a pivot).
    """
    rows, columns = len(pointer) - 1, len(allowed)
    column, value = np.empty(2 * len(index) + 1, np.int64), np.empty(2 * len(index) + 1, np.int64)
    start, length = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    # Rows that may have an entry in a column, as a chain; entries that have vanished stay in it.
    head, following, member = (
        np.full(columns, -1),
        np.empty(2 * len(index) + 1, np.int64),
        np.empty(2 * len(index) + 1, np.int64),
    )
    count = np.zeros(columns, np.int64)
    used, chained = 0, 0
    for i in range(rows):
        start[i] = used
        for t in range(pointer[i], pointer[i + 1]):
            j = index[t]
            if allowed[j]:
                column[used], value[used] = j, entry[t]
                used += 1
                following[chained], member[chained] = head[j], i
                head[j] = chained
                chained += 1
                count[j] += 1
        length[i] = used - start[i]
    queue = [(count[j], j) for j in range(columns)]
    heapq.heapify(queue)
    seen, done = np.full(rows, -1), count == 0
    start_before, length_before = start.copy(), length.copy()
    pivot_rows, pivot_columns, pivots = np.empty(rows, np.int64), np.empty(rows, np.int64), 0
    active, fits = np.ones(rows, np.bool_), True
    while fits and len(queue) > 0:
        size, j = heapq.heappop(queue)
        if done[j] or count[j] == 0:
            continue
        if count[j] != size:
            heapq.heappush(queue, (count[j], j))
            continue
        done[j] = True
        chosen = -1
        at = head[j]
        while at >= 0:
            i = member[at]
            at = following[at]
            if active[i]:
                k = _find(column, start[i], length[i], j)
                shorter = chosen < 0 or (length[i], i) < (length[chosen], chosen)
                if k >= 0 and abs(value[k]) == 1 and shorter:
                    chosen = i
        if chosen < 0:
            continue
        unit = value[_find(column, start[chosen], length[chosen], j)]
        at = head[j]
        while at >= 0 and fits:
            i = member[at]
            at = following[at]
            if i == chosen or not active[i] or seen[i] == j:
                continue
            seen[i] = j
            start_before[i], length_before[i] = start[i], length[i]
            k = _find(column, start[i], length[i], j)
            if k < 0:
                continue
            factor = value[k] * unit
            # row i - factor * pivot row, written behind all others
            need = length[i] + length[chosen]
            if used + need > len(column):
                column, value = _longer(column, used + need), _longer(value, used + need)
            if chained + length[chosen] > len(member):
                following, member = _longer(following, chained + need), _longer(member, chained + need)
            a, b, begin = start[i], start[chosen], used
            end_a, end_b = a + length[i], b + length[chosen]
            while a < end_a or b < end_b:
                if b == end_b or (a < end_a and column[a] < column[b]):
                    column[used], value[used] = column[a], value[a]
                    a += 1
                    used += 1
                    continue
                c = column[b]
                there = value[a] if a < end_a and column[a] == c else 0
                if abs(factor) > MOST or abs(value[b]) > MOST or abs(there) > MOST * MOST:
                    fits = False
                    break
                new = there - factor * value[b]
                if there != 0:
                    a += 1
                    if new == 0:
                        count[c] -= 1
                else:
                    count[c] += 1
                    following[chained], member[chained] = head[c], i
                    head[c] = chained
                    chained += 1
                b += 1
                if new != 0:
                    column[used], value[used] = c, new
                    used += 1
            if fits:
                start[i], length[i] = begin, used - begin
        if not fits:
            for i in range(rows):  # what a row that is no pivot was taken from would be of another determinant
                if seen[i] == j:
                    start[i], length[i] = start_before[i], length_before[i]
            break
        pivot_rows[pivots], pivot_columns[pivots] = chosen, j
        pivots += 1
        active[chosen] = False
        for t in range(start[chosen], start[chosen] + length[chosen]):
            c = column[t]
            count[c] -= 1
            if not done[c]:
                heapq.heappush(queue, (count[c], c))
    left = np.zeros(rows + 1, np.int64)
    for i in range(rows):
        left[i + 1] = left[i] + (length[i] if active[i] else 0)
    left_column, left_value = np.empty(left[rows], np.int64), np.empty(left[rows], np.int64)
    for i in range(rows):
        if active[i]:
            left_column[left[i] : left[i + 1]] = column[start[i] : start[i] + length[i]]
            left_value[left[i] : left[i + 1]] = value[start[i] : start[i] + length[i]]
    return pivot_rows[:pivots], pivot_columns[:pivots], left, left_column, left_value


@kernel
def _longer(numbers: Ints, least: int) -> Ints:
    result = np.empty(2 * max(least, len(numbers)), numbers.dtype)
    result[: len(numbers)] = numbers
    return result
