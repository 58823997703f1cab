"""Pairs of households that are alike and live in different regions.

Households of one class that live in r regions, n_1, ..., n_r of them, sum n, make at most min(n // 2, n - max n_i)
pairs; and always taking from the two largest regions makes as many. Which region is taken from is drawn, as long as
enough pairs are left.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

Below = Callable[[int], int]
Pair = tuple[int, int]


@dataclass
class Pool:
    """Unpaired households of one class, by region; those at risk apart. Changes as pairs are taken."""

    risky: dict[int, list[int]] = field(default_factory=dict)
    others: dict[int, list[int]] = field(default_factory=dict)

    def add(self, household: int, region: int, *, at_risk: bool) -> None:
        """One more."""
        own, other = (self.risky, self.others) if at_risk else (self.others, self.risky)
        own.setdefault(region, []).append(household)
        other.setdefault(region, [])

    def number(self, region: int) -> int:
        """Unpaired households of a region."""
        return len(self.risky[region]) + len(self.others[region])

    @property
    def most(self) -> int:
        """How many pairs can be made."""
        numbers: list[int] = [self.number(region) for region in self.risky]
        return min(sum(numbers) // 2, sum(numbers) - max(numbers, default=0))

    def take(self, region: int, draw: Below, *, risky_first: bool) -> int:
        """A household of a region, drawn; risky_first: one at risk, if there is one."""
        risky, others = self.risky[region], self.others[region]
        if risky_first:
            own = risky or others
            return own.pop(draw(len(own)))
        at = draw(len(risky) + len(others))
        return risky.pop(at) if at < len(risky) else others.pop(at - len(risky))

    def largest(self, *, besides: int = -1) -> int | None:
        """The region with most unpaired households; None: there is none."""
        own = [r for r in self.risky if r != besides and self.number(r)]
        return max(own, key=lambda region: (self.number(region), -region), default=None)

    def riskiest(self, *, besides: int = -1) -> int | None:
        """The region with most unpaired households at risk; None: there is none."""
        own = [r for r in self.risky if r != besides and self.risky[r]]
        return max(own, key=lambda region: (len(self.risky[region]), self.number(region), -region), default=None)


def pairs_of_risky(pools: Sequence[Pool], draw: Below) -> list[Pair]:
    """As many households at risk as can be: with each other first, from the two regions with most of them."""
    found = []
    for pool in pools:
        while (region := pool.riskiest()) is not None:
            other = pool.riskiest(besides=region)
            if other is None:
                other = pool.largest(besides=region)
            if other is None:
                break
            found.append((pool.take(region, draw, risky_first=True), pool.take(other, draw, risky_first=True)))
    return found


def further_pairs(pools: Sequence[Pool], number: int, draw: Below) -> list[Pair]:
    """So many more pairs, or as many as there can be."""
    found: list[Pair] = []
    most: list[int] = [pool.most for pool in pools]
    while len(found) < number and any(most):
        chosen = _weighted(most, draw)
        pool = pools[chosen]
        regions = _two(pool, draw) if sum(most) > number - len(found) else None
        if regions is None:
            first = pool.largest()
            assert first is not None
            second = pool.largest(besides=first)
            assert second is not None
            regions = first, second
        one, other = (pool.take(region, draw, risky_first=False) for region in regions)
        found.append((one, other))
        most[chosen] = pool.most
    return found


def _two(pool: Pool, draw: Below) -> Pair:
    """Two regions, drawn by their households: the regions of any two that live in different ones."""
    regions = [region for region in pool.risky if pool.number(region)]
    numbers = [pool.number(region) for region in regions]
    ways = [(a, b) for a in range(len(regions)) for b in range(a)]
    weights = [numbers[a] * numbers[b] for a, b in ways]
    a, b = ways[_weighted(weights, draw)]
    return regions[a], regions[b]


def _weighted(weights: Sequence[int], draw: Below) -> int:
    """A position, drawn by weights."""
    upto = list(accumulate(weights))
    return bisect_right(upto, draw(upto[-1]))
