"""Which rows and columns of a matrix hang together."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from tableseal.audit.sparse import row_of_entries

SMALL = 2_000
"""Edges below which plain Python is quicker than importing scipy's graphs (0.1 s)."""


def connected(matrix: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(label of each row, label of each column): rows and columns with an entry in common have the same label."""
    rows, columns = matrix.shape
    label = joined(rows + columns, row_of_entries(matrix), matrix.indices + rows)
    return label[:rows], label[rows:]


def joined(nodes: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Label of each node: nodes that edges (one, other) join have the same, numbered in the order of first nodes."""
    if len(one) < SMALL:
        return _union(nodes, one.tolist(), other.tolist())
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(nodes, nodes))
    label: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return label


def _union(nodes: int, one: list[int], other: list[int]) -> NDArray[np.int64]:
    """Labels numbered in the order of their first node."""
    above = list(range(nodes))

    def top(node: int) -> int:
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for a, b in zip(one, other, strict=True):
        a, b = top(a), top(b)
        above[max(a, b)] = min(a, b)
    number: dict[int, int] = {}
    return np.array([number.setdefault(top(node), len(number)) for node in range(nodes)], dtype=np.int64)
