"""Equations and forms in fractions, by sympy, for comparison with what the engine finds modulo a prime."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array
from sympy import Matrix


@dataclass(frozen=True)
class Echelon:
    """Reduced row echelon form of matrix @ x = value: pivot column -> other entries of its row, and its right side."""

    rows: dict[int, dict[int, Fraction]]
    value: dict[int, Fraction]
    consistent: bool


def echelon(matrix: csr_array, value: np.ndarray) -> Echelon:
    columns = matrix.shape[1]
    reduced, pivots = Matrix(np.column_stack([matrix.toarray(), value]).tolist()).rref()
    rows = [[Fraction(int(e.p), int(e.q)) for e in reduced.row(i)] for i in range(len(pivots))]
    made = {p: row for p, row in zip(pivots, rows, strict=True) if p < columns}
    others = {p: {c: e for c, e in enumerate(row[:-1]) if e and c != p} for p, row in made.items()}
    return Echelon(others, {p: row[-1] for p, row in made.items()}, columns not in pivots)


def value_of(found: Echelon, columns: Sequence[int], weights: Sequence[int]) -> Fraction | None:
    """Value of a linear form if the equations alone give it, else None."""
    rest: dict[int, Fraction] = {}
    total = Fraction(0)
    for column, weight in zip(columns, weights, strict=True):
        if column in found.rows:
            total += weight * found.value[column]
            for other, entry in found.rows[column].items():
                rest[other] = rest.get(other, Fraction(0)) - weight * entry
        else:
            rest[column] = rest.get(column, Fraction(0)) + weight
    return None if any(rest.values()) else total
