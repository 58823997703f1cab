"""Sparser rows with the same meaning: a known sum minus its known parts.

A released total over withheld and published cells says no more than "total minus the published parts = the rest".
Subtracting, from every exact row, the nearest exact rows inside it along one direction is a unit-triangular change of
rows: nothing is lost, and the multipliers of the original rows are recovered by the transpose. Rows that make two base
tables agree on a margin are thinned in the same way on either side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.linear.integers import product
from tableseal.audit.linear.nesting import CellCodes, Nesting, nestings
from tableseal.audit.linear.system import LinearSystem
from tableseal.audit.model import Release
from tableseal.audit.sparse import empty, from_entries, products, stacked, without_zeros


@dataclass(frozen=True)
class Differenced:
    """transform @ system.matrix and its bounds; row i of `transform` says which system rows row i combines."""

    matrix: csr_array
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    transform: csr_array


@dataclass(frozen=True)
class Pairs:
    """Rows and the exact rows that may be subtracted from (sign -1) or added to (+1) them, in one direction."""

    whole: NDArray[np.int64]
    part: NDArray[np.int64]
    sign: int


def difference_rows(
    release: Release, system: LinearSystem, known: NDArray[np.int64], codes: CellCodes, nested: list[Nesting]
) -> tuple[Differenced, list[Pairs]]:
    """Replace every exact row by itself minus its nearest exact parts, in the direction that leaves least.

    Parameters
    ----------
    known: positions (in `Cells`) of the cells with exact rows; codes: their measures and codes; nested: which of them
        are parts of which.

    Returns
    -------
    The differenced system, and the pairs of all directions.
    """
    rows_of = _rows_of(system, known)
    tables = _tables_of_rows(system, 1)
    directions = [_row_pairs(rows_of, n.whole, rows_of, tables, tables, -1) for n in nested]
    between = [_pairs_of_separators(release, system, rows_of, codes, tables, sign) for sign in (1, -1)]
    rows = system.matrix.shape[0]
    chosen = _best(system, directions)
    for side in between:
        chosen += _best(system, side)
    transform = _combine(rows, chosen)
    matrix = stacked([without_zeros(part) for part in products(transform, system.matrix)])
    exact = system.exact
    value = product(transform, np.where(exact, system.lower, 0))
    differenced = Differenced(
        matrix, np.where(exact, value, system.lower), np.where(exact, value, system.upper), transform
    )
    return differenced, directions


def _rows_of(system: LinearSystem, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """(known cells x k) system rows that state each cell, one per base table that can express it; -1 for no more."""
    stated = np.flatnonzero(system.cell >= 0)
    order = stated[np.argsort(system.cell[stated], kind="stable")]
    size = np.bincount(system.cell[stated], minlength=int(known.max(initial=-1)) + 1)
    end = size.cumsum()[known]
    start = end - size[known]
    width = int((end - start).max(initial=1))
    result = np.full((len(known), width), -1, dtype=np.int64)
    for k in range(width):
        has = start + k < end
        result[has, k] = order[start[has] + k]
    return result


def _row_pairs(
    rows_of: NDArray[np.int64],
    whole: NDArray[np.int64],
    outer_rows: NDArray[np.int64],
    inner_tables: NDArray[np.int64],
    outer_tables: NDArray[np.int64],
    sign: int,
) -> Pairs:
    """Pair one row of each part with each row of its whole that is written over (at least) the same base tables:
    there a part's base cells are among the whole's.

    Parameters
    ----------
    rows_of: (known cells x k) rows of the parts; whole: position in `outer_rows`, -1 for none.
    outer_rows: (wholes x k) rows of the wholes, -1 for none.
    inner_tables, outer_tables: (rows x words) bit sets of the base tables of each row, as parts and as wholes.
    """
    part = np.flatnonzero(whole >= 0)
    pairs_whole, pairs_part = [], []
    for k in range(outer_rows.shape[1]):
        outer = outer_rows[whole[part], k]
        left = outer >= 0
        for j in range(rows_of.shape[1]):
            inner = rows_of[part, j]
            at = np.flatnonzero(left & (inner >= 0))
            inside = at[~(inner_tables[inner[at]] & ~outer_tables[outer[at]]).any(axis=1)]
            pairs_whole.append(outer[inside])
            pairs_part.append(inner[inside])
            left[inside] = False
    return Pairs(np.concatenate(pairs_whole), np.concatenate(pairs_part), sign)


def _tables_of_rows(system: LinearSystem, sign: int) -> NDArray[np.int64]:
    """(rows x words) bit set of the base tables that the entries of one sign of each row lie in."""
    tables, matrix = system.base.tables, system.matrix
    table = np.repeat(np.arange(len(tables)), [t.size for t in tables])
    result = np.zeros((matrix.shape[0], len(tables) // 62 + 1), dtype=np.int64)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    use = matrix.data > 0 if sign > 0 else matrix.data < 0
    if len(tables) == 1:
        result[filled, 0] = np.logical_or.reduceat(use, matrix.indptr[filled]) if len(filled) else 0
        return result
    for word in range(result.shape[1]):
        bit = np.where(table // 62 == word, np.left_shift(np.int64(1), table % 62), 0)
        bits = np.where(use, bit[matrix.indices], 0)
        result[filled, word] = np.bitwise_or.reduceat(bits, matrix.indptr[filled]) if len(filled) else 0
    return result


def _pairs_of_separators(
    release: Release,
    system: LinearSystem,
    rows_of: NDArray[np.int64],
    known: CellCodes,
    inner_tables: NDArray[np.int64],
    sign: int,
) -> list[Pairs]:
    """Exact rows inside the half of each separator row that has the given sign; they are taken off that half."""
    at = np.flatnonzero(system.margins.known)
    if len(at) == 0:
        return []
    wholes = CellCodes(system.margins.measure[at], system.margins.codes[at])
    rows = system.margins.rows[at].reshape(-1, 1)
    outer_tables = inner_tables if sign > 0 else _tables_of_rows(system, -1)
    return [
        _row_pairs(rows_of, nesting.whole, rows, inner_tables, outer_tables, -sign)
        for nesting in nestings(release, known, wholes)
    ]


def _best(system: LinearSystem, directions: list[Pairs]) -> list[Pairs]:
    """Keep, for every row, only the direction that leaves the fewest base cells."""
    size = np.diff(system.matrix.indptr).astype(np.int64)
    best = size.copy()
    choice = np.full(len(size), -1)
    for d, pairs in enumerate(directions):
        left = size - np.bincount(pairs.whole, size[pairs.part], len(size)).astype(np.int64)
        better = left < best
        best[better], choice[better] = left[better], d
    kept = []
    for d, pairs in enumerate(directions):
        use = choice[pairs.whole] == d
        kept.append(Pairs(pairs.whole[use], pairs.part[use], pairs.sign))
    return kept


def _combine(rows: int, chosen: list[Pairs]) -> csr_array:
    """Identity plus the signed parts."""
    identity = np.arange(rows)
    a = np.concatenate([identity, *(p.whole for p in chosen)])
    b = np.concatenate([identity, *(p.part for p in chosen)])
    data = np.concatenate([np.ones(rows, np.int64), *(np.full(len(p.whole), p.sign, np.int64) for p in chosen)])
    return from_entries(a, b, data, (rows, rows))


def short_equations(rows: int, directions: list[Pairs]) -> csr_array:
    """Transforms of all directions of all rows, one for each (row, direction) in which it has parts: every short
    equation that a reader may want to see."""
    blocks_a, blocks_b, data = [], [], []
    offset = 0
    for pairs in directions:
        wholes, place = np.unique(pairs.whole, return_inverse=True)
        blocks_a += [offset + np.arange(len(wholes)), offset + place]
        blocks_b += [wholes, pairs.part]
        data += [np.ones(len(wholes), np.int64), np.full(len(pairs.part), -1, np.int64)]
        offset += len(wholes)
    if offset == 0:
        return empty(rows)
    return from_entries(np.concatenate(blocks_a), np.concatenate(blocks_b), np.concatenate(data), (offset, rows))
