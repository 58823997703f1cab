"""A direction for one base cell, among those that help most, wherever they are in the hypercube.

Begun with the direction in hand. Base cells along which |A d|^2 falls most steeply are taken in, and conjugate
gradients go on among all that are taken in until |A d|^2 is well within the limit (mostly five steps do). Where it
stays beyond the limit the best direction among these is computed (see `inverse`), more base cells are taken in, and so
again, until it is within, or falls too slowly. From then on that base cell begins with the best one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.compiling import Runner
from tableseal.audit.hypercube.model import Ints
from tableseal.suppression.generator.memory.gradients import WELL, add_up, descend, seen_of_each, slopes
from tableseal.suppression.generator.memory.ground import GRAIN, Floats, Ground, Positions
from tableseal.suppression.generator.memory.inverse import Inverses
from tableseal.suppression.generator.memory.rows import Grown, NewRows

ADDED, STEPS = 64, 20
"""Base cells that are taken in, and steps of conjugate gradients, at most."""

ADDED_TO_BEST, TIMES = 32, 8
"""Base cells that are taken in at a time where the best direction is sought, and how many are sought, at most."""

HOPE = 8
"""More base cells are taken in while what is too much is below so many times the latest gain."""

MOST, KEPT = 640, 448
"""Members of a direction, at most, when the best one is sought; of those with more so many with the largest entries are
kept."""

STRIPES = 3
"""Every third base cell is looked at; where the best direction is sought, all are."""

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
            run(seen_of_each, ends, members, entries, new.row, new.first, np.zeros(1 + new.number), added)
            known[self.at] = before[self.at] + added


@dataclass(frozen=True, repr=False)
class Pursuit:
    """Seeks directions.

    rows: int32 (base cells x answers), see `Estimates`; number: of rows. Sums have an entry for none before these,
    which stays 0. earlier, now: inverses without and with the latest answer, by base cell; those of the first are a
    store, in which they are kept for the next answer.
    """

    ground: Ground
    rows: Grown
    number: int
    limit: float
    run: Runner
    earlier: Inverses
    now: Inverses

    def sought(self, b: int, members: Positions, entries: Floats, best: bool) -> tuple[Direction, float, bool]:
        """A better direction for a base cell than one in hand, 0 at those with which it may be in a small set; |A d|^2;
        and whether it is the best among its members.

        best: whether the one in hand was that before the latest answer.
        """
        count = self.ground.base.count
        free = count >= self.ground.threshold - count[b]
        free[b] = False
        others = members != b
        members, entries = members[others], entries[others]
        if not best:
            members, entries, value = self._lowered(b, members, entries, free)
            kept = entries != 0
            members, entries = members[kept], entries[kept]
            if value <= self.limit:
                return (np.append(members, np.int32(b)), np.append(entries, 1.0)), value, False
        members, entries, value = self._best(b, members, entries, free)
        return (np.append(members, np.int32(b)), np.append(entries, 1.0)), value, True

    def _lowered(
        self, b: int, members: Positions, entries: Floats, free: NDArray[np.bool_]
    ) -> tuple[Positions, Floats, float]:
        """By conjugate gradients, among those in hand and some more."""
        sums = self._sums(b, members, entries)
        new = self._steepest(sums, np.flatnonzero(free)[::STRIPES], members, ADDED)
        members, entries = np.concatenate([members, new]), np.concatenate([entries, np.zeros(len(new))])
        room = np.zeros((3, len(members))), np.zeros(1 + self.number)
        held = self.rows.with_room, self.rows.number
        self.run(descend, members, entries, sums, *held, STEPS, WELL * self.limit, *room)
        entries = np.round(entries * GRAIN) / GRAIN
        return members, entries, self._value(b, members, entries)

    def _best(
        self, b: int, members: Positions, entries: Floats, free: NDArray[np.bool_]
    ) -> tuple[Positions, Floats, float]:
        """The best one among those in hand; where that is not within the limit, among some more, until it is, or it
        falls too little for that."""
        if len(members) > MOST:
            kept = np.sort(np.argsort(-np.abs(entries), kind="stable")[:KEPT])
            members, entries = members[kept], entries[kept]
        rows = self.rows.array
        inverse = self.earlier.found(b, members, rows[:, :-1], self.run).with_answers(rows[members], self.run)
        sums, last = self._sums(b, members, entries), np.inf
        for time in range(TIMES):
            slope = np.empty(len(members))
            self.run(slopes, members, sums, self.rows.with_room, self.rows.number, slope)
            entries = np.round((entries + inverse.step(slope, entries)) * GRAIN) / GRAIN
            sums = self._sums(b, members, entries)
            value = float((sums**2).sum())
            if value <= self.limit or time + 1 == TIMES or value - self.limit > HOPE * (last - value):
                break
            last = value
            new = self._steepest(sums, np.flatnonzero(free), members, ADDED_TO_BEST)
            if not len(new):
                break
            members, entries = np.concatenate([members, new]), np.concatenate([entries, np.zeros(len(new))])
            inverse = inverse.with_members(new, rows[members], self.run)
        self.now.keep(b, inverse)
        return members, entries, value

    def _sums(self, b: int, members: Positions, entries: Floats) -> Floats:
        """A d, for a direction that is 1 at b."""
        sums = np.zeros(1 + self.number)
        held = self.rows.with_room, self.rows.number
        self.run(add_up, np.array([b], np.int32), np.ones(1), *held, sums)
        self.run(add_up, members, entries, *held, sums)
        return sums

    def _value(self, b: int, members: Positions, entries: Floats) -> float:
        return float((self._sums(b, members, entries) ** 2).sum())

    def _steepest(self, sums: Floats, looked: Ints, members: Positions, number: int) -> Positions:
        """Of base cells those along which |A d|^2 falls most steeply, without members."""
        slope = np.empty(len(looked))
        self.run(slopes, looked.astype(np.int32), sums, self.rows.with_room, self.rows.number, slope)
        steep = np.zeros(len(self.ground.base))
        steep[looked] = np.abs(slope)
        steep[members] = 0.0
        return _largest(steep, number)


def _largest(values: Floats, number: int) -> Positions:
    """Positions of so many largest values above 0, the same on every machine."""
    if number < len(values):
        least = np.partition(values, -number)[-number]
        values = np.where(values >= least, values, 0.0)
    return np.flatnonzero(values)[:number].astype(np.int32)
