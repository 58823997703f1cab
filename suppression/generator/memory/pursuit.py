"""A direction for one base cell, among those that help most, wherever they are in the hypercube.

Begun with the direction in hand. Base cells are taken in along which |A d|^2 falls most steeply, and conjugate
gradients go on among all that are taken in, until |A d|^2 is well within the limit; so again, a few times. (With the
answers in `docs/methodologist/table-generator.md` one time and some five steps do mostly: 2 ms for 18,761 base cells.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from tableseal.audit.compiling import Runner, kernel
from tableseal.audit.hypercube.model import Ints
from tableseal.suppression.generator.memory.ground import GRAIN, Floats, Ground, Positions
from tableseal.suppression.generator.memory.rows import Grown, NewRows

Array = Any

ADDED, TIMES = 64, 6
"""Base cells that are taken in at a time, and how many times."""

STEPS, LAST_STEPS = 20, 150
"""Of conjugate gradients, at most, each time, and the last time, before a table is refused."""

WELL, FAIR = 0.6, 0.95
"""Parts of the limit. At the first a direction is good: further answers will see some of it. Below the second it is
good enough once a step lowers this by less than SLOW."""

SLOW = 0.05

STRIPES = 3
"""Each time every third base cell is looked at, and all in turn."""

Direction = tuple[Positions, Floats]
"""Base cells where it is not 0, and what it is there."""


@dataclass(frozen=True, repr=False)
class Directions:
    """Directions of single base cells. of: position in `Ground.small` -> direction."""

    of: Mapping[int, Direction]

    @staticmethod
    def none() -> "Directions":
        """No directions."""
        return Directions(MappingProxyType({}))

    @cached_property
    def at(self) -> Ints:
        """int64 (directions): whose, as positions in `Ground.small`."""
        return np.array(list(self.of), np.int64)

    @cached_property
    def _joined(self) -> tuple[Ints, Positions, Floats]:
        """One behind the other: where each begins and ends, base cells, entries."""
        lengths = [len(members) for members, _ in self.of.values()]
        ends = np.cumsum([0, *lengths])
        members, entries = zip(*self.of.values(), strict=True)
        return ends, np.concatenate(members), np.concatenate(entries)

    def seen(self, new: NewRows, before: Floats, known: Floats, run: Runner) -> None:
        """Put into `known` what a further answer makes of |A d|^2 of each. before: the same without the answer."""
        if self.of:
            ends, members, entries = self._joined
            added = np.zeros(len(self.of))
            run(seen_of_each, ends, members, entries, new.row, new.first, np.zeros(new.number), added)
            known[self.at] = before[self.at] + added


@dataclass(frozen=True, repr=False)
class Pursuit:
    """Seeks directions. rows: int32 (base cells x answers), see `Estimates`; number: of rows. Sums have an
    entry for none before these, which stays 0."""

    ground: Ground
    rows: Grown
    number: int
    limit: float
    run: Runner

    def sought(self, b: int, members: Positions, entries: Floats) -> tuple[Direction, float]:
        """A better direction for a base cell than one in hand, and |A d|^2; 0 at those with which it may be in a small
        set."""
        count = self.ground.base.count
        free = count >= self.ground.threshold - count[b]
        free[b] = False
        members, entries = members[members != b], entries[members != b]
        held, answers = self.rows.with_room, self.rows.number
        itself, one, slope = np.array([b], np.int32), np.ones(1), np.empty(len(free))
        every = np.flatnonzero(free).astype(np.int32)
        for time in range(TIMES):
            looked = every[time % STRIPES :: STRIPES]
            sums = np.zeros(1 + self.number)
            self.run(add_up, itself, one, held, answers, sums)
            self.run(add_up, members, entries, held, answers, sums)
            self.run(slopes, looked, sums, held, answers, slope)
            steep = np.zeros(len(free))
            steep[looked] = np.abs(slope[: len(looked)])
            steep[members] = 0.0
            new = _largest(steep, ADDED)
            members, entries = np.concatenate([members, new]), np.concatenate([entries, np.zeros(len(new))])
            room = np.zeros((3, len(members))), np.zeros(1 + self.number)
            steps = STEPS if time + 1 < TIMES and len(new) else LAST_STEPS
            value = self.run(descend, members, entries, sums, held, answers, steps, WELL * self.limit, *room)
            if value <= FAIR * self.limit:
                break
        members, entries = np.append(members, itself), np.append(np.round(entries * GRAIN) / GRAIN, 1.0)
        kept = entries != 0
        members, entries = members[kept], entries[kept]
        sums = np.zeros(1 + self.number)
        self.run(add_up, members, entries, held, answers, sums)
        return (members, entries), float((sums**2).sum())


def _largest(values: Floats, number: int) -> Positions:
    """Positions of so many largest values above 0, the same on every machine."""
    if number < len(values):
        least = np.partition(values, -number)[-number]
        values = np.where(values >= least, values, 0.0)
    return np.flatnonzero(values)[:number].astype(np.int32)


@kernel
def seen_of_each(ends: Array, members: Array, entries: Array, row: Array, first: int, sums: Array, out: Array) -> None:
    """Add to `out` what an answer adds to |A d|^2 of each direction. sums: 0 (rows of the answer), and so again."""
    for d in range(len(out)):
        for i in range(ends[d], ends[d + 1]):
            if row[members[i]] > 0:
                sums[row[members[i]] - first] += entries[i]
        for i in range(ends[d], ends[d + 1]):
            if row[members[i]] > 0:
                out[d] += sums[row[members[i]] - first] ** 2
                sums[row[members[i]] - first] = 0.0


@kernel
def add_up(members: Array, entries: Array, rows: Array, answers: int, sums: Array) -> None:
    """Add to `sums` (rows of A) what entries add up to in each."""
    for i in range(len(members)):
        own = rows[members[i]]
        for a in range(answers):
            sums[own[a]] += entries[i]
    sums[0] = 0.0


@kernel
def slopes(members: Array, sums: Array, rows: Array, answers: int, out: Array) -> None:
    """Half of how |A d|^2 changes with the entry of each base cell. sums: A d.

    Four sums at a time, so that a machine need not wait for each.
    """
    by_four = answers - answers % 4
    for i in range(len(members)):
        own = rows[members[i]]
        one = two = three = four = 0.0
        for a in range(0, by_four, 4):
            one += sums[own[a]]
            two += sums[own[a + 1]]
            three += sums[own[a + 2]]
            four += sums[own[a + 3]]
        for a in range(by_four, answers):
            one += sums[own[a]]
        out[i] = (one + two) + (three + four)


@kernel
def descend(
    members: Array,
    entries: Array,
    sums: Array,
    rows: Array,
    answers: int,
    steps: int,
    target: float,
    room: Array,
    along: Array,
) -> float:
    """Lower |A d|^2 by conjugate gradients over the entries of some base cells, and return it.

    Source: Hestenes & Stiefel 1952.

    sums: A d, is changed with the entries. room: (3 x members), along: (rows).
    """
    number, slope, way = len(members), room[0], room[1]
    slopes(members, sums, rows, answers, slope)
    steep = value = 0.0
    for i in range(number):
        way[i] = -slope[i]
        steep += slope[i] * slope[i]
    for r in range(len(sums)):
        value += sums[r] * sums[r]
    for _ in range(steps):
        if value <= target or steep <= 1e-9:
            break
        along[:] = 0.0
        add_up(members, way, rows, answers, along)
        bend = 0.0
        for r in range(len(sums)):
            bend += along[r] * along[r]
        if bend <= 0.0:
            break
        by, last, value = steep / bend, value, 0.0
        for r in range(len(sums)):
            sums[r] += by * along[r]
            value += sums[r] * sums[r]
        for i in range(number):
            entries[i] += by * way[i]
        if value <= FAIR / WELL * target and last - value < SLOW * value:
            break
        slopes(members, sums, rows, answers, slope)
        before, steep = steep, 0.0
        for i in range(number):
            steep += slope[i] * slope[i]
        for i in range(number):
            way[i] = -slope[i] + steep / before * way[i]
    return value
