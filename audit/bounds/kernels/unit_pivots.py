"""Pivots of one unit in a sparse matrix of whole numbers, compiled (see `unimodular.py`)."""

import heapq

import numpy as np
from numba import njit

MOST = 2**30
"""Numbers above which nothing is multiplied any more: the pivots end there."""


@njit(cache=True)
def _find(column, start, length, wanted):
    """Where a sorted row has a column; -1 where it has not."""
    left, right = start, start + length
    while left < right:
        middle = (left + right) // 2
        if column[middle] < wanted:
            left = middle + 1
        else:
            right = middle
    return left if left < start + length and column[left] == wanted else -1


@njit(cache=True)
def unit_pivots(pointer, index, entry, allowed):
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


@njit(cache=True)
def _longer(numbers, least):
    result = np.empty(2 * max(least, len(numbers)), numbers.dtype)
    result[: len(numbers)] = numbers
    return result
