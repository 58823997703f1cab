"""Rounded values, and the interval of true values behind them."""

import numpy as np
from numpy.typing import NDArray

from audit.model.release import Rounding


def rounded(values: NDArray[np.int64], rounding: Rounding) -> NDArray[np.int64]:
    """What is published of each true value (n,), in units; 0 or more.

    Raises
    ------
    KeyError: a method that draws or chooses (random, controlled).

    Examples
    --------
    >>> import numpy as np
    >>> rounded(np.array([1, 2, 5]), Rounding(4, "conventional")).tolist()
    [0, 4, 4]
    """
    shift = {"conventional": rounding.base // 2, "up": rounding.base - 1, "down": 0}[rounding.method]
    return (values + shift) // rounding.base * rounding.base


def rounding_interval(
    value: NDArray[np.int64], rounding: Rounding, nonnegative: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest true value that each published multiple of the base allows.

    With B the base in units and x the published value:

    ============================  ====================
    conventional, odd B           x - (B-1)/2 .. x + (B-1)/2
    conventional, even B          x - B/2 .. x + B/2 - 1 (ties are rounded up)
    random, controlled            x - (B-1) .. x + (B-1)
    up                            x - (B-1) .. x
    down                          x .. x + (B-1)
    ============================  ====================

    Parameters
    ----------
    value: published values in units (n,).
    rounding: base in units, and method.
    nonnegative: everyone knows that true values are not negative: the interval is cut at 0.

    Returns
    -------
    (lower, upper), int64 (n,), in units.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = rounding_interval(np.array([0, 8]), Rounding(4, "conventional"), nonnegative=True)
    >>> low.tolist(), high.tolist()
    ([0, 6], [1, 9])
    """
    widest = rounding.base - 1
    below, above = {
        "conventional": (rounding.base // 2, widest // 2),
        "random": (widest, widest),
        "controlled": (widest, widest),
        "up": (widest, 0),
        "down": (0, widest),
    }[rounding.method]
    lower, upper = value - below, value + above
    return (np.maximum(lower, 0) if nonnegative else lower), upper
