"""What a pattern leaves open of each sensitive cell: entropy over its possible values, proved."""

from math import inf, log2

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.suppression.problem.problem import Problem


def sensitive_bits(problem: Problem, pattern: NDArray[np.bool_], method: Method, limits: Limits) -> NDArray[np.float64]:
    """Entropy in bits of each sensitive cell, in the order of their positions, all possible values equally likely.

    That is log2 of the values that are proved possible (Oganian and Domingo-Ferrer 2003, section 3); infinite where
    there is no limit. pattern: bool (cells), withheld.
    """
    equations = problem.equations
    open_columns = equations.always_open.copy()
    open_columns[: equations.cells] |= pattern
    label = equations.groups(open_columns)
    cells = np.flatnonzero(problem.primary)
    bits = np.zeros(len(cells))
    for group in np.unique(label[cells]).tolist():
        columns = np.flatnonzero(label == group)
        asked = np.flatnonzero(label[cells] == group)
        at = np.searchsorted(columns, cells[asked])
        ones = np.ones(len(asked), np.int64)
        targets = csr_array((ones, at, np.arange(len(asked) + 1)), shape=(len(asked), len(columns)))
        answer = method.bounds(equations.component(columns, targets), limits, start=equations.value[columns])
        for k, found in zip(asked.tolist(), answer.targets, strict=True):
            bits[k] = inf if found.at_least is None else log2(max(1, found.at_least))
    return bits
