"""How far cell keys may move a magnitude, as it is told: in shares of the true value, whoever contributes what.

A contribution x changes a value by at most m s(x) x, with s the flex function and m the largest change of the table in
units of change. Beyond the flex point p, with t = x / p, c = large / small:
s = large + f (small t - large), f = (2 / (1 + t))^power. So m s(x) x <= m S x and m s(x) x <= m large x + m E p, with
S the largest s and E the largest t (s - large), both where a derivative is 0. Contributions of a value add up to it.
"""

from fractions import Fraction
from math import ceil, inf, sqrt

from tableseal.suppression.protections.cell_keys.scaling import Scaling

MILLION = 10**6


def largest_share(scaling: Scaling) -> float:
    """S: no contribution has a larger share.

    Examples
    --------
    >>> round(largest_share(Scaling(small=0.3, large=0.03, point=1000, power=3)), 6)
    0.3
    """
    if scaling.point == inf:
        return scaling.small
    if scaling.power == 1:
        return scaling.large + 2 * scaling.small  # that of very large ones, nearly
    c = scaling.large / scaling.small
    return max(scaling.small, _share(scaling, max(1.0, (1 + scaling.power * c) / (scaling.power - 1))))


def largest_excess(scaling: Scaling) -> float | None:
    """E p: no contribution x exceeds large * x by more, with its share of it; None: there is no limit."""
    small, large, power = scaling.small, scaling.large, scaling.power
    if scaling.point == inf or power < 2:
        return None
    if power == 2:
        return 4 * small * scaling.point
    c = large / small
    b = 2 - c + power * c
    # (power - 2) t^2 - b t + c = 0, the larger root: beyond it what is in excess falls.
    t = max(1.0, (b + sqrt(b * b - 4 * (power - 2) * c)) / (2 * (power - 2)))
    return t * (_share(scaling, t) - large) * scaling.point


def _share(scaling: Scaling, t: float) -> float:
    fall = (2 / (1 + t)) ** scaling.power
    return float(scaling.large + fall * (scaling.small * t - scaling.large))


def told_share(scaling: Scaling, widest: float) -> Fraction:
    """The share of the true value by which it changes at most, rounded up to 6 decimals. widest: m."""
    return _upwards(widest * largest_share(scaling))


def told_flex(scaling: Scaling, widest: float, further: float, unit: Fraction) -> tuple[Fraction, int] | None:
    """A share of the true value, and a number of units besides.

    widest: m of the first contribution; further: of all others, the sum of their weights times theirs.
    """
    excess = largest_excess(scaling)
    if excess is None:
        return None
    beside = (widest + further) * excess / float(unit)
    return _upwards(widest * scaling.large), ceil(beside * (1 + 1e-12))


def _upwards(share: float) -> Fraction:
    return Fraction(ceil(share * MILLION - 1e-6), MILLION)  # what floats add to a share of 6 decimals is none of it
