"""Exact elimination: rank, determined columns, and what any form reduces to.

Small systems are eliminated in plain integers (no import), larger ones by sympy's sparse DomainMatrix over the
rationals (python-flint underneath).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

SMALL = 120
"""Rows up to which plain Python elimination is faster than importing sympy (measured: about 1 s of import)."""

Row = dict[int, Fraction]


@dataclass(frozen=True)
class Echelon:
    """Reduced row echelon form of equations matrix @ x = value.

    rows: pivot column -> the other entries of its row (pivot entry 1); value: pivot column -> right side.
    consistent: False if the equations contradict each other (some combination says 0 = nonzero).
    """

    rows: Mapping[int, Row]
    value: Mapping[int, Fraction]
    consistent: bool

    @property
    def rank(self) -> int:
        """Rank over the rationals."""
        return len(self.rows)

    def determined(self) -> dict[int, Fraction]:
        """Columns whose value the equations alone give."""
        return {pivot: self.value[pivot] for pivot, row in self.rows.items() if not row}


def echelon(matrix: csr_array, value: NDArray[np.int64]) -> Echelon:
    """Eliminate exactly. matrix: int64 (equations x columns), value: int64 right sides."""
    equations = [
        (
            dict(zip(matrix.indices[a:b].tolist(), matrix.data[a:b].tolist(), strict=True)),
            int(value[i]),
        )
        for i, (a, b) in enumerate(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True))
    ]
    if len(equations) <= SMALL:
        return _plain(equations)
    return _sympy(equations, matrix.shape[1])


def _plain(equations: list[tuple[dict[int, int], int]]) -> Echelon:
    """Gauss-Jordan with the shortest rows first and, in a row, the column that occurs least."""
    count: dict[int, int] = {}
    for given, _ in equations:
        for column in given:
            count[column] = count.get(column, 0) + 1
    rows: dict[int, Row] = {}
    values: dict[int, Fraction] = {}
    users: dict[int, set[int]] = {}
    consistent = True
    for given, right in sorted(equations, key=lambda e: len(e[0])):
        row: Row = {}
        total = Fraction(right)
        for column, number in given.items():
            entry = Fraction(number)
            if column in rows:
                total -= entry * values[column]
                for other, e in rows[column].items():
                    row[other] = row.get(other, Fraction(0)) - entry * e
            else:
                row[column] = row.get(column, Fraction(0)) + entry
        row = {c: e for c, e in row.items() if e}
        if not row:
            consistent &= total == 0
            continue
        pivot = min(row, key=lambda c: (abs(row[c]) != 1, count[c], c))
        factor = row.pop(pivot)
        row = {c: e / factor for c, e in row.items()}
        total /= factor
        for user in list(users.get(pivot, ())):
            entry = rows[user].pop(pivot)
            values[user] -= entry * total
            for other, e in row.items():
                new = rows[user].get(other, Fraction(0)) - entry * e
                if new:
                    rows[user][other] = new
                    users.setdefault(other, set()).add(user)
                else:
                    rows[user].pop(other, None)
                    users.get(other, set()).discard(user)
        users.pop(pivot, None)
        rows[pivot], values[pivot] = row, total
        for other in row:
            users.setdefault(other, set()).add(pivot)
    return Echelon(rows, values, consistent)


def _sympy(equations: list[tuple[dict[int, int], int]], columns: int) -> Echelon:
    from sympy import QQ
    from sympy.polys.matrices.sdm import SDM

    # The right side is one more column; it becomes a pivot exactly if the equations contradict each other.
    elements = {
        i: {c: QQ(e) for c, e in row.items()} | ({columns: QQ(right)} if right else {})
        for i, (row, right) in enumerate(equations)
        if row or right
    }
    reduced, pivots = SDM(elements, (len(equations), columns + 1), QQ).rref()
    rows: dict[int, Row] = {}
    values: dict[int, Fraction] = {}
    for i, pivot in enumerate(pivots):
        if pivot == columns:
            continue
        entries = {c: Fraction(int(e.numerator), int(e.denominator)) for c, e in reduced[i].items()}
        values[pivot] = entries.pop(columns, Fraction(0))
        entries.pop(pivot)
        rows[pivot] = entries
    return Echelon(rows, values, columns not in pivots)
