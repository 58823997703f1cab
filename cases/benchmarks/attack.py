"""The linear system that other programs are given: withheld cells only, everything published moved to the right."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cases.benchmarks.instance import Instance, equations


@dataclass(frozen=True)
class Attack:
    """matrix @ x == right, x >= 0.

    matrix: int64 csr (equations x columns). right: int64 (equations).
    columns: int64 (columns), position of each column among the withheld cells of the instance.
    """

    matrix: csr_array
    right: NDArray[np.int64]
    columns: NDArray[np.int64]


def attack(instance: Instance) -> Attack:
    """What an outsider knows of the withheld cells of an instance; built anew each time, as it is part of the work."""
    return known(equations(instance.dimensions), instance.values, instance.withheld)


def known(matrix: csr_array, values: NDArray[np.int64], withheld: NDArray[np.bool_]) -> Attack:
    """What an outsider knows of cells that are withheld (bool, cells), from equations over all cells."""
    right = -(matrix @ np.where(withheld, 0, values))
    own = csr_array(matrix[:, np.flatnonzero(withheld)])
    rows = np.flatnonzero(np.diff(own.indptr))
    return Attack(csr_array(own[rows]), right[rows], np.arange(own.shape[1]))


def components(whole: Attack) -> list[Attack]:
    """Connected parts, which share no cell and no equation."""
    rows, columns = whole.matrix.shape
    row = np.repeat(np.arange(rows), np.diff(whole.matrix.indptr))
    graph = coo_array(
        (np.ones(len(row), np.int8), (row, rows + whole.matrix.indices)), shape=(rows + columns, rows + columns)
    )
    count, label = connected_components(graph, directed=False)
    row_groups, column_groups = _groups(label[:rows], count), _groups(label[rows:], count)
    return [
        Attack(csr_array(whole.matrix[r][:, c]), whole.right[r], whole.columns[c])
        for r, c in zip(row_groups, column_groups, strict=True)
    ]


def _groups(label: NDArray[np.int32], count: int) -> list[NDArray[np.int64]]:
    order = np.argsort(label, kind="stable")
    return [order[a:b] for a, b in pairwise(np.searchsorted(label[order], np.arange(count + 1)))]
