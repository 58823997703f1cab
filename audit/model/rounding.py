"""Rounded values, and the interval of true values behind them."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model.release import Rounding


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


NO_LIMIT = 2**62
"""Stands for no largest value."""

CHANGED_METHODS = ("cell_key", "noise", "adjusted")
"""Methods by which values are changed by limited amounts, and need not be multiples of anything."""

EXACT_METHODS = ("midpoint", "small", "ranges", *CHANGED_METHODS)
"""Methods by which what a published value stands for depends on the value: it may be the true one, or cut at an end."""


def is_possible(value: NDArray[np.int64], rounding: Rounding) -> NDArray[np.bool_]:
    """Which published values the scheme can give."""
    base = rounding.base
    result: NDArray[np.bool_]
    if rounding.method == "midpoint":
        result = (value == 0) | ((value > 0) & ((value + base // 2) % base == 0))
    elif rounding.method == "small":
        result = (value == 0) | (value >= base)
    elif rounding.method == "ranges":
        result = np.isin(value, [shown for shown, _, _ in rounding.ranges])
    elif rounding.method in CHANGED_METHODS:
        result = (value == 0) | (value > rounding.never)
    else:
        result = value % base == 0
    return result


def rounding_interval(
    value: NDArray[np.int64], rounding: Rounding, nonnegative: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest true value that each published value allows (see `is_possible`).

    With B the base in units and x the published value:

    ============================  ====================
    conventional, odd B           x - (B-1)/2 .. x + (B-1)/2
    conventional, even B          x - B/2 .. x + B/2 - 1 (ties are rounded up)
    random, controlled            x - (B-1) .. x + (B-1)
    up                            x - (B-1) .. x
    down                          x .. x + (B-1)
    midpoint                      0 for 0, else x + floor(B/2) - (B-1) .. x + floor(B/2)
    small                         0 .. B-1 for 0, 1 .. B for B, else x
    ranges                        as `ranges` says; NO_LIMIT where there is no largest value
    cell_key, range D             x - D .. x + D, from 0; from 1 for x > 0 where zeros stay
    cell_key, share s, flex l, c  x / (1 + s) or (x - c) / (1 + l) .. x / (1 - s) or (x + c) / (1 - l), the narrower on
                                  each side, or x - D .. x + D where that is wider; no largest value where shares are 1
    noise, share s, range D       x / (1 + s) .. x / (1 - s), or x - D .. x + D where that is wider; cut likewise
    adjusted, share s, range D    x - s x .. x + s x, or x - D .. x + D where that is wider; cut likewise
    ============================  ====================

    (midpoint: OpenSAFELY's midpoint rounding, ceil(x / B) * B - floor(B/2). small: only counts below B are changed.)

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
    if rounding.method in EXACT_METHODS:
        return _of_scheme(value, rounding)
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


def _of_scheme(value: NDArray[np.int64], rounding: Rounding) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    base = rounding.base
    if len(value) == 0:  # nothing is published: what `ranges` lists may be nothing, too
        return value, value
    if rounding.method == "midpoint":
        top = np.where(value == 0, 0, value + base // 2)
        return np.where(value == 0, 0, top - (base - 1)), top
    if rounding.method == "small":
        lower = np.where(value == 0, 0, np.where(value == base, 1, value))
        return lower, np.where(value == 0, base - 1, value)
    if rounding.method in CHANGED_METHODS:
        least = np.where((value > 0) & rounding.zeros_stay, 1, 0)
        low, high = value - rounding.range, value + rounding.range
        if rounding.method == "noise":
            low = np.minimum(low, ceil_times(value, 1 / (1 + rounding.share)))
            high = np.maximum(high, floor_times(value, 1 / (1 - rounding.share)))
        elif rounding.method == "cell_key" and rounding.share:
            ends = [_by_share(value, share, units) for share, units in _lines(rounding)]
            low = np.minimum(low, np.max([first for first, _ in ends], axis=0))
            high = np.maximum(high, np.min([last for _, last in ends], axis=0))
        elif rounding.method == "adjusted":
            most = floor_times(value, rounding.share)
            low, high = np.minimum(low, value - most), np.maximum(high, value + most)
        return np.maximum(low, least), high
    shown, low, high = (np.array(column, np.int64) for column in zip(*_bounded(rounding.ranges), strict=True))
    at = np.minimum(np.searchsorted(shown, value), len(shown) - 1)
    return low[at], high[at]


def most_changed(value: NDArray[np.int64], rounding: Rounding) -> NDArray[np.int64]:
    """By how much true values (n,) may change at most, in units, with method cell_key."""
    by_share = [floor_times(value, share) + units for share, units in _lines(rounding)]
    found: NDArray[np.int64] = np.maximum(rounding.range, np.min(by_share, axis=0))
    return found


def _lines(rounding: Rounding) -> list[tuple[Fraction, int]]:
    """No value v changes by more than share * v + units, for each of them."""
    return [(rounding.share, 0), *([] if rounding.flex is None else [rounding.flex])]


def _by_share(value: NDArray[np.int64], share: Fraction, units: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest v with |value - v| <= share * v + units."""
    high = np.full(len(value), NO_LIMIT) if share >= 1 else floor_times(value + units, 1 / (1 - share))
    return ceil_times(value - units, 1 / (1 + share)), high


def floor_times(value: NDArray[np.int64], factor: Fraction) -> NDArray[np.int64]:
    """floor(value * factor), exactly, for factors with numerators and denominators up to some million; what is beyond
    NO_LIMIT is NO_LIMIT.

    Examples
    --------
    >>> import numpy as np
    >>> floor_times(np.array([7, -7, 2**62]), Fraction(3, 2)).tolist() == [10, -11, NO_LIMIT]
    True
    """
    over, below = factor.numerator, factor.denominator
    most = NO_LIMIT // max(over, 1) * below if over > below else NO_LIMIT
    cut = np.clip(value, -most, most)
    found: NDArray[np.int64] = cut // below * over + cut % below * over // below
    return np.where(value > most, NO_LIMIT, found)


def ceil_times(value: NDArray[np.int64], factor: Fraction) -> NDArray[np.int64]:
    """The same, rounded up."""
    return -floor_times(-value, factor)


def _bounded(ranges: tuple[tuple[int, int, int | None], ...]) -> list[tuple[int, int, int]]:
    return [(shown, low, NO_LIMIT if high is None else high) for shown, low, high in ranges]
