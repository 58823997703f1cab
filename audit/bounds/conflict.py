"""Why no table fits: a small set of released statements that cannot all be true."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.programs.elastic import elastic
from tableseal.audit.bounds.programs.float_problem import moved_by
from tableseal.audit.errors import ContradictionError
from tableseal.audit.linear.integers import product
from tableseal.audit.linear.naming import codes_name, decimal, full_name, interval_words, places_of
from tableseal.audit.periods import grown
from tableseal.audit.prepare import Prepared
from tableseal.audit.solvers.protocol import Floats, Problem, Solver

SHOWN = 10


def conflict(prepared: Prepared, solver: Solver) -> ContradictionError:
    """The error that names a smallest (irreducible) set of statements without a common real solution; if real
    solutions exist, it says that no solution in whole units does."""
    system = prepared.system
    found = _infeasible_rows(prepared, solver)
    if found is None:
        return ContradictionError(
            "The released values and intervals contradict each other; which of them could not be narrowed down. "
            "Check rounding bases, links and intervals."
        )
    if not found:
        return ContradictionError(
            "The released values and intervals contradict each other: tables of fractions fit them, but no table of "
            "whole multiples of the unit does. Check rounding bases, links and intervals."
        )
    needed = list(found)
    for row in found:
        rest = [r for r in needed if r != row]
        if rest and not _feasible(system.matrix[rest], system.lower[rest], system.upper[rest], prepared, solver):
            needed = rest
    stated = [r for r in needed if system.cell[r] >= 0 or system.link[r] >= 0]
    lines = [_statement(prepared, r) for r in stated[:SHOWN]]
    if len(stated) > SHOWN:
        lines.append(f"... and {len(stated) - SHOWN} more")
    if prepared.release.intruder.nonnegative:
        lines.append("no value is below 0")
    cells = prepared.cells
    named = [int(system.cell[r]) for r in stated[:SHOWN] if system.cell[r] >= 0]
    return ContradictionError(
        "The released values and intervals contradict each other; no table satisfies all of:\n  " + "\n  ".join(lines),
        places=places_of(prepared.release, cells, named),
    )


TOLERANCE = 1e-6
"""Total violation below which real solutions are taken to exist."""

REFINEMENTS = 4
"""Times that the problem is measured anew from the point found: floats of released values of 10^15 would not tell a
contradiction of one unit from their own rounding."""


def _violation(
    matrix: csr_array, lower: NDArray[np.int64], upper: NDArray[np.int64], nonnegative: bool, solver: Solver
) -> tuple[float, Floats] | None:
    """(least total violation, row multipliers) of rows over base cells; None if the engine gives no answer."""
    columns = matrix.shape[1]
    origin, answer = np.zeros(columns, np.int64), None
    for _ in range(REFINEMENTS):
        there = product(matrix, origin)
        least, most = moved_by(lower, there), moved_by(upper, there)
        scale = max(1.0, least.max(initial=0.0) / _LARGE, -most.min(initial=0.0) / _LARGE)
        low = -origin / scale if nonnegative else np.full(columns, -np.inf)
        problem = Problem(matrix, least / scale, most / scale, low, np.full(columns, np.inf))
        found = elastic(problem, solver)
        if found is None:
            break
        answer = scale * found.violation, found.row_dual
        step = np.rint(scale * found.point)
        if not step.any() or not (np.abs(step) < _FAR).all():
            break
        origin += step.astype(np.int64)
        if nonnegative:
            np.maximum(origin, 0, out=origin)
    return answer


_LARGE = 1e6
"""What is still missing is scaled to at most this: the engine fails on much larger numbers."""

_FAR = 2.0**60
"""Released values and their sums are smaller."""


def _infeasible_rows(prepared: Prepared, solver: Solver) -> list[int] | None:
    """System rows behind a Farkas proof over the differenced rows (few, because these are sparse); empty if real
    solutions exist, None if the engine gives no answer."""
    differenced, nonnegative = prepared.differenced, prepared.release.intruder.nonnegative
    found = _violation(differenced.matrix, differenced.lower, differenced.upper, nonnegative, solver)
    if found is None:
        return None
    violation, y = found
    if violation < TOLERANCE:
        return []
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
    found = _violation(csr_array(matrix[:, touched]), lower, upper, nonnegative, solver)
    return found is None or found[0] < TOLERANCE


def _statement(prepared: Prepared, row: int) -> str:
    system, release = prepared.system, prepared.release
    low, high = int(system.lower[row]), int(system.upper[row])
    if system.link[row] >= 0:
        said = release.statistic_of(int(system.link[row]))
        if said is not None:
            statistic, at = said
            value = decimal(int(statistic.table.value.units[at]), statistic.unit)
            name = codes_name(release, statistic.table, statistic.codes(at))
            return f'statistic "{statistic.table.name}" of {name} is {value}'
        link = release.statements[int(system.link[row])]
        changed = grown(release, link)
        if changed is not None:
            return f"{changed} changed from one period to the next by no more than is assumed"
        bounds = [f"at least {link.lower}" if link.lower is not None else ""]
        bounds.append(f"at most {link.upper}" if link.upper is not None else "")
        return f"link {int(system.link[row]) + 1} is {' and '.join(b for b in bounds if b)}"
    cell = int(system.cell[row])
    unit = list(release.measures.values())[int(prepared.cells.measure[cell])].unit
    name = full_name(release, prepared.cells, cell)
    if release.intruder.prior is not None and not prepared.cells.exact[cell]:
        return f"{name} is within the intruder's prior"  # its ends would give the true value away
    return f"{name} is {interval_words(low, high, unit)}"
