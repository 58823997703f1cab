"""64-bit integers with the two words "no bound", and products that never overflow silently."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import LimitError
from tableseal.audit.sparse import csr, row_of_entries

NO_LOWER = -(2**62)
"""Stands for "no lower bound" in an int64 array of bounds."""
NO_UPPER = 2**62
"""Stands for "no upper bound"."""


def product(matrix: csr_array, vector: NDArray[np.int64]) -> NDArray[np.int64]:
    """matrix @ vector in exact 64-bit integers.

    Raises
    ------
    LimitError: a sum could leave the range of 64-bit integers (the test by floating point is conservative).
    """
    if largest_sum(matrix, vector) >= float(NO_UPPER):
        raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
    result: NDArray[np.int64] = matrix @ vector
    return result


def bound_sum(bounds: NDArray[np.int64], groups: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Sum bounds by group, exactly; a group with a missing bound has none (same sentinel; all of one kind)."""
    missing = np.abs(bounds) >= NO_UPPER
    total = np.zeros(size, dtype=np.int64)
    finite = np.where(missing, 0, bounds)
    if np.bincount(groups, np.abs(finite.astype(np.float64)), size).max(initial=0.0) >= float(NO_UPPER):
        raise LimitError("Values add up to more than 2^62 units; choose a larger unit for the measure.")
    np.add.at(total, groups, finite)
    gone = np.bincount(groups, missing, size) > 0
    if gone.any():
        total[gone] = bounds[missing][0]
    return total


def multiply_wide(matrix: csr_array, vector: NDArray[np.int64]) -> NDArray[np.object_]:
    """matrix @ vector in integers of any size (as Python integers)."""
    if largest_sum(matrix, vector) < float(NO_UPPER):
        exact: NDArray[np.object_] = (matrix @ vector).astype(object)
        return exact
    result = np.zeros(matrix.shape[0], dtype=object)
    np.add.at(result, row_of_entries(matrix), matrix.data.astype(object) * vector[matrix.indices].astype(object))
    return result


def largest_sum(matrix: csr_array, vector: NDArray[np.int64]) -> float:
    """At least the largest sum of absolute values in matrix @ vector; rough where a rough bound shows that all fits."""
    rough = largest(matrix.data) * largest(vector) * len(matrix.data)
    if rough < float(NO_UPPER):
        return rough
    weights, values = np.abs(matrix.data.astype(np.float64)), np.abs(vector.astype(np.float64))
    sums = csr(weights, matrix.indices, matrix.indptr, matrix.shape) @ values
    return float(sums.max(initial=0.0))


def largest(values: NDArray[np.integer]) -> float:
    """The largest absolute value, without an array of them (matrices have millions)."""
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))
