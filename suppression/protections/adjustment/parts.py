"""The parts of a release that have to be adjusted: cells that hang together with a sensitive one among them."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from tableseal.suppression.protections.adjustment.part import Ints, Moves, Part
from tableseal.suppression.protections.subject import Subject


def parts(subject: Subject, moves: Moves, weights: Ints) -> list[tuple[Ints, Part]]:
    """Positions in the equations of the release, and the part that they are; all other cells stay as they are.
    Positions beyond the cells are sums that no table shows.

    weights: int64 (cells), what a change by one unit costs.
    """
    equations, n = subject.equations, len(subject.cells)
    relations = csr_array(equations.matrix[np.flatnonzero(equations.lower == equations.upper)])
    further = relations.shape[1] - n
    beyond = equations.value[n:]
    none = np.zeros(further, np.int64)
    unseen = Moves(-(beyond // 2), np.full(further, 2**40), np.zeros(further, np.bool_), none, none, none, none)
    every = moves.beside(unseen)
    costs = np.concatenate([weights, none])
    free = (every.least < every.most) | every.sensitive
    label, rows = _hang_together(relations, free)
    found = []
    for group in np.unique(label[:n][moves.sensitive]).tolist():
        cells = np.flatnonzero((label == group) & free)
        own = csr_array(csr_array(relations[np.flatnonzero(rows == group)])[:, cells])
        part = Part(own, np.zeros(own.shape[0], np.int64), every.take(cells), costs[cells])
        found.append((cells, part))
    return found


def _hang_together(relations: csr_array, free: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Label of each column and of each relation; those of one label hang together through free columns."""
    rows, columns = relations.shape
    row = np.repeat(np.arange(rows), np.diff(relations.indptr))
    inside = free[relations.indices]
    ends = columns + row[inside], relations.indices[inside]
    graph = coo_array((np.ones(int(inside.sum()), np.int8), ends), shape=(columns + rows,) * 2)
    _, label = connected_components(graph, directed=False)
    return label[:columns].astype(np.int64), label[columns:].astype(np.int64)
