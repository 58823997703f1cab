"""Which codes of a classification have leaves in common. Small classifications are held as dense arrays: there a sparse
matrix costs a hundred times what it computes, and audits of small tables ask this again and again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Hierarchy

SMALL = 4096
"""Codes times leaves up to which dense is quicker."""

Members = Any
"""(codes x leaves) 0/1: csr_array, or an int64 array where that is small."""


def members_of(hierarchy: Hierarchy) -> Members:
    """Which leaves each code holds, in whole numbers that can be added up."""
    codes, leaves = hierarchy.members.shape
    return hierarchy.dense if codes * leaves <= SMALL else hierarchy.members.astype(np.int64)


def overlaps(one: Members, other: Members) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.int64]]:
    """Pairs of rows with leaves in common, in any order: row of one, row of the other, and how many leaves."""
    return nonzero(one @ other.T)


def nonzero(matrix: Members) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.int64]]:
    """Row, column and value of what is not 0, in any order."""
    if isinstance(matrix, np.ndarray):
        row, column = np.nonzero(matrix)
        return row, column, matrix[row, column]
    entries = matrix.tocoo()
    row, column = entries.coords
    return row, column, entries.data
