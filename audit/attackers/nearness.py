"""What a knower can be too close to in a cell, and how far its values must reach so that it is not."""

from fractions import Fraction
from math import ceil, floor

from tableseal.audit.attackers.contributors import Data
from tableseal.audit.attackers.findings import Gathered, Insider
from tableseal.audit.attackers.formulas import End, others, too_close
from tableseal.audit.attackers.intervals import attained_ends, outer_ends
from tableseal.audit.attackers.knowers import Knower, shares
from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER


class Nearness:
    """What a knower can be too close to in a cell: its value, and the largest contribution of somebody else."""

    def __init__(self, data: Data, knower: Knower, k: int, p: Fraction) -> None:
        self.cell, self._p = k, p
        self._target: int | None = None
        cell = int(data.open_cells[k])
        if data.is_count[cell] or not data.nonnegative:
            return
        inside = [s for s in shares(data, knower) if data.nested(s, k)]
        self._own = knower.own.get(k, max((knower.exact[s] for s in inside), default=0))
        shared = k in knower.own or bool(inside)
        # Of a coalition as many are in the cell as in a part of it; the others may be elsewhere.
        there = max((max(1, int(data.contributors[data.open_cells[s]])) for s in inside), default=knower.members)
        first, second = data.contribution(0, cell), data.contribution(1, cell)
        self._target = second if shared and first == self._own else first
        self._count = max(max(int(data.contributors[cell]), 1) - (there if shared else 0), 1)

    def reach(self) -> tuple[int | None, int | None]:
        """How far down and up the cell must be able to go; None: it is enough that it can change at all."""
        if self._target is None:
            return None, None
        distance = self._p * self._target / 100
        return self._own + self._count * floor(self._target - distance), ceil(self._own + self._target + distance)

    def needed(self) -> tuple[int, int]:
        """Values that the cell must be able to take for the knower not to be too close."""
        low, high = self.reach()
        # Both may hold of a single value, which would be computed.
        return (low, high) if low is not None and high is not None and low < high else (NO_LOWER, NO_UPPER)

    def fails(self, bounds: TargetBounds) -> bool:
        """Whether it is proved that even who knows no more than these bounds is too close."""
        return self._closest("", outer_ends(bounds)) is not None

    def judge(self, who: str, bounds: TargetBounds | None, gathered: Gathered) -> None:
        """Too close by what is proved, not too close by tables in hand, or left open."""
        if bounds is None:
            gathered.open.add(self.cell)  # the knower's values do not fit: nothing is shown
            return
        proved = self._closest(who, outer_ends(bounds))
        shown = attained_ends(bounds)
        if proved is not None:
            gathered.too_close(self.cell, proved)
        elif shown is None or self._closest(who, shown) is not None:
            gathered.open.add(self.cell)

    def _closest(self, who: str, ends: tuple[End, End]) -> Insider | None:
        """What the knower concludes from an interval where that is too close."""
        low, high = ends
        if low is not None and low == high:
            return Insider(who, "value", low, high)
        if self._target is None:
            return None
        # Of `count` others the largest gives at least an equal share of what is not the knower's own.
        rest_low, rest_high = others(low, high, self._own)
        share = None if rest_low is None else -(-rest_low // self._count)
        if not too_close(share, rest_high, self._target, self._p):
            return None
        return Insider(who, "largest_of_others", share, rest_high)
