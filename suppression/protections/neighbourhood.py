"""Cells that hang together closely: what is chosen anew at a time where a whole table is too large."""

import heapq

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def neighbourhood(
    relations: csr_array, across: csr_array, row: int, size: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """int64, ascending: cells near a relation, always one more with the fewest relations yet untouched.

    relations: csr (relations x cells). across: its transpose, csr. random: settles ties.
    """
    needed: dict[int, int] = {}
    waiting: list[tuple[int, float, int]] = []
    touched, found = set[int](), set[int]()

    def touch(row: int) -> None:
        touched.add(row)
        for cell in entries(relations, row):
            if cell not in found:
                needed[cell] = needed.get(cell, int(across.indptr[cell + 1] - across.indptr[cell])) - 1
                heapq.heappush(waiting, (needed[cell], random.random(), cell))

    touch(row)
    while waiting and len(found) < size:
        count, _, cell = heapq.heappop(waiting)
        if cell in found or count != needed[cell]:
            continue
        found.add(cell)
        for other in entries(across, cell):
            if other not in touched:
                touch(other)
    return np.array(sorted(found), np.int64)


def entries(matrix: csr_array, row: int) -> list[int]:
    """Columns of a row."""
    found: list[int] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()
    return found
