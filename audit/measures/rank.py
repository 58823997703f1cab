"""The rank view: how many independent statements a set of withheld cells takes away from a released system.

Oganian and Domingo-Ferrer 2003, sections 4.4 and 4.5. For rows S of a released matrix M the rank decrease is
rank(M) - rank(M without S) = |S| - (rank of the columns S of the dependencies between the rows of M): a matroid and its
dual. Elimination is modulo a large prime. A minor that is not zero modulo a prime is not zero, which bounds the rank
from below; the dependencies found are rebuilt in whole numbers and checked, which bounds it from above.

More rank taken away does *not* mean more protection (docs/explanation/figures.md): it is a search criterion and a
description.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt, lcm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import LimitError
from tableseal.audit.measures.subspace import Subspace, Vector

PRIMES = tuple(2**e - 1 for e in (61, 127, 521, 1279, 4423))
"""Mersenne primes, tried in turn until everything found is confirmed: coefficients of dependencies are minors of the
matrix, in tables small ones."""


def rows_of(matrix: csr_array) -> list[Vector]:
    """The rows of a matrix of whole numbers, each as column -> entry."""
    return [
        dict(zip(matrix.indices[a:b].tolist(), matrix.data[a:b].tolist(), strict=True))
        for a, b in pairwise(matrix.indptr.tolist())
    ]


def dependencies(rows: Sequence[Vector]) -> list[Vector]:
    """Basis of the linear dependencies between rows (column -> entry, nonzero whole numbers).

    Each is row -> coefficient, in whole numbers, and sums to zero exactly; rank = rows - dependencies, exactly.

    Raises
    ------
    LimitError: coefficients of more than 2,000 bits.
    """
    for prime in PRIMES:
        found = [_rebuilt(v, prime) for v in _eliminated(rows, prime)]
        if all(v is not None and _cancels(v, rows) for v in found):
            return [v for v in found if v is not None]
    raise LimitError("The dependencies between released cells have coefficients of more than 2,000 bits.")


def rank(matrix: csr_array) -> int:
    """Exact rank of a matrix of whole numbers."""
    return int(matrix.shape[0]) - len(dependencies(rows_of(matrix)))


def rank_decrease(matrix: csr_array, rows: Iterable[int]) -> int:
    """rank(matrix) - rank(matrix without the rows), exactly: what withholding these released cells takes away.

    For many sets of rows of one matrix use `RankDecrease`.
    """
    gone = set(rows)
    kept = np.array([r for r in range(matrix.shape[0]) if r not in gone], dtype=np.int64)
    return rank(matrix) - rank(csr_array(matrix[kept]))


class RankDecrease:
    """The rank decrease of a growing set of withheld rows.

    Keeps the dependencies that are left between the rows, as those of the matrix contracted by what is withheld: a row
    that no dependency uses any more can no longer be recomputed, so withholding it takes one off the rank. Asking costs
    a look-up, withholding one elimination step. Modulo 2^61 - 1; the dependencies at the start are exact.
    """

    def __init__(self, matrix: csr_array) -> None:
        self._count = int(matrix.shape[0])
        self._left = Subspace(dependencies(rows_of(matrix)), PRIMES[0])
        self.decrease = 0
        self.withheld: set[int] = set()

    def lowers(self, row: int) -> bool:
        """Whether withholding this row next would take one off the rank; False: it could be recomputed from the others
        that are not withheld."""
        return not self._left.users(row) and row not in self.withheld

    def free(self) -> NDArray[np.int64]:
        """All rows that would take one off the rank if they were withheld next."""
        return np.array([r for r in range(self._count) if self.lowers(r)], dtype=np.int64)

    def withhold(self, row: int) -> int:
        """Withhold a row; returns by how much (0 or 1) the rank falls.

        Raises
        ------
        ValueError: it is withheld already.
        """
        if row in self.withheld:
            raise ValueError(f"row {row} is withheld already")
        self.withheld.add(row)
        if self._left.vanish(row):
            return 0
        self.decrease += 1
        return 1


def _eliminated(rows: Sequence[Vector], prime: int) -> list[Vector]:
    """Dependencies modulo the prime, by elimination of the rows, short ones first.

    Each reduced row keeps which rows it combines; a row that reduces to nothing gives a dependency with coefficient 1
    for itself.
    """
    pivots: dict[int, tuple[Vector, Vector]] = {}
    found = []
    for r in sorted(range(len(rows)), key=lambda k: (len(rows[k]), k)):
        rest: Vector = {c: e % prime for c, e in rows[r].items() if e % prime}
        combined: Vector = {r: 1}
        waiting = [c for c in rest if c in pivots]
        while waiting:
            column = waiting.pop()
            if column not in rest:
                continue
            factor = rest[column]
            given, made_of = pivots[column]
            for c, e in given.items():
                new = (rest.get(c, 0) - factor * e) % prime
                if new:
                    if c not in rest and c in pivots:
                        waiting.append(c)
                    rest[c] = new
                else:
                    rest.pop(c, None)
            for k, e in made_of.items():
                combined[k] = (combined.get(k, 0) - factor * e) % prime
        if not rest:
            found.append({k: e for k, e in combined.items() if e})
            continue
        pivot = min(rest)
        inverse = pow(rest[pivot], -1, prime)
        pivots[pivot] = (
            {c: e * inverse % prime for c, e in rest.items()},
            {k: e * inverse % prime for k, e in combined.items() if e},
        )
    return found


def _rebuilt(vector: Vector, prime: int) -> Vector | None:
    """The dependency in whole numbers: each entry as the fraction with small terms that it is modulo the prime."""
    fractions = {k: _fraction(e, prime) for k, e in vector.items()}
    if None in fractions.values():
        return None
    denominator = lcm(*(f.denominator for f in fractions.values() if f is not None))
    return {k: int(f * denominator) for k, f in fractions.items() if f is not None}


def _fraction(entry: int, prime: int) -> Fraction | None:
    """Rational reconstruction (Wang 1981): numerator and denominator at most sqrt(prime / 2)."""
    most = isqrt(prime // 2)
    a, b, x, y = prime, entry, 0, 1
    while b > most:
        quotient = a // b
        a, b, x, y = b, a - quotient * b, y, x - quotient * y
    return Fraction(b, y) if y and abs(y) <= most else None


def _cancels(vector: Vector, rows: Sequence[Vector]) -> bool:
    """The combination of rows is zero, in whole numbers."""
    total: Vector = {}
    for r, coefficient in vector.items():
        for c, e in rows[r].items():
            total[c] = total.get(c, 0) + coefficient * e
    return not any(total.values())
