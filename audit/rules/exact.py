"""Integer arithmetic on columns that never overflows silently: 64 bits where they suffice, Python integers
beyond."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import LimitError

Whole = NDArray[Any]
"""A column of whole numbers: int64, or object (Python integers) where 64 bits could overflow."""

_SAFE = 2**62


def combine(*terms: tuple[int, Whole]) -> Whole:
    """Sum of factor * column over all terms, exactly."""
    reach = sum(abs(factor) * max(_largest(column), 1) for factor, column in terms)
    kind: type = np.int64 if reach < _SAFE else object
    result: Whole = np.zeros(len(terms[0][1]), dtype=kind)
    for factor, column in terms:
        result = result + column.astype(kind) * factor
    return result


def ceil_quotient(column: Whole, divisor: int) -> Whole:
    """column / divisor rounded up, divisor positive."""
    if divisor >= _SAFE:
        column = column.astype(object)
    return -((-column) // divisor)


def percentage(percent: Fraction, size: Whole) -> NDArray[np.int64]:
    """percent of each size, rounded up to whole units."""
    share = percent / 100
    return as_units(ceil_quotient(combine((share.numerator, size)), share.denominator))


def as_units(column: Whole) -> NDArray[np.int64]:
    """Back to 64-bit units.

    Raises
    ------
    LimitError: a value is beyond 2^62 units.
    """
    if _largest(column) >= _SAFE:
        raise LimitError(
            "A rule of the policy leads to amounts beyond 2^62 units; choose a larger unit for the measure."
        )
    return column.astype(np.int64)


def _largest(column: Whole) -> int:
    return int(np.abs(column).max()) if len(column) else 0
