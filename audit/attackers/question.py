"""What an attacker must not get too close to in a cell, how far the cell must reach for that, and the verdict."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tableseal.audit.attackers.answer import Answer, Finding, Whose, attained_ends, outer_ends
from tableseal.audit.attackers.attacker import Attacker
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.estimates import NOTHING_GIVEN, Estimate, Interval, too_close
from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER


@dataclass(frozen=True)
class Question:
    """How close an attacker gets to a cell (position).

    whose, target: a contribution of somebody else, in units, within p percent of which it must not place it; target
        None: there is none to be asked about. estimate: of that, from an interval of the cell.
    computes: it must not find out the value of the cell either.
    """

    attacker: Attacker
    cell: int
    p: Fraction
    whose: Whose = "value"
    target: int | None = None
    estimate: Estimate = NOTHING_GIVEN
    computes: bool = True

    def reach(self) -> Interval:
        """How far down and up the cell must be able to go; None: it is enough that it can change at all."""
        return (None, None) if self.target is None else self.estimate.reach(self.target, self.p)

    def enough(self) -> tuple[int, int]:
        """Values that the cell must be able to take for the attacker not to be too close."""
        low, high = self.reach()
        # Both may hold of a single value, which would be computed.
        return (low, high) if low is not None and high is not None and low < high else (NO_LOWER, NO_UPPER)

    def finding(self, ends: Interval) -> Finding | None:
        """What the attacker concludes from an interval of the cell where that is too close."""
        low, high = ends
        if self.computes and low is not None and low == high:
            return Finding(self.attacker.who, "value", low, high)
        found = self.concluded(ends)
        close = self.target is not None and too_close((found.lower, found.upper), self.target, self.p)
        return found if close else None

    def concluded(self, ends: Interval) -> Finding:
        """What the attacker concludes from an interval of the cell, too close or not."""
        return Finding(self.attacker.who, self.whose, *self.estimate(*ends))

    def answer(self, bounds: TargetBounds | None) -> Answer:
        """The answer for somebody with these bounds of the cell; None: nothing is shown."""
        if bounds is None:
            return Answer(self.cell, "open")
        proved, shown = self.finding(outer_ends(bounds)), attained_ends(bounds)
        if proved is not None:
            by_rank = self.finding((None, None)) is not None
            return Answer(self.cell, "too close by rank" if by_rank else "too close", proved)
        return Answer(self.cell, "open" if shown is None or self.finding(shown) is not None else "far enough")


def question(contributors: Contributors, attacker: Attacker, k: int, p: Fraction) -> Question:
    """What somebody who knows cells asks about open cell k: its value, and of a magnitude the largest contribution of
    somebody else to it."""
    cell = int(contributors.open_cells[k])
    if contributors.is_count[cell] or not contributors.nonnegative:
        return Question(attacker, k, p)
    inside = np.array(attacker.inside, np.int64)
    inside = inside[contributors.nested(k, inside)] if len(inside) else inside
    # A coalition has as many in the cell as in a part of it; the others may be elsewhere.
    there, own = attacker.members, dict(attacker.shares).get(k)
    shared = own is not None or len(inside) > 0
    if len(inside):
        cells = contributors.open_cells[inside]
        there = max(1, int(contributors.number[cells].max()))
        own = int(contributors.cells.truth.units[cells].max()) if own is None else own
    first, second = contributors.contribution(0, cell), contributors.contribution(1, cell)
    others = max(int(contributors.number[cell]), 1) - (there if shared else 0)
    # Of so many others the largest gives at least an equal share of what is not the attacker's own.
    estimate = Estimate(own or 0, among=max(others, 1))
    return Question(attacker, k, p, "largest_of_others", second if shared and first == own else first, estimate)
