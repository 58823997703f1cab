"""The loops of sparse normal equations (see `normal.py`), compiled.

One array holds everything: diagonals of the rows that are eliminated, then what is below each of them (`front`), then
the dense core, column by column. Rows are numbered in the order of elimination, those of the core last.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def place(starts, front, first, second, core):
    """Where in that array the entry of two rows is."""
    eliminated = len(starts) - 1
    low, high = min(first, second), max(first, second)
    if low >= eliminated:
        return eliminated + len(front) + (low - eliminated) * core + high - eliminated
    if low == high:
        return low
    left, right = starts[low], starts[low + 1]
    while left < right:
        middle = (left + right) // 2
        if front[middle] < high:
            left = middle + 1
        else:
            right = middle
    return eliminated + left


@njit(cache=True)
def fill_places(starts, front, core):
    """Where each step of the elimination subtracts: every pair of a front, front after front."""
    size = 0
    for i in range(len(starts) - 1):
        width = starts[i + 1] - starts[i]
        size += width * (width + 1) // 2
    result, at = np.empty(size, np.int32), 0
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            for b in range(a, starts[i + 1]):
                result[at] = place(starts, front, front[a], front[b], core)
                at += 1
    return result


@njit(cache=True)
def entry_places(pointer, index, rank, starts, front, core):
    """Where each column of the matrix adds: every pair of its rows, column after column."""
    size = 0
    for j in range(len(pointer) - 1):
        width = pointer[j + 1] - pointer[j]
        size += width * (width + 1) // 2
    result, at = np.empty(size, np.int32), 0
    for j in range(len(pointer) - 1):
        for a in range(pointer[j], pointer[j + 1]):
            for b in range(a, pointer[j + 1]):
                result[at] = place(starts, front, rank[index[a]], rank[index[b]], core)
                at += 1
    return result


@njit(cache=True)
def eliminate(values, pointer, entry, scale, entries, starts, fills, core, lift):
    """Normal equations for the scale, and their elimination down to the core. `lift`: what diagonals are raised by."""
    values[:] = 0.0
    at = 0
    for j in range(len(pointer) - 1):
        for a in range(pointer[j], pointer[j + 1]):
            for b in range(a, pointer[j + 1]):
                values[entries[at]] += entry[a] * entry[b] * scale[j]
                at += 1
    eliminated = len(starts) - 1
    first = eliminated + starts[-1]
    for i in range(eliminated):
        values[i] *= 1.0 + lift
    for i in range(core):
        k = first + i * (core + 1)
        values[k] = values[k] * (1.0 + lift) if values[k] > 0.0 else 1.0
    at = 0
    for i in range(eliminated):
        inverse = 1.0 / values[i] if values[i] > 0.0 else 0.0
        for a in range(eliminated + starts[i], eliminated + starts[i + 1]):
            factor = values[a] * inverse
            for b in range(a, eliminated + starts[i + 1]):
                values[fills[at]] -= factor * values[b]
                at += 1


@njit(cache=True)
def forward(values, starts, front, right):
    """Right sides down to the core, in place."""
    for i in range(len(starts) - 1):
        value = right[i] / values[i] if values[i] > 0.0 else 0.0
        for a in range(starts[i], starts[i + 1]):
            right[front[a]] -= values[len(starts) - 1 + a] * value


@njit(cache=True)
def backward(values, starts, front, right):
    """From the solution of the core up to the first row, in place."""
    eliminated = len(starts) - 1
    for i in range(eliminated - 1, -1, -1):
        total = right[i]
        for a in range(starts[i], starts[i + 1]):
            total -= values[eliminated + a] * right[front[a]]
        right[i] = total / values[i] if values[i] > 0.0 else 0.0
