"""The rank view of a release: what withholding takes away from the equations, and what is withheld for nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.eliminate import Elimination
from tableseal.audit.sparse import csr, entries, rows_at, stacked, without_zeros


@dataclass(frozen=True)
class RankView:
    """Rank decreases of the withheld cells of a release; the equations are all that is known exactly.

    decrease: of withholding all of them.
    alone: bool (cells), whether withholding this one cell would take one off the rank if all others were released.
    recomputable: bool (cells), whether the equations give the cell although it is withheld: publishing it again changes
        neither rank nor any interval (withheld for nothing, O03 section 4.5.3).
    """

    decrease: int
    alone: NDArray[np.bool_]
    recomputable: NDArray[np.bool_]


def rank_view(equations: csr_array, rank: int, withheld: csr_array, determined: NDArray[np.bool_]) -> RankView:
    """The rank view of withheld cells, exactly.

    Parameters
    ----------
    equations: int64 (rows x columns), everything that is known exactly; rank: of these.
    withheld: int64 (cells x columns); determined: bool (cells), which of them the equations give, or bounds of columns
        that are in no equation.
    """
    given = _given(equations)
    touched = np.zeros(equations.shape[1], np.bool_)
    touched[equations.indices] = True
    asked, rest = (without_zeros(entries(rows, ~given[rows.indices])) for rows in (withheld, equations))
    # Nearly all equations are about columns that are given, and say nothing more.
    rows = stacked([asked, rows_at(rest, np.flatnonzero(np.diff(rest.indptr)))])
    eliminated = Elimination(rows, np.zeros(rows.shape[0], np.int64))
    strange = withheld @ (~touched).astype(np.int64)
    return RankView(
        decrease=eliminated.rank + int(given.sum()) - rank,
        alone=~eliminated.in_dependency[: withheld.shape[0]],
        recomputable=determined & (strange == 0),
    )


def _given(equations: csr_array) -> NDArray[np.bool_]:
    """Columns that equations with nothing else left give, again and again: most of a release, and quickly found."""
    given = np.zeros(equations.shape[1], np.bool_)
    equations = without_zeros(equations)
    entry = csr(np.ones(equations.nnz, np.int64), equations.indices, equations.indptr, equations.shape)
    places = csr(equations.indices.astype(np.int64), equations.indices, equations.indptr, equations.shape)
    while True:
        left = ~given
        size = entry @ left.astype(np.int64)
        single = size == 1
        columns = (places @ left.astype(np.int64))[single]
        if not left[columns].any():
            return given
        given[columns] = True
