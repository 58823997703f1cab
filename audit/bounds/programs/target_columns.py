"""A component as equations in which every target is one column."""

import numpy as np
from scipy.sparse import block_array, csr_array, eye_array

from tableseal.audit.bounds.component import Component
from tableseal.audit.linear.propagate import form_bounds


def as_equations(component: Component) -> Component:
    """Interval rows get a slack column; targets of several columns become rows with a column of their own.

    The columns of the component come first. Targets are in the same order.
    """
    rows, columns = component.matrix.shape
    interval = np.flatnonzero(component.lower != component.upper)
    targets = component.targets
    size = np.diff(targets.indptr)
    at_first = np.minimum(targets.indptr[:-1], max(targets.nnz - 1, 0))
    plain = (size == 1) & (targets.data[at_first] == 1 if targets.nnz else False)
    sums = np.flatnonzero(~plain)
    new = len(interval) + len(sums)
    own = csr_array(
        (np.ones(len(interval), np.int64), (interval, np.arange(len(interval)))), shape=(rows, len(interval))
    )
    matrix = block_array(
        [[component.matrix, -own, None], [targets[sums], None, -eye_array(len(sums), dtype=np.int64)]], format="csr"
    )
    low, high = form_bounds(csr_array(targets[sums]), component.column_lower, component.column_upper)
    right = np.concatenate(
        [np.where(component.lower == component.upper, component.lower, 0), np.zeros(len(sums), np.int64)]
    )
    column = np.empty(len(size), np.int64)
    column[plain] = targets.indices[at_first[plain]]
    column[sums] = columns + len(interval) + np.arange(len(sums))
    return Component(
        csr_array(matrix),
        right,
        right,
        np.concatenate([component.column_lower, component.lower[interval], low]),
        np.concatenate([component.column_upper, component.upper[interval], high]),
        csr_array(
            (np.ones(len(column), np.int64), (np.arange(len(column)), column)), shape=(len(column), columns + new)
        ),
    )
