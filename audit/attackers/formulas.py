"""What a contributor to a cell can work out about the other contributors.

Source: Oganian & Domingo-Ferrer 2003, section 4.5.4. All amounts are whole multiples of the unit and
contributions are not negative. `lo` and `hi` are what the release leaves possible for the cell (None: no
limit), `own` is the contribution of the insider and `n` the number of contributors (None: the insider does
not know it). A returned end is always valid: if the cell's true value lies between `lo` and `hi`, the
estimated amount lies between the returned ends.
"""

from collections.abc import Sequence
from fractions import Fraction

End = int | None
"""End of an interval in units; None: no limit."""


def others(lo: End, hi: End, own: int) -> tuple[End, End]:
    """What the other contributors add up to.

    Examples
    --------
    >>> others(995, 1004, 400)
    (595, 604)
    """
    return (None if lo is None else lo - own), (None if hi is None else hi - own)


def largest_seen_by_second(
    lo: End, hi: End, own: int, n: int | None, *, strictly_larger: bool = False
) -> tuple[End, End]:
    """What the second largest contributor knows of the largest contribution.

    The largest is at least the insider's own contribution (one unit more if `strictly_larger`), and at least
    what is left when all n - 2 remaining contributors give as much as the insider does; it is at most all
    that others give.

    Raises
    ------
    ValueError: n below 2 (there is no second largest contributor).

    Examples
    --------
    The paper's cell, where the number of contributors is not known:

    >>> largest_seen_by_second(995, 1004, 400, None, strictly_larger=True)
    (401, 604)
    >>> largest_seen_by_second(995, 1004, 400, 2)
    (595, 604)
    """
    _refuse_single(n)
    low = own + 1 if strictly_larger else own
    if lo is not None and n is not None:
        low = max(low, lo - (n - 1) * own)
    return low, others(lo, hi, own)[1]


def second_seen_by_largest(lo: End, hi: End, own: int, n: int | None) -> tuple[End, End]:
    """What the largest contributor knows of the second largest contribution.

    The second largest gives at least an equal share of what the n - 1 others give together, and at most all
    of it and no more than the insider. With n unknown it gives at least one unit if the others give anything.

    Raises
    ------
    ValueError: n below 2 (there is no second largest contributor).

    Examples
    --------
    >>> second_seen_by_largest(995, 1004, 700, 3)
    (148, 304)
    """
    _refuse_single(n)
    rest_lo, rest_hi = others(lo, hi, own)
    rest = max(rest_lo or 0, 0)
    low = min(rest, 1) if n is None else -(-rest // (n - 1))
    return low, (own if rest_hi is None else min(own, rest_hi))


def largest_seen_by_group(lo: End, hi: End, own: Sequence[int], n: int) -> tuple[End, End]:
    """What the contributors after the largest one, the second among them, know together of the largest contribution.

    own: their contributions, largest first; n: number of contributors, more than they are. Whoever is left besides them
    and the largest gives at most as much as the smallest of them.

    Examples
    --------
    >>> largest_seen_by_group(995, 1004, [300, 90], 4)
    (515, 614)
    """
    low = own[0]
    if lo is not None:
        low = max(low, lo - sum(own) - (n - len(own) - 1) * own[-1])
    return low, others(lo, hi, sum(own))[1]


def too_close(estimate_lo: End, estimate_hi: End, target: int, p: Fraction) -> bool:
    """True if an estimate comes within p percent of the target on either side.

    That is: the upper estimate is below (1 + p/100) times the target, or the lower one above (1 - p/100)
    times it. Exact arithmetic; for a negative target the distance is p percent of its size.

    Examples
    --------
    >>> too_close(401, 604, 600, Fraction(10)), too_close(401, 604, 500, Fraction(10))
    (True, False)
    """
    distance = p * abs(target) / 100
    return (estimate_hi is not None and estimate_hi < target + distance) or (
        estimate_lo is not None and estimate_lo > target - distance
    )


def _refuse_single(n: int | None) -> None:
    if n is not None and n < 2:
        raise ValueError(f"A cell with {n} contributors has no second largest one.")
