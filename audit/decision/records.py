"""Values of base cells that no table shows, from the records that tables are made of."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError
from tableseal.audit.linear.base import Base
from tableseal.audit.linear.inclusion import members_of
from tableseal.audit.linear.marks import marks
from tableseal.audit.model import Hierarchy, Release
from tableseal.audit.tabulation.values import values_of

_OUTSIDE, _SEVERAL = -1, -2


def recorded(release: Release, base: Base) -> NDArray[np.int64] | None:
    """int64 (columns of the base): what the records add up to. None: they do not say it (they never do of an earlier
    period), or may lie in several cells."""
    microdata = release.microdata
    if microdata is None:
        return None
    found = np.zeros(base.columns, np.int64)
    hierarchies = list(release.variables.values())
    for m, measure in enumerate(release.measures.values()):
        blocks = {at: block for at, block in enumerate(base.blocks) if block.measure == m}
        if not blocks:
            continue
        if measure.previous is not None:
            return None
        try:
            records = values_of(microdata, measure)
        except InputError:
            return None
        atoms = [[block.atoms[v] for block in blocks.values()] for v in range(len(hierarchies))]
        of_code = [_atom_of_code(hierarchy, own) for hierarchy, own in zip(hierarchies, atoms, strict=True)]
        for position, block in enumerate(blocks):
            place = [of[position][records.codes[:, v]] for v, of in enumerate(of_code)]
            inside = np.all([at != _OUTSIDE for at in place], axis=0)
            for table in (table for table in base.tables if table.block == block):
                own = [place[v][inside] for v in table.variables]
                if any((at == _SEVERAL).any() for at in own):
                    return None
                column = np.ravel_multi_index(own, table.shape) if own else np.zeros(int(inside.sum()), np.int64)
                np.add.at(found, table.offset + column, records.units[inside])
    return found


def _atom_of_code(hierarchy: Hierarchy, atoms: Sequence[csr_array]) -> list[NDArray[np.int64]]:
    """Per block of a measure, int64 (codes of the variable, and one for no code): the atom that a code lies in.

    atoms: of each block (codes x atoms). What a code lies outside of, or in several atoms of, is told by a negative
    number.
    """
    used = np.flatnonzero(np.any([np.diff(own.indptr) > 0 for own in atoms], axis=0))
    members = csr_array(members_of(hierarchy))
    told = marks(20071217, len(used), 2)
    of_leaves = [tuple(sign) for sign in (members[used].T @ told).tolist()]
    starts = np.append(members.indptr[:-1], members.indptr[-1])
    leaves = np.append(members.indices, np.arange(members.shape[1]))
    found = []
    for own in atoms:
        known = {tuple(sign): at for at, sign in enumerate((own[used].T @ told).tolist())}
        of_leaf = np.array([known.get(sign, _OUTSIDE) for sign in of_leaves], np.int64)[leaves]
        least, most = np.minimum.reduceat(of_leaf, starts), np.maximum.reduceat(of_leaf, starts)
        found.append(np.where(least == most, least, _SEVERAL))
    return found
