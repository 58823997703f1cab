"""Forms over a row echelon form in fractions, for comparison with what the engine finds modulo a prime."""

from collections.abc import Sequence
from fractions import Fraction

from tableseal.audit.linear.exact import Echelon


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
