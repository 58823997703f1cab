"""Sparser rows with the same meaning: a known sum minus its known parts.

A released total over withheld and published cells says no more than "total minus the published parts = the rest".
Subtracting, from every exact row, the nearest exact rows inside it along one direction is a unit-triangular change of
rows: nothing is lost, and the multipliers of the original rows are recovered by the transpose.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from audit.linear.integers import product
from audit.linear.nesting import Nesting
from audit.linear.system import LinearSystem


@dataclass(frozen=True)
class Differenced:
    """transform @ system.matrix and its bounds; row i of `transform` says which system rows row i combines."""

    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    transform: csr_array


def difference_rows(system: LinearSystem, known: NDArray[np.int64], directions: list[Nesting]) -> Differenced:
    """Replace every exact cell row by itself minus its nearest exact parts, in the direction that leaves least.

    Parameters
    ----------
    known: positions (in `cells`) of the exact cells, in the order of `directions[...].whole`.
    """
    rows = system.matrix.shape[0]
    row = row_of(system, known)
    size = np.diff(system.matrix.indptr)[row].astype(np.int64)
    best = size.copy()
    choice = np.full(len(known), -1)
    for d, direction in enumerate(directions):
        part = np.flatnonzero(direction.whole >= 0)
        left = size - np.bincount(direction.whole[part], size[part], len(known)).astype(np.int64)
        better = left < best
        best[better], choice[better] = left[better], d
    subtract_from, subtracted = [], []
    for d, direction in enumerate(directions):
        part = np.flatnonzero(direction.whole >= 0)
        whole = direction.whole[part]
        use = choice[whole] == d
        subtract_from.append(row[whole[use]])
        subtracted.append(row[part[use]])
    transform = _combine(rows, subtract_from, subtracted)
    matrix = csr_array(transform @ system.matrix)
    matrix.eliminate_zeros()
    exact = system.exact
    value = product(transform, np.where(exact, system.lower, 0))
    return Differenced(matrix, np.where(exact, value, system.lower), np.where(exact, value, system.upper), transform)


def row_of(system: LinearSystem, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The system row that states each of the given cells (which must have one)."""
    stated = np.flatnonzero(system.cell >= 0)
    order = stated[np.argsort(system.cell[stated])]
    return order[np.searchsorted(system.cell[order], cells)]


def _combine(rows: int, subtract_from: list[NDArray[np.int64]], subtracted: list[NDArray[np.int64]]) -> csr_array:
    """Identity minus one entry per (row, subtracted row)."""
    identity = np.arange(rows)
    a = np.concatenate([identity, *subtract_from])
    b = np.concatenate([identity, *subtracted])
    data = np.concatenate([np.ones(rows, np.int64), np.full(len(a) - rows, -1, np.int64)])
    return csr_array(coo_array((data, (a, b)), shape=(rows, rows)))


def variants(system: LinearSystem, known: NDArray[np.int64], directions: list[Nesting]) -> csr_array:
    """Transforms for every direction of every exact row (each minus its nearest exact parts): all the short equations
    a reader may want to see. Rows that a direction leaves as they are, are left out."""
    rows = system.matrix.shape[0]
    row = row_of(system, known)
    blocks_a, blocks_b, data = [], [], []
    offset = 0
    for direction in directions:
        part = np.flatnonzero(direction.whole >= 0)
        wholes, place = np.unique(direction.whole[part], return_inverse=True)
        blocks_a += [offset + np.arange(len(wholes)), offset + place]
        blocks_b += [row[wholes], row[part]]
        data += [np.ones(len(wholes), np.int64), np.full(len(part), -1, np.int64)]
        offset += len(wholes)
    if offset == 0:
        return csr_array((0, rows), dtype=np.int64)
    return csr_array(
        coo_array((np.concatenate(data), (np.concatenate(blocks_a), np.concatenate(blocks_b))), shape=(offset, rows))
    )
