"""The rank view: how many independent statements a set of withheld cells takes away from a released system.

Oganian and Domingo-Ferrer 2003, sections 4.4 and 4.5. For rows S of a released matrix M the rank decrease is
rank(M) - rank(M without S) = |S| - (rank of the columns S of the dependencies between the rows of M): a matroid and its
dual.

More rank taken away does *not* mean more protection (docs/explanation/figures.md): it is a search criterion and a
description.
"""

from itertools import pairwise
from math import lcm

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.measures.subspace import Vector
from tableseal.audit.sparse import rows_at

PRIME = 2**61 - 1
"""Dependencies are computed with modulo this once they are found; coefficients of tables are small numbers."""


def rows_of(matrix: csr_array) -> list[Vector]:
    """The rows of a matrix of whole numbers, each as column -> entry."""
    return [
        dict(zip(matrix.indices[a:b].tolist(), matrix.data[a:b].tolist(), strict=True))
        for a, b in pairwise(matrix.indptr.tolist())
    ]


def dependencies(matrix: csr_array) -> list[Vector]:
    """Basis of the linear dependencies between the rows of a matrix (int64 csr).

    Each is row -> coefficient, in whole numbers, and sums to zero exactly; rank = rows - dependencies, exactly. One
    comes for each row that is a combination of those before it, short ones first.
    """
    eliminated = Elimination(matrix, np.zeros(matrix.shape[0], np.int64))
    length = np.diff(matrix.indptr)
    depending = eliminated.dependent[np.lexsort((eliminated.dependent, length[eliminated.dependent]))]
    found = []
    for row, others in zip(depending.tolist(), eliminated.multipliers_of(rows_at(matrix, depending)), strict=True):
        assert others is not None
        common = lcm(*(factor.denominator for factor in others.values()))
        found.append({row: common} | {other: -int(factor * common) for other, factor in others.items()})
    return found
