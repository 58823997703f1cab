"""Unbiased random rounding of counts.

Source: Shlomo, Antal & Elliot 2015, section 3.2: x is rounded up with probability residual / base, else down.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError

LARGEST_BASE = 10**9
"""Far beyond any use, and small enough that no rounded count overflows."""


def random_rounding(
    values: NDArray[np.int64], base: int, random: np.random.Generator, versions: int = 1
) -> NDArray[np.int64]:
    """Counts rounded independently to a neighbouring multiple of `base`, so that each keeps its expectation.

    Multiples stay as they are. Draws are whole numbers, so the probabilities are exact; one call for many versions
    gives the same as many calls for one.

    Parameters
    ----------
    values: (m,) counts, none negative.
    random: a generator; the same seed gives the same versions.

    Returns
    -------
    (versions x m) rounded counts.

    Raises
    ------
    InputError: a base below 2 or above 10^9.
    """
    if not 2 <= base <= LARGEST_BASE:
        raise InputError(f"rounding base {base}: expected a whole number from 2 to {LARGEST_BASE:,}.")
    residual = values % base
    open_cells = np.flatnonzero(residual)
    result = np.broadcast_to(values - residual, (versions, len(values))).copy()
    # One version after another, whatever the number asked for at once: the stream of draws is the same.
    up = random.integers(0, base, size=(versions, len(open_cells))) < residual[open_cells]
    result[:, open_cells] += base * up
    return result
