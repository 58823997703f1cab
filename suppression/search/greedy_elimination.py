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

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.errors import LimitError
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.measures.rank import PRIME, dependencies
from tableseal.audit.measures.subspace import Subspace, Vector
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.result import Found


def greedy_elimination(problem: Problem, tools: Tools) -> Found:
    """A pattern from which equations alone give no sensitive cell; no cell of it can be published again."""
    moves = movements(problem)
    given = beyond_protection(problem, moves)
    if given is not None:
        return Found("infeasible", None, 0, 0, given)
    pattern = eliminated(problem, moves, problem.cost)
    if determined(problem, pattern)[problem.asked].any():
        raise LimitError("Elimination modulo a large prime did not agree with whole numbers; use another method.")
    return Found("feasible", pattern, problem.price(pattern), 0, guarantee="exact disclosure")


def movements(problem: Problem) -> list[Vector]:
    """Basis of all ways in which cells move together if all is withheld that may be: cell -> entry, whole numbers."""
    columns = np.flatnonzero(problem.equations.opened(problem.primary | problem.may))
    by_column = csr_array(_equations(problem).T.tocsr()[columns])
    return [{int(columns[k]): entry for k, entry in move.items()} for move in dependencies(by_column)]


def beyond_protection(problem: Problem, moves: list[Vector]) -> Requirement | None:
    """A requirement for a sensitive cell that does not move whatever is withheld: equations give it."""
    moving = set().union(*moves)
    return next((need for need in problem.requirements if need.cell not in moving), None)


def eliminated(problem: Problem, moves: list[Vector], cost: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The pattern (bool, cells) that is left when cells are published one by one, dearest first.

    moves: from `movements`; cost: int64 (cells), of withholding, for the order alone.
    """
    space, asked = Subspace(moves, PRIME), problem.asked
    pattern = problem.primary.copy()
    for cell in np.lexsort((np.arange(len(pattern)), -cost)).tolist():
        if problem.may[cell] and _needed(asked, space, cell):
            pattern[cell] = True
        elif problem.may[cell]:
            space.vanish(cell)
    return pattern


def determined(problem: Problem, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells (bool) that a pattern withholds and equations alone give: exactly, over the rationals."""
    columns = np.flatnonzero(problem.equations.opened(pattern))
    local = csr_array(_equations(problem)[:, columns])
    found, values = Elimination(local, np.zeros(local.shape[0], np.int64)).determined()
    result = np.zeros(problem.equations.matrix.shape[1], np.bool_)
    result[columns[found[values.known]]] = True
    return result[: problem.equations.cells]


def _equations(problem: Problem) -> csr_array:
    """The relations that are equations."""
    equations = problem.equations
    return csr_array(equations.matrix[np.flatnonzero(equations.lower == equations.upper)])


def _needed(asked: NDArray[np.bool_], space: Subspace, cell: int) -> bool:
    """Whether a cell that must be able to move no longer could if this one were published."""
    if not space.users(cell):
        return False
    near = space.vector(space.shortest(cell))
    return any(asked[c] and space.parallel(cell, c) for c in near if c < len(asked))
