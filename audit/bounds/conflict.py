"""Why no table fits: a small set of released statements that cannot all be true."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.elastic import elastic
from audit.bounds.problem import as_floats
from audit.errors import ContradictionError
from audit.linear.naming import full_name, interval_words
from audit.prepare import Prepared
from audit.solvers.protocol import Floats, Problem, Solver

SHOWN = 10


def conflict(prepared: Prepared, solver: Solver) -> ContradictionError:
    """The error that names a smallest (irreducible) set of statements without a common real solution; if real
    solutions exist, it says that no solution in whole units does."""
    system = prepared.system
    rows = _infeasible_rows(prepared, solver)
    if rows is None:
        return ContradictionError(
            "The released values and intervals contradict each other: tables of fractions fit them, but no table of "
            "whole multiples of the unit does. Check rounding bases, links and intervals."
        )
    needed = list(rows)
    for row in rows:
        rest = [r for r in needed if r != row]
        if rest and not _feasible(system.matrix[rest], system.lower[rest], system.upper[rest], prepared, solver):
            needed = rest
    stated = [r for r in needed if system.cell[r] >= 0 or system.link[r] >= 0]
    lines = [_statement(prepared, r) for r in stated[:SHOWN]]
    if len(stated) > SHOWN:
        lines.append(f"... and {len(stated) - SHOWN} more")
    if prepared.release.intruder.nonnegative:
        lines.append("no value is below 0")
    return ContradictionError(
        "The released values and intervals contradict each other; no table satisfies all of:\n  " + "\n  ".join(lines)
    )


TOLERANCE = 1e-6
"""Total violation below which real solutions are taken to exist."""


def _violation(
    matrix: csr_array, lower: NDArray[np.int64], upper: NDArray[np.int64], nonnegative: bool, solver: Solver
) -> tuple[float, Floats]:
    """(least total violation, row multipliers) of rows over base cells."""
    columns = matrix.shape[1]
    low = np.full(columns, 0.0 if nonnegative else -np.inf)
    problem = Problem(matrix, as_floats(lower), as_floats(upper), low, np.full(columns, np.inf))
    return elastic(problem, solver) or (0.0, np.zeros(matrix.shape[0]))


def _infeasible_rows(prepared: Prepared, solver: Solver) -> list[int] | None:
    """System rows behind a Farkas proof over the differenced rows (few, because these are sparse)."""
    differenced, nonnegative = prepared.differenced, prepared.release.intruder.nonnegative
    violation, y = _violation(differenced.matrix, differenced.lower, differenced.upper, nonnegative, solver)
    if violation < TOLERANCE:
        return None
    used = np.where(np.abs(y) > 1e-9, np.rint(y * 2**20).astype(np.int64), 0)
    return [int(r) for r in np.flatnonzero(differenced.transform.T @ used)]


def _feasible(
    matrix: csr_array,
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    prepared: Prepared,
    solver: Solver,
) -> bool:
    touched = np.unique(matrix.indices)
    nonnegative = prepared.release.intruder.nonnegative
    violation, _ = _violation(csr_array(matrix[:, touched]), lower, upper, nonnegative, solver)
    return violation < TOLERANCE


def _statement(prepared: Prepared, row: int) -> str:
    system, release = prepared.system, prepared.release
    low, high = int(system.lower[row]), int(system.upper[row])
    if system.link[row] >= 0:
        link = release.links[int(system.link[row])]
        bounds = [f"at least {link.lower}" if link.lower is not None else ""]
        bounds.append(f"at most {link.upper}" if link.upper is not None else "")
        return f"link {int(system.link[row]) + 1} is {' and '.join(b for b in bounds if b)}"
    cell = int(system.cell[row])
    unit = list(release.measures.values())[int(prepared.cells.measure[cell])].unit
    name = full_name(release, prepared.cells, cell)
    if release.intruder.prior is not None and not prepared.cells.exact[cell]:
        return f"{name} is within the intruder's prior"  # its ends would give the true value away
    return f"{name} is {interval_words(low, high, unit)}"
