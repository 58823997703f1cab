"""Protection from exact disclosure only, by elimination: very fast, and labelled for what it does not promise.

Withheld cells can move in the directions of the null space of the relations. Cells are published again, dearest first,
and each takes one dimension from that space, unless a sensitive cell would be left with nothing: then it stays
withheld. In the end the published cells and the relations alone give no sensitive cell (Langsrud 2024 describes
the same idea with released sums eliminated). Nothing is promised of intervals: what everyone knows besides (no value is
negative) may still give a cell, or nearly.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.decision.cuts import Requirement
from audit.errors import LimitError
from audit.linear.eliminate import Elimination
from audit.measures.rank import PRIMES, dependencies, rows_of
from audit.measures.subspace import Subspace
from suppression.problem import Problem
from suppression.search.method import Tools
from suppression.search.result import Found


def greedy_elimination(problem: Problem, tools: Tools) -> Found:
    """A pattern from which equations alone give no sensitive cell; no cell of it can be published again."""
    equations = problem.equations
    open_columns = equations.always_open.copy()
    open_columns[: equations.cells] |= problem.primary | problem.may
    columns = np.flatnonzero(open_columns)
    exact = csr_array(equations.matrix[np.flatnonzero(equations.lower == equations.upper)])
    moves = dependencies(rows_of(csr_array(exact.T.tocsr()[columns])))
    space = Subspace(({int(columns[k]): entry for k, entry in move.items()} for move in moves), PRIMES[0])
    given = _given(problem, space)
    if given is not None:
        return Found("infeasible", None, 0, 0, given)
    pattern = problem.primary.copy()
    for cell in np.lexsort((np.arange(len(pattern)), -problem.cost)).tolist():
        if problem.may[cell] and _needed(problem, space, cell):
            pattern[cell] = True
        elif problem.may[cell]:
            space.vanish(cell)
    if determined(problem, exact, pattern)[problem.primary].any():
        raise LimitError("Elimination modulo a large prime did not agree with whole numbers; use another method.")
    return Found("feasible", pattern, problem.price(pattern), 0, guarantee="exact disclosure")


def determined(problem: Problem, exact: csr_array, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells (bool) that a pattern withholds and equations alone give: exactly, over the rationals.

    exact: int64 csr, the relations that are equations.
    """
    equations = problem.equations
    open_columns = equations.always_open.copy()
    open_columns[: equations.cells] |= pattern
    columns = np.flatnonzero(open_columns)
    local = csr_array(exact[:, columns])
    found, values = Elimination(local, np.zeros(local.shape[0], np.int64)).determined()
    result = np.zeros(len(open_columns), np.bool_)
    result[columns[found[values.known]]] = True
    return result[: equations.cells]


def _given(problem: Problem, space: Subspace) -> Requirement | None:
    """A requirement for a sensitive cell that equations give even if all is withheld that may be."""
    return next((need for need in problem.requirements if not space.users(need.cell)), None)


def _needed(problem: Problem, space: Subspace, cell: int) -> bool:
    """Whether a sensitive cell could no longer move if this one were published."""
    if not space.users(cell):
        return False
    near = space.vector(space.shortest(cell))
    return any(problem.primary[c] and space.parallel(cell, c) for c in near if c < len(problem.primary))
