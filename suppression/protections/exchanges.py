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
from tableseal.suppression.protections.exchange_moves import Desk, State, exchange
from tableseal.suppression.protections.grid import Grids
from tableseal.suppression.protections.multiples import Part

Ints = NDArray[np.int64]

WARM = 0.4
"""Of a base: what an exchange may cost at first, about."""

PRICE, DEAREST = 2, 20
"""Of a step beyond the neighbours, in bases, at first and at last."""

TRIES = 200
"""Of each cell, in the mean."""

AT_ONCE = 200_000
"""Tries between two looks at the clock."""


class Exchanges:
    """A table that adds up, and exchanges in it. steps: int64 (cells), above the lower neighbours."""

    def __init__(self, part: Part, grids: Grids, steps: Ints, seed: int = 1) -> None:
        self._part, self._run = part, Runner(compiled=True)
        self._grids = self._run.arrays(grids)
        cells = len(steps)
        least = -part.low if (part.value >= 0).all() else np.full(cells, -(2**40))
        wrong = np.flatnonzero((steps > part.between) | (steps < 0))
        listed, at = np.zeros(cells, np.int64), np.full(cells, -1, np.int64)
        listed[: len(wrong)], at[wrong] = wrong, np.arange(len(wrong))
        told = np.array([len(wrong), 2_463_534_242 + seed, 0], np.int64)
        self.state = self._run.arrays(State(steps.copy(), least, part.residual, part.between, listed, at, told))
        variables = len(grids.begin) - 1
        wide = 2 * int(np.diff(grids.above_start).max())
        one, codes = np.zeros(variables, np.int64), np.zeros(variables * wide, np.int64)
        many = np.zeros((len(grids.first) - 1) * int(min(wide**variables, 1 << 16)), np.int64)
        parts = (one, one, one, one, one, codes, codes, one, many, many)
        self._desk = Desk(*(part.copy() for part in parts))

    @property
    def steps(self) -> Ints:
        """int64 (cells)."""
        found: Ints = self.state.step.copy()
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
            self._run(exchange, self._grids, self.state, self._desk, tries, base, int(price * base), heat)
            k += 1
            spent = 1 - limits.seconds_left() / whole if np.isfinite(whole) and whole > 0 else 0.0
            if spent >= k / rounds:
                limits.reached.add("time")
            cooled = max(k / rounds, spent)
            say("cells beyond their neighbours", int(self.state.told[0]), cells)
