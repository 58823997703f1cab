"""T(G): every table that unbiased random rounding makes of a table, with its probability.

Source: Antal, Shlomo & Elliot 2014, section 3.3.3. Cells are rounded independently, and cells of the same count do the
same to every measure of a whole table: what matters is how many of them go up, a binomial number. So the outcomes to
go through are the products of these numbers, not 2^m.
"""

from collections.abc import Iterator
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.measures.risk.information import Floats, chunks

MOST = 2**22
"""Entries of all outcomes together up to which they are gone through (about a second)."""

Outcomes = Iterator[tuple[NDArray[np.int64], Floats]]
"""(tables (n x m), their probabilities), in pieces."""


def rounding_outcomes(counts: NDArray[np.int64], base: int, most: int = MOST) -> Outcomes | None:
    """All outcomes of the unbiased rounding of counts (m,) to a base, one for each way that differs to a measure that
    does not mind the order of cells; their probabilities sum to 1. None: they have more than `most` entries.

    Examples
    --------
    Two cells of 1 to base 3: none, one or both go up.

    >>> ((tables, probability),) = rounding_outcomes(np.array([1, 1, 6]), 3)
    >>> tables.tolist(), probability.round(6).tolist()
    ([[0, 0, 6], [3, 0, 6], [3, 3, 6]], [0.444444, 0.444444, 0.111111])
    """
    residual = counts % base
    moving = np.flatnonzero(residual)
    values, kind, size = np.unique(counts[moving], return_inverse=True, return_counts=True)
    shape = tuple((size + 1).tolist())
    if prod(shape) * max(1, len(counts)) > most:
        return None
    return _outcomes(counts, base, moving, kind.ravel(), values, size)


def _outcomes(
    counts: NDArray[np.int64],
    base: int,
    moving: NDArray[np.int64],
    kind: NDArray[np.int64],
    values: NDArray[np.int64],
    size: NDArray[np.int64],
) -> Outcomes:
    shape = tuple((size + 1).tolist())
    chance = [_binomial(n, v % base / base) for n, v in zip(size.tolist(), values.tolist(), strict=True)]
    # The how-manieth of its kind each moving cell is: it goes up if more of them do.
    order = np.argsort(kind, kind="stable")
    rank = np.empty(len(moving), np.int64)
    rank[order] = np.arange(len(moving)) - np.repeat(np.cumsum(size) - size, size)
    floor = counts - counts % base
    for rows in chunks(prod(shape), len(counts)):
        here = np.arange(rows.start, rows.stop)
        up = np.stack(np.unravel_index(here, shape), axis=-1) if shape else np.zeros((len(here), 0), np.int64)
        tables = np.tile(floor, (len(here), 1))
        tables[:, moving] += base * (rank < up[:, kind])
        probability = np.ones(len(here))
        for k, p in enumerate(chance):
            probability *= p[up[:, k]]
        yield tables, probability


def _binomial(n: int, p: float) -> Floats:
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
