"""What a pattern leaves open of each sensitive cell: entropy over its possible values, proved."""

from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.method import Method
from tableseal.suppression.problem.problem import Problem


def sensitive_bits(problem: Problem, pattern: NDArray[np.bool_], method: Method, limits: Limits) -> NDArray[np.float64]:
    """Entropy in bits of each sensitive cell, in the order of their positions, all possible values equally likely.

    That is log2 of the values that are proved possible (Oganian and Domingo-Ferrer 2003, section 3); infinite where
    there is no limit. pattern: bool (cells), withheld.
    """
    equations = problem.equations
    cells = np.flatnonzero(problem.primary)
    bits = np.zeros(len(cells))
    for asked, columns, component in equations.components(equations.groups(equations.opened(pattern)), cells):
        answer = method.bounds(component, limits, start=equations.value[columns])
        for k, found in zip(asked.tolist(), answer.targets, strict=True):
            bits[k] = inf if found.at_least is None else log2(max(1, found.at_least))
    return bits
