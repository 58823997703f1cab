"""What contributors to a cell conclude about each other from an interval of the cell.

Source: Oganian & Domingo-Ferrer 2003, section 4.5.4. All amounts are whole multiples of the unit and contributions are
not negative. An estimate is always valid: if the cell's true value lies in the interval, the contribution lies in the
estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

Interval = tuple[int | None, int | None]
"""Both ends in units; None: no limit."""


@dataclass(frozen=True)
class Estimate:
    """How somebody estimates one contribution of others to a cell.

    own: what it gave itself and subtracts. rest: others give at most so much of what is left; among: of what then is
    left the estimated contribution is at least an equal share among so many. least, most: what is known of it whatever
    the cell may be.
    """

    own: int = 0
    rest: int = 0
    among: int = 1
    least: int | None = None
    most: int | None = None

    def __call__(self, low: int | None, high: int | None) -> Interval:
        """The ends of the contribution, from those of the cell.

        Examples
        --------
        The paper's cell, where the number of contributors is not known and the largest gives more than the others:

        >>> Estimate(own=400, among=10, least=401)(995, 1004)
        (401, 604)
        """
        lower, upper = self.least, self.most
        if low is not None:
            share = -((self.own + self.rest - low) // self.among)
            lower = share if lower is None else max(lower, share)
        if high is not None:
            upper = high - self.own if upper is None else min(upper, high - self.own)
        return lower, upper

    def reach(self, target: int, p: Fraction) -> tuple[int, int]:
        """How far down and up the cell must be able to go so that an estimate of the target is not `too_close`."""
        distance = p * abs(target) / 100
        return self.own + self.rest + self.among * floor(target - distance), self.own + ceil(target + distance)


NOTHING_GIVEN = Estimate()
"""Of the only contribution to a cell, by somebody who gave nothing."""


def largest_seen_by(own: Sequence[int], n: int) -> Estimate:
    """The largest of n contributions, as the next largest see it together: the second alone, or more.

    own: what they gave, largest first. The largest gives at least as much as the second; whoever is left besides gives
    at most as much as the smallest of them.

    Examples
    --------
    >>> largest_seen_by([400], 2)(995, 1004)
    (595, 604)
    >>> largest_seen_by([300, 90], 4)(995, 1004)
    (515, 614)
    """
    return Estimate(sum(own), (n - len(own) - 1) * own[-1], least=own[0])


def second_seen_by_largest(own: int, n: int) -> Estimate:
    """The second largest of n contributions, as the largest sees it: at least an equal share of what the n - 1 others
    give, and no more than itself.

    Examples
    --------
    >>> second_seen_by_largest(700, 3)(995, 1004)
    (148, 304)
    """
    return Estimate(own, among=n - 1, least=0, most=own)


def too_close(estimate: Interval, target: int, p: Fraction) -> bool:
    """True if an estimate comes within p percent of the target on either side.

    That is: the upper estimate is below (1 + p/100) times the target, or the lower one above (1 - p/100)
    times it. Exact arithmetic; for a negative target the distance is p percent of its size.

    Examples
    --------
    >>> too_close((401, 604), 600, Fraction(10)), too_close((401, 604), 500, Fraction(10))
    (True, False)
    """
    (lower, upper), distance = estimate, p * abs(target) / 100
    return (upper is not None and upper < target + distance) or (lower is not None and lower > target - distance)
