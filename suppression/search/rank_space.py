"""The rank decrease of patterns, as a matroid over the cells of a search problem.

Withholding a set S of released cells takes |S| - rank(D_S) from the rank of the released system, where the rows of D
are the dependencies between released cells (Oganian and Domingo-Ferrer 2003, 4.5; see audit.measures.rank).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.measures.rank import dependencies, rows_of
from tableseal.audit.measures.subspace import Vector
from tableseal.audit.model import Release
from tableseal.suppression.problem.problem import Problem


def counted_cells(problem: Problem, *, margins: bool) -> NDArray[np.bool_]:
    """Released cells whose withholding counts: all that are released exactly or, without margins, those of them that
    stand at no total of a variable their table is crossed by."""
    counted = ~problem.equations.always_open[: problem.equations.cells]
    return counted if margins else counted & ~_margins(problem.release, problem.cells)


def _margins(release: Release, cells: Cells) -> NDArray[np.bool_]:
    """Cells (bool) at the total of a variable that every table listing them is crossed by."""
    margin = np.ones(len(cells), np.bool_)
    for t, table in enumerate(release.tables):
        listed = cells.listing_cell[cells.listing_table == t]
        at_total = np.zeros(len(listed), np.bool_)
        for v, hierarchy in enumerate(release.variables.values()):
            if hierarchy.name in table.named and hierarchy.total is not None:
                at_total |= cells.codes[listed, v] == hierarchy.total_index
        margin[listed[~at_total]] = False
    return margin & (cells.row >= 0)


def dependencies_among(problem: Problem, counted: NDArray[np.bool_]) -> list[Vector]:
    """Basis of the linear dependencies between counted cells (cell -> coefficient, whole numbers).

    These are the combinations of the relations in which nothing else is left. Each cell that does not count has a
    dependency of its own: withholding it takes nothing.
    """
    equations = problem.equations
    exact = csr_array(equations.matrix[np.flatnonzero(equations.lower == equations.upper)])
    other = np.ones(exact.shape[1], np.bool_)
    other[: equations.cells] = ~counted
    kept = csr_array(exact[:, np.flatnonzero(~other)])
    cell_of = np.flatnonzero(~other).tolist()
    combinations = dependencies(csr_array(exact[:, np.flatnonzero(other)]))
    rows = rows_of(kept)
    found = []
    for combination in combinations:
        total: Vector = {}
        for r, factor in combination.items():
            for column, entry in rows[r].items():
                cell = cell_of[column]
                total[cell] = total.get(cell, 0) + factor * entry
        found.append({c: entry for c, entry in total.items() if entry})
    return [vector for vector in found if vector] + [{c: 1} for c in np.flatnonzero(~counted).tolist()]


def decrease(vectors: list[Vector], pattern: NDArray[np.bool_]) -> int:
    """Rank that a pattern (bool, cells) takes away, exactly. vectors: from `dependencies_among`."""
    entries = [(k, c, e) for k, vector in enumerate(vectors) for c, e in vector.items() if pattern[c]]
    row, cell, entry = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    matrix = csr_array((entry, (row, cell)), shape=(len(vectors), len(pattern)))
    return int(pattern.sum()) - Elimination(matrix, np.zeros(len(vectors), np.int64)).rank
