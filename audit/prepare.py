"""Everything that is computed from a release before any bound: cells, checks, system, reduction."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from audit.linear.additivity import check_additivity
from audit.linear.cells import Cells
from audit.linear.difference import Differenced, difference_rows, variants
from audit.linear.nesting import nestings
from audit.linear.system import LinearSystem, build_system
from audit.model import Note, Release


@dataclass(frozen=True)
class Prepared:
    """A release as a linear system, checked for additivity, with what follows from it by equations alone.

    short_equations: transforms (csr, equations x system rows) of every "known sum minus its known parts".
    """

    release: Release
    cells: Cells
    notes: tuple[Note, ...]
    system: LinearSystem
    differenced: Differenced
    short_equations: csr_array


def prepare(release: Release, cells: Cells, notes: tuple[Note, ...] = ()) -> Prepared:
    """Build and check the linear system.

    Raises
    ------
    AdditivityError, ContradictionError, InputError, LimitError.
    """
    system = build_system(release, cells)
    stated = np.flatnonzero(system.cell >= 0)
    known = system.cell[stated]
    sizes = np.diff(system.matrix.indptr)[stated].astype(np.int64)
    directions = list(nestings(release, cells, known))
    check_additivity(release, cells, known, system.lower[stated], system.upper[stated], sizes, directions)
    exact = system.exact[stated]
    if not exact.all():
        known = known[exact]
        directions = list(nestings(release, cells, known))
    return Prepared(
        release,
        cells,
        notes,
        system,
        difference_rows(system, known, directions),
        variants(system, known, directions),
    )
