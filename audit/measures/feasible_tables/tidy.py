"""A component before its tables are counted: bounds for whole numbers, and only rows that still say something."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from audit.bounds.component import Component
from audit.linear.integers import NO_LOWER, NO_UPPER, product
from audit.linear.propagate import InfeasibleError, propagate


def tidied(component: Component) -> Component | None:
    """The same tables: column bounds tightened for whole numbers, row bounds to what the entries and columns allow (so
    that rows with one value left are equations), rows that always hold left out.

    None if propagation leaves a column without limit, or finds that nothing fits.
    """
    matrix = component.matrix.copy()
    matrix.sum_duplicates()  # a link may name one cell twice
    try:
        low, high = propagate(
            matrix, component.lower, component.upper, component.column_lower, component.column_upper, integer=True
        )
    except InfeasibleError:
        return None
    if (low == NO_LOWER).any() or (high == NO_UPPER).any():
        return None
    positive = csr_array((np.maximum(matrix.data, 0), matrix.indices, matrix.indptr), shape=matrix.shape)
    negative = csr_array((np.minimum(matrix.data, 0), matrix.indices, matrix.indptr), shape=matrix.shape)
    least = product(positive, low) + product(negative, high)
    greatest = product(positive, high) + product(negative, low)
    divisor = np.gcd.reduceat(np.append(matrix.data, 0), matrix.indptr[:-1]) if matrix.shape[0] else least
    divisor = np.where((np.diff(matrix.indptr) > 0) & (divisor > 0), divisor, 1)
    lower = np.maximum(np.where(component.lower == NO_LOWER, NO_LOWER, -(-component.lower // divisor) * divisor), least)
    upper = np.minimum(np.where(component.upper == NO_UPPER, NO_UPPER, component.upper // divisor * divisor), greatest)
    if (lower > upper).any():
        return None
    speaks = np.flatnonzero((lower > least) | (upper < greatest))
    return replace(
        component,
        matrix=csr_array(matrix[speaks]),
        lower=lower[speaks],
        upper=upper[speaks],
        column_lower=low,
        column_upper=high,
    )
