"""How far a contributor goes, and the direction drawn for it: the same for all its records, in every table and release.

Both follow from the seed and the name, so that neither the order of rows, nor other records, nor another day changes
them. With the same seed, and directions as they are drawn, nobody averages a factor away over several releases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

MILLION = 10**6

Shape = Literal["triangular", "uniform"]


@dataclass(frozen=True)
class Factors:
    """Of each contributor. share: int64, by which its amounts change, in millionths; up: int64, 1 or -1, drawn."""

    share: NDArray[np.int64]
    up: NDArray[np.int64]


def drawn(names: Sequence[str], seed: int, least: Fraction, most: Fraction, shape: Shape) -> Factors:
    """Factors from 1 - most to 1 - least and from 1 + least to 1 + most, both sides alike.

    shape: of the density on each side. uniform: constant; triangular: falling from `least` to 0 at `most` (the split
    triangular distribution of Evans, Zayatz and Slanta 1998).

    Examples
    --------
    >>> found = drawn(["A", "B"], 1, Fraction(1, 10), Fraction(1, 5), "uniform")
    >>> bool(((found.share >= 100_000) & (found.share <= 200_000)).all())
    True
    """
    bits = [int.from_bytes(blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest(), "big") for name in names]
    low, high = least.numerator * MILLION // least.denominator, most.numerator * MILLION // most.denominator
    share = [_share((one >> 1) % 2**52 / 2**52, low, high, shape) for one in bits]
    return Factors(np.array(share, np.int64), np.array([1 if one % 2 else -1 for one in bits], np.int64))


def _share(u: float, low: int, high: int, shape: Shape) -> int:
    """u: from 0 to below 1. The inverse of the distribution function."""
    found = low + (high - low) * u if shape == "uniform" else high - (high - low) * sqrt(1 - u)
    return min(max(round(found), low), high)


def moved(amount: NDArray[np.int64], share: NDArray[np.int64], most: Fraction) -> NDArray[np.int64]:
    """|change| of each amount (0 or more, in units), in whole units: to the nearest one, and never more than `most` of
    the amount, so that what is told holds exactly."""
    by_share = amount // MILLION * share + (amount % MILLION * share + MILLION // 2) // MILLION
    limit = most.numerator * MILLION // most.denominator
    found: NDArray[np.int64] = np.minimum(by_share, amount // MILLION * limit + amount % MILLION * limit // MILLION)
    return found
