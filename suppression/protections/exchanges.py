"""Exchanges: tables that add up become nearer ones that add up, by single steps of base cells in each other's place.

An exchange takes some variables of a base table, an atom of each and another one in its place; with none, one base cell
goes a step alone, and all sums with it. Base cells of all combinations go up and down in turn, so that all sums over
one of these variables stay; what changes are the codes above one atom and not above the other. Of three variables,
among neighbours of one parent, these are eight cells. The others are taken among those that let the base cells of this
table stay within their neighbours.

An exchange that makes the table nearer is made, one that does not is made with a probability that falls with what it
costs and with time (simulated annealing). A step beyond the neighbours has a price.

Source: Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by simulated annealing"; that such exchanges connect tables
of the same sums: Diaconis and Sturmfels 1998.
"""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.exchange_choice import desk_of, places_of
from tableseal.suppression.protections.exchange_moves import Values, exchange
from tableseal.suppression.protections.grid import Grids
from tableseal.suppression.protections.multiples import Part

Ints = NDArray[np.int64]

WARM = 0.3
"""Of a base: what an exchange may cost at first, about. More loses what guides know (20,181 cells without levels)."""

PRICE, DEAREST = 2, 20
"""Of a step beyond the neighbours, in bases, at first and at last."""

TRIES = 200
"""Of each cell, in the mean."""

AT_ONCE = 200_000
"""Tries between two looks at the clock."""


def spent_of(limits: Limits, whole: float) -> float:
    """What share of so many seconds is over; 0 where there is no limit."""
    if not np.isfinite(whole):
        return 0.0
    return 1 - limits.seconds_left() / whole if whole > 0 else 1.0


class Exchanges:
    """A table that adds up, and exchanges in it. steps: int64 (cells), above the lower neighbours, then those of base
    cells that no table lists, which may be any that are not negative."""

    def __init__(self, part: Part, grids: Grids, steps: Ints, seed: int = 1) -> None:
        self._part, self._run = part, Runner(compiled=True)
        self._grids = self._run.arrays(grids)
        cells, nonnegative = len(part.value), bool((part.value >= 0).all())
        least = np.full(len(steps), 0 if nonnegative else -(2**40))
        between = np.full(len(steps), 2**40)
        between[:cells] = part.between
        if nonnegative:
            least[:cells] = -part.low
        wrong = ((steps > between) | (steps < 0)) & (np.arange(len(steps)) < cells)
        self.places = self._run.arrays(places_of(steps, between, wrong, seed))
        self._values = self._run.arrays(Values(least, part.residual))
        self._desk = desk_of(grids)

    @property
    def steps(self) -> Ints:
        """int64 (cells, then base cells)."""
        found: Ints = self.places.step.copy()
        return found

    def anneal(self, limits: Limits, say: Progress) -> None:
        """Cool down; always the same, unless a time limit makes it faster."""
        cells, base = len(self._part.value), self._part.base
        rounds = max(8, TRIES * cells // AT_ONCE)
        tries = min(AT_ONCE, max(2_000, TRIES * cells // rounds))
        whole, k, cooled = limits.seconds_left(), 0, 0.0
        while cooled < 1:
            price = PRICE * (DEAREST / PRICE) ** min(1.0, 2 * cooled)
            heat = WARM * base * (1 - cooled) ** 2
            self._run(
                exchange, self._grids, self.places, self._values, self._desk, tries, base, int(price * base), heat
            )
            k += 1
            spent = spent_of(limits, whole)
            if spent >= k / rounds:
                limits.reached.add("time")
            cooled = max(k / rounds, spent)
            say("cells beyond their neighbours", int(self.places.told[0]), cells)
