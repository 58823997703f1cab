"""Entropy of a table and conditional entropy of an original table given a protected one; natural logarithms.

Source: Antal, Shlomo & Elliot 2014, (3.1), (3.5) and (3.6). Written in shares, (3.6) needs none of the N*M copies of
the paper, so that nothing overflows.
"""

from collections.abc import Iterator
from math import log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | NDArray[np.float64]

NOISE = 4 * np.finfo(np.float64).eps
"""Shares that differ by less than this, relatively, are equal: the difference is that of the division."""

SMALL = 500
"""Shares up to which plain Python is quicker than importing scipy's special functions (0.05 s)."""

CHUNK = 2**17
"""Entries that are worked on at once."""


def chunks(rows: int, width: int) -> Iterator[slice]:
    """Slices of the rows of a (rows x width) array such that none has many more than `CHUNK` entries."""
    step = max(1, CHUNK // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def shares(counts: Counts) -> Floats:
    """Counts (..., m) divided by their sum; all 0 where the sum is 0."""
    values = np.asarray(counts, dtype=np.float64)
    total = values.sum(axis=-1, keepdims=True)
    result: Floats = values / np.where(total > 0, total, 1.0)
    return result


def entropy(counts: Counts) -> Floats:
    """H of the distribution over the cells of each table.

    Parameters
    ----------
    counts: (..., m) counts or expected counts, none negative; cells that are 0 may be left out.

    Returns
    -------
    (...) entropies; 0 where everything is 0.

    Examples
    --------
    >>> round(float(entropy(np.array([1, 1, 0, 2]))), 6)
    1.039721
    """
    result: Floats = np.maximum(entr(shares(counts)).sum(axis=-1), 0.0)
    return result


def conditional_entropy(original: Counts, protected: Counts, *, largest_share: bool = False) -> Floats:
    """H(X|Y) for individuals of the original table, of whom as many as possible stay where they were.

    Let p, q be the shares of a cell before and after, s = min(p, q), a = p - s, b = q - s and r the sum of a. Then
    H(X|Y) = - sum s log(s/q) - sum a log(a/r) - sum b log(b/q). A protected table proportional to the original
    gives 0, an empty one H(X).

    Parameters
    ----------
    original, protected: counts (..., m) that can be broadcast against each other; cells that are 0 in both may be
        left out. No original table is empty.
    largest_share: put the largest q of the table in place of q in the third sum. This is no conditional entropy, but
        the figures printed in the paper come from it.

    Examples
    --------
    >>> round(float(conditional_entropy(np.array([4, 5, 2]), np.array([3, 6, 3]))), 9)
    0.298806203
    """
    p, q = shares(original), shares(protected)
    difference = p - q
    difference[np.abs(difference) <= NOISE * np.maximum(p, q)] = 0.0
    grown = difference < 0  # b = q - p > 0, a = 0; elsewhere s = q and the first sum is 0
    moved = np.maximum(difference, 0.0).sum(axis=-1)
    after = entr(q)
    stays = np.where(grown, entr(p) - after, 0.0).sum(axis=-1)
    result: Floats = stays + entr(np.abs(difference)).sum(axis=-1) - entr(moved)
    if largest_share:
        gained = np.where(grown, -difference, 0.0)
        # b log q, from q log q which is at hand
        logs = np.divide(-after * gained, q, out=np.zeros_like(gained), where=grown).sum(axis=-1)
        largest = q.max(axis=-1, initial=0.0)
        result = result + gained.sum(axis=-1) * np.log(np.where(largest > 0, largest, 1.0)) - logs
    return np.maximum(result, 0.0)


def entr(x: Floats) -> Floats:
    """-x log(x), 0 where x is 0: scipy's `entr`, the same to the last digit."""
    if x.size > SMALL:
        from scipy import special

        result: Floats = special.entr(x)
        return result
    return np.array([-v * log(v) if v else 0.0 for v in x.ravel().tolist()], np.float64).reshape(x.shape)
