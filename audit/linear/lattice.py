"""Whole-number solutions of equations: one of them, and a basis of all moves between them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

ROUNDS = 30
"""Rounds of shortening; the 20 to 40 moves of small components are short after 3 to 6."""

LONGEST = 2**40
"""Entries of moves up to which they are shortened: nothing on the way then leaves 64 bits."""

Vector = dict[int, int]


@dataclass(frozen=True)
class _Pivot:
    """A combination of columns that is the last one in an equation; image: what it is in all equations."""

    row: int
    image: Vector
    columns: Vector


class Solutions:
    """All whole-number solutions of equations @ x = right: one of them, and a basis of the moves between them.

    Columns are combined by Euclid's algorithm, equation after equation, until at most one of them has an entry left.
    Such combinations are unimodular, so what remains is a basis of the whole lattice and not only of a part of it.
    """

    def __init__(self, equations: csr_array) -> None:
        rows, columns = equations.shape
        self._columns = columns
        images: list[Vector] = [{} for _ in range(columns)]
        users: list[set[int]] = [set() for _ in range(rows)]
        for r, (start, end) in enumerate(pairwise(equations.indptr.tolist())):
            for c, entry in zip(equations.indices[start:end].tolist(), equations.data[start:end].tolist(), strict=True):
                images[c][r] = entry
                users[r].add(c)
        combined: list[Vector] = [{c: 1} for c in range(columns)]
        free = set(range(columns))
        waiting = set(range(rows))
        self._pivots: list[_Pivot] = []
        while waiting:
            r = min(waiting, key=lambda row: (len(users[row]), row))
            waiting.remove(r)
            while len(users[r]) > 1:
                pivot = min(users[r], key=lambda c: (abs(images[c][r]), len(combined[c]), c))
                for c in sorted(users[r] - {pivot}):
                    factor = images[c][r] // images[pivot][r]
                    for row, entry in images[pivot].items():
                        _add(images[c], row, -factor * entry)
                        (users[row].add if row in images[c] else users[row].discard)(c)
                    for column, entry in combined[pivot].items():
                        _add(combined[c], column, -factor * entry)
            for pivot in users[r]:
                free.remove(pivot)
                self._pivots.append(_Pivot(r, images[pivot], combined[pivot]))
                for row in images[pivot]:
                    if row != r:
                        users[row].discard(pivot)
        self._free = [combined[c] for c in sorted(free)]

    def moves(self) -> csr_array:
        """Basis of {v in Z^n : equations @ v = 0}, one vector a row, shortened.

        Raises
        ------
        OverflowError: elimination has led to entries beyond `LONGEST`.
        """
        if any(abs(entry) > LONGEST for move in self._free for entry in move.values()):
            raise OverflowError("Moves with entries beyond 2^40.")
        return shortened(_matrix(self._free, self._columns), np.ones(self._columns, np.int64))

    def one(self, right: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Some whole-number solution (int64); None if there is none.

        Raises
        ------
        OverflowError: it has numbers beyond 64 bits.
        """
        left = dict(enumerate(right.tolist()))
        found: Vector = {}
        for pivot in self._pivots:
            times, rest = divmod(left[pivot.row], pivot.image[pivot.row])
            if rest:
                return None
            for row, entry in pivot.image.items():
                left[row] -= times * entry
            for column, entry in pivot.columns.items():
                _add(found, column, times * entry)
        if any(left.values()):
            return None
        return np.array([found.get(c, 0) for c in range(self._columns)], dtype=np.int64)


def _add(vector: Vector, place: int, amount: int) -> None:
    total = vector.get(place, 0) + amount
    if total:
        vector[place] = total
    else:
        vector.pop(place, None)


def _matrix(vectors: list[Vector], columns: int) -> csr_array:
    indptr = np.concatenate([[0], np.cumsum([len(v) for v in vectors])]).astype(np.int64)
    indices = np.array([c for v in vectors for c in sorted(v)], dtype=np.int64)
    data = np.array([v[c] for v in vectors for c in sorted(v)], dtype=np.int64)
    return csr_array((data, indices, indptr), shape=(len(vectors), columns))


def shortened(basis: csr_array, room: NDArray[np.int64]) -> csr_array:
    """Another basis of the same lattice: each vector less the multiple of another one that shortens it most, again and
    again (pairwise reduction). Short moves stay possible near the bounds of a table, long ones rarely are.

    room: int64 (columns), what a step of each column is measured in: with the number of its values, moves over columns
    with much room count as short.
    """
    for _ in range(ROUNDS):
        gram, norm = _products(basis, room)
        diagonal = gram.row == gram.col
        i, j, g = gram.row[~diagonal], gram.col[~diagonal], gram.data[~diagonal]
        factor = np.rint(g / norm[j]).astype(np.int64)
        gain = factor * (2 * g - factor * norm[j])
        useful = np.flatnonzero(gain > 1e-9 * norm[i])
        if len(useful) == 0:
            break
        changed, used, picks = set(), set(), []
        for k in useful[np.lexsort((j[useful], i[useful], -gain[useful]))].tolist():
            a, b = int(i[k]), int(j[k])
            # What is subtracted must not change in the same round.
            if a not in changed and a not in used and b not in changed:
                changed.add(a)
                used.add(b)
                picks.append(k)
        step = csr_array((factor[picks], (i[picks], j[picks])), shape=gram.shape)
        basis = csr_array(basis - step @ basis)
        basis.eliminate_zeros()
        basis.sort_indices()
    return basis


def neighbours(basis: csr_array, most: int) -> csr_array:
    """Up to `most` sums and differences of two basis vectors that are no longer than the longer of the two, shortest
    first: more ways to move between the same tables."""
    gram, norm = _products(basis, np.ones(basis.shape[1], np.int64))
    upper = gram.row < gram.col
    i, j, sign = gram.row[upper], gram.col[upper], -np.sign(gram.data[upper])
    length = norm[i] + norm[j] - 2 * np.abs(gram.data[upper])
    fine = np.flatnonzero((length <= np.maximum(norm[i], norm[j])) & (sign != 0))
    fine = fine[np.lexsort((j[fine], i[fine], length[fine]))][:most]
    count = np.arange(len(fine))
    pick = csr_array(
        (
            np.concatenate([np.ones(len(fine), np.int64), sign[fine].astype(np.int64)]),
            (np.concatenate([count, count]), np.concatenate([i[fine], j[fine]])),
        ),
        shape=(len(fine), basis.shape[0]),
    )
    return csr_array(pick @ basis)


def _products(basis: csr_array, room: NDArray[np.int64]) -> tuple[coo_array, NDArray[np.float64]]:
    """(products of all pairs of vectors that share a column, squared lengths), every column in units of its room."""
    scaled = csr_array(basis.multiply(1.0 / np.maximum(room, 1).reshape(1, -1)).tocsr())
    gram = csr_array(scaled @ scaled.T).tocoo()
    norm = np.zeros(basis.shape[0])
    diagonal = gram.row == gram.col
    norm[gram.row[diagonal]] = gram.data[diagonal]
    return gram, norm
