"""What holds of sizes of changes, whichever way cells move: in a relation none is larger than all others together.

With a the absolute changes in a relation sum of c x = r, and S the sum of |c| a over it,

    2 |c| a <= S + |r|    for each of its cells.

A program in which a cell may go half up and half down knows nothing of relations: both halves cancel. These hold all
the same, and make what a sensitive cell asks of its neighbours, and these of theirs, count. S is a column of its own,
so that a relation of n cells takes 3 n + 1 entries.
"""

import numpy as np
from scipy.sparse import csr_array, eye_array, vstack

from tableseal.audit.solvers.protocol import Floats
from tableseal.suppression.protections.adjustment.part import Part


def cuts(part: Part) -> tuple[csr_array, csr_array, Floats, Floats]:
    """(over absolute changes, over sums S of relations, lower, upper): first a row for each relation that says what its
    S is, then one for each of its entries, in their order, S - 2 |c| a >= -|r|."""
    size = abs(part.relations)
    rows, cells = size.shape
    row = np.repeat(np.arange(rows), np.diff(size.indptr))
    start = np.arange(size.nnz + 1)
    own = csr_array((-2 * size.data, size.indices, start), shape=(size.nnz, cells))
    whole = csr_array((np.ones(size.nnz), row, start), shape=(size.nnz, rows))
    none, infinite = np.zeros(rows), np.full(size.nnz, np.inf)
    right = np.abs(part.right)[row].astype(np.float64)
    return (
        csr_array(vstack([size, own])).astype(np.float64),
        csr_array(vstack([-eye_array(rows), whole])),
        np.concatenate([none, -right]),
        np.concatenate([none, infinite]),
    )
