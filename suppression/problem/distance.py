"""How far a cell lies from the sensitive cells."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Hierarchy, Release

_BLOCK = 2**22
"""Pairs of cells that are compared at a time."""


def distances(release: Release, cells: Cells, primary: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Steps from each cell to the nearest sensitive cell of its measure, at least 1.

    A step goes from a code to its parent or to one of its children, in one variable; the distance of two cells is the
    sum over all variables. Cells of a line (all codes of one group and their total) are two steps apart at most, those
    of the next group four. A cell without a way to a sensitive cell is one step further than the furthest that has one.
    """
    steps = [_steps(hierarchy) for hierarchy in release.variables.values()]
    far = sum(int(s.max(initial=0)) + 1 for s in steps) + 1
    nearest = np.full(len(cells), far, dtype=np.int64)
    for measure in range(len(release.measures)):
        own = np.flatnonzero(cells.measure == measure)
        source = np.flatnonzero(primary & (cells.measure == measure))
        if not len(source):
            continue
        block = max(1, _BLOCK // max(1, len(source)))
        for begin in range(0, len(own), block):
            at = own[begin : begin + block]
            total = np.zeros((len(at), len(source)), dtype=np.int64)
            for v, step in enumerate(steps):
                found = step[cells.codes[at, v][:, None], cells.codes[source, v][None, :]]
                total = np.where((found < 0) | (total < 0), -1, total + found)
            nearest[at] = np.where(total < 0, far, total).min(axis=1)
    reached = nearest[nearest < far]
    return np.maximum(np.where(nearest < far, nearest, int(reached.max(initial=0)) + 1), 1)


def _steps(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Steps between any two codes (codes x codes), -1 where there is no way."""
    size = len(hierarchy.codes)
    child = np.concatenate([np.flatnonzero(parent >= 0) for parent in hierarchy.parents])
    parent = np.concatenate([parent[parent >= 0] for parent in hierarchy.parents])
    graph = csr_array((np.ones(len(child)), (child, parent)), shape=(size, size))
    graph.data[:] = 1.0
    found = shortest_path(graph, directed=False, unweighted=True)
    return np.where(np.isfinite(found), found, -1).astype(np.int64)
