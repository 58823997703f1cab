"""Network matrices: integer bounds equal linear bounds, and every integer in between is possible."""

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components

from audit.bounds.component import Component


def is_network(component: Component) -> bool:
    """True if the rows of the system and each single target together form a network matrix after changing signs of
    rows: every column has at most one +1 and one -1. Such a matrix is totally unimodular, so fixing a target to any
    integer between its bounds leaves an integer solution (Hoffman, Kruskal 1956).

    Targets with one column add a unit row, which never matters; longer targets are checked together with the rows,
    which is sufficient.
    """
    long_targets = np.flatnonzero(np.diff(component.targets.indptr) > 1)
    parts = [component.matrix]
    if len(long_targets):
        parts.append(component.targets[long_targets])
    matrix = csr_array(vstack(parts, format="csr"))
    return network_signs(matrix)


def network_signs(matrix: csr_array) -> bool:
    """True if row signs exist that leave at most one +1 and one -1 in each column.

    Two entries of one column must get opposite signs: rows are nodes of a graph with an edge "same sign" or "other
    sign" for each column with two entries; the signs exist if the doubled graph never joins a row with its opposite.
    """
    by_column = matrix.tocsc()
    count = np.diff(by_column.indptr)
    if (np.abs(matrix.data) != 1).any() or (count > 2).any():
        return False
    first = by_column.indptr[:-1][count == 2]
    a, b = by_column.indices[first], by_column.indices[first + 1]
    equal = by_column.data[first] == by_column.data[first + 1]  # equal entries: the rows need different signs
    n = matrix.shape[0]
    other = np.where(equal, b + n, b)
    opposite = np.where(equal, b, b + n)
    ends = (np.concatenate([a, a + n]), np.concatenate([other, opposite]))
    graph = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(2 * n, 2 * n))
    _, label = connected_components(graph, directed=False)
    return bool((label[:n] != label[n:]).all())
