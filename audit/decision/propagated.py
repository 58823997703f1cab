"""What propagation alone proves of a pattern: at once at any size, and enough where what is around a cell is published.

To decide exactly whether a cell stays protected takes minutes where tens of thousands of cells hang together. A cell
whose line is published to the last one needs none of them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.decision.equations import Equations
from tableseal.audit.linear.propagate import Bounds, propagate
from tableseal.audit.sparse import empty, rows_at, stacked, transposed

AROUND = 4
"""Relations from a cell to another one, within which it is looked for what proves something of it."""


def refuted(equations: Equations, pattern: NDArray[np.bool_], needs: Sequence[Requirement]) -> Requirement | None:
    """The first requirement of outsiders that a pattern is proved not to meet.

    pattern: bool (cells), True where withheld.
    """
    asked = [need for need in needs if need.sure and not need.attacker.involved]
    low, high = _propagated(_all(equations), pattern)
    cells = [need.cell for need in asked]
    ends = zip(asked, low[cells].tolist(), high[cells].tolist(), strict=True)
    return next((need for need, least, most in ends if _missed(need, least, most)), None)


def around(equations: Equations, pattern: NDArray[np.bool_], need: Requirement) -> Equations | None:
    """Those relations near a cell that prove a pattern not to meet a requirement of outsiders; None: they do not."""
    if need.attacker.involved:
        return None
    whole = _all(equations)
    columns = np.array([need.cell])
    for _ in range(AROUND):
        rows = np.unique(rows_at(whole.by_column, columns).indices)
        matrix = rows_at(whole.matrix, rows)
        part = _of(equations, matrix, whole.lower[rows], whole.upper[rows])
        low, high = _propagated(part, pattern)
        if _missed(need, int(low[need.cell]), int(high[need.cell])):
            return part
        columns = np.unique(matrix.indices)
        columns = columns[part.opened(pattern)[columns]]
    return None


def _all(equations: Equations) -> Equations:
    """With the sums in all directions as relations."""
    nothing = np.zeros(equations.short.shape[0], np.int64)
    matrix = stacked([equations.matrix, equations.short])
    return _of(equations, matrix, np.append(equations.lower, nothing), np.append(equations.upper, nothing))


def _of(equations: Equations, matrix: csr_array, lower: NDArray[np.int64], upper: NDArray[np.int64]) -> Equations:
    """The same columns with other relations."""
    none = empty(matrix.shape[1])
    return replace(equations, matrix=matrix, by_column=transposed(matrix), short=none, lower=lower, upper=upper)


def _propagated(equations: Equations, pattern: NDArray[np.bool_]) -> Bounds:
    """Bounds of all columns (int64, columns), of whole units."""
    opened, value = equations.opened(pattern), equations.value
    low = np.where(opened, equations.column_lower, value)
    high = np.where(opened, equations.column_upper, value)
    return propagate(equations.matrix, equations.lower, equations.upper, low, high, integer=True)


def _missed(need: Requirement, low: int, high: int) -> bool:
    """Whether values within such bounds are too few."""
    beyond = [need.lower is not None and low > need.lower, need.upper is not None and high < need.upper]
    return all(beyond) if need.either else any(beyond) or high - low < need.width
