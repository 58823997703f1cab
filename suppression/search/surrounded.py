"""Where the time is over: sub-tables wholly withheld around the cells of which nothing is shown yet.

Much of a large table is shown to be safe by then. What is not is mostly safe with everything around it withheld, which
leaves the rest of the table to be published. Whether it is safe the audit tells.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.decision.oracle import Oracle
from tableseal.suppression.problem.problem import Problem

RELATIONS = 2
"""Steps from relation to relation that are around a cell: its lines, and the lines that cross them."""

MOST = 0.5
"""Share of the requirements that may be open: with more, nearly everything is around some of them."""


def surrounded(problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A wider pattern (bool, cells) with all that may be withheld around what no table in hand shows to be met, by
    outsiders or by what the oracle watches for; everything where that is most of it."""
    everything = problem.primary | problem.may
    missed = ~oracle.protected(pattern)
    if np.count_nonzero(missed) > MOST * len(missed):
        return everything
    needs = [need for need, open_ in zip(oracle.requirements, missed.tolist(), strict=True) if open_]
    needs += oracle.doubted(pattern)
    short = abs(problem.equations.short)
    near = np.zeros(short.shape[1], np.int64)
    near[[need.cell for need in needs]] = 1
    for _ in range(RELATIONS):
        near = (short.T @ np.minimum(short @ near, 1) > 0).astype(np.int64)
    result: NDArray[np.bool_] = pattern | (everything & (near[: len(everything)] > 0))
    return result
