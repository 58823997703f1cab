"""From cells to a checked and differenced linear system."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.additivity import check_additivity
from tableseal.audit.linear.cells import Cells, Stated
from tableseal.audit.linear.difference import Differenced, Pairs, difference_rows, short_equations
from tableseal.audit.linear.nesting import CellCodes, Nesting, nestings
from tableseal.audit.linear.system import LinearSystem, build_system, known_bounds
from tableseal.audit.model import Release


@dataclass(frozen=True)
class Prepared:
    """A release as a linear system, checked for additivity, with short rows.

    directions: which known rows are parts of which, in every direction.
    """

    release: Release
    cells: Cells
    system: LinearSystem
    differenced: Differenced
    directions: list[Pairs]

    def short_equations(self, columns: NDArray[np.bool_]) -> csr_array:
        """Transforms (csr, equations x system rows) of every "known sum minus its known parts" of sums that some of
        these base cells are in."""
        matrix = self.system.matrix
        wanted = matrix @ columns.astype(np.int64) != 0
        own = [(wanted[pairs.whole], pairs) for pairs in self.directions]
        return short_equations(
            matrix.shape[0], [Pairs(pairs.whole[at], pairs.part[at], pairs.sign) for at, pairs in own]
        )


def prepare(release: Release, cells: Cells, *, hidden: NDArray[np.bool_] | None = None) -> Prepared:
    """Build and check the linear system.

    hidden: bool (cells), values that no message may tell although these cells publish them (a what-if).

    Raises
    ------
    AdditivityError, ContradictionError, InputError, LimitError.
    """
    lower, upper = known_bounds(release, cells)
    system = build_system(release, cells, lower, upper)
    exact = np.flatnonzero(lower == upper)
    nested = _nested(release, cells, exact)
    stated = _stated(release, cells)
    same = np.array_equal(stated.known, exact)
    check_additivity(stated, nested if same else _nested(release, cells, stated.known), hidden=hidden)
    codes = CellCodes(cells.measure[exact], cells.codes[exact])
    differenced, pairs = difference_rows(release, system, exact, codes, nested)
    return Prepared(release, cells, system, differenced, pairs)


def check_sums(release: Release, cells: Cells) -> None:
    """Do all released values add up?

    Raises
    ------
    AdditivityError: those that do not.
    """
    stated = _stated(release, cells)
    check_additivity(stated, _nested(release, cells, stated.known))


def _stated(release: Release, cells: Cells) -> Stated:
    return Stated.within(release, cells, *known_bounds(release, cells, prior=False))


def _nested(release: Release, cells: Cells, known: NDArray[np.int64]) -> list[Nesting]:
    return list(nestings(release, CellCodes(cells.measure[known], cells.codes[known])))
