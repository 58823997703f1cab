"""Noisy views of small sets of units: how well somebody may know a few people by the mean of many changed counts.

Another table in hand says what is possible, not what is likely. Changes of cells with different units are independent,
so that their mean over many answers is near 0 however wide each is (Asghar & Kaafar 2020, who ask for one count as the
sum of ever other parts). What is kept track of are sums: every answered cell, and every sum of an answer over some of
its variables. A set of units with sums of m cells each, all different, is known with a precision of the sum of 1 / m,
in units of one over the variance of a change. A small set is seen by itself, and as what a larger set has besides a
smaller one: of sets known with precisions p and q the difference is known with 1 / (1 / p + 1 / q). Over all such pairs
these add up, because no set is in two pairs of one difference. The same cells again, in whatever table, are no further
view.

This is no bound on all estimates there are. Sums of cells that no answer adds up by itself, and differences over more
than two sums, are left out; where two sums share cells the precision is taken too high.
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.model import Ints
from tableseal.suppression.generator.memory.answers import Reading
from tableseal.suppression.generator.memory.ground import Marks
from tableseal.suppression.generator.memory.rows import Grown
from tableseal.suppression.generator.protection import mixed

MOST_PARTS = 64
"""Sums of more cells are passed over: a view by them is worth less than a sixtieth."""


@dataclass(frozen=True, repr=False)
class Sums:
    """What an answer says of sets of units: by one cell, or by several.

    marks: uint64, of the set. digests: uint64, of the cells that are added up. count: int64, units. parts: int64,
    cells.
    """

    marks: Marks
    digests: Marks
    count: Ints
    parts: Ints

    @staticmethod
    def of(reading: Reading) -> "Sums":
        """Cells of an answer that are not empty, and its sums over some variables."""
        shape = reading.answer.question.shape
        filled = reading.bases > 0
        values = (reading.marks, np.where(filled, _digest(reading.marks), 0), reading.count, filled.astype(np.int64))
        found: list[list[NDArray[Any]]] = [[], [], [], []]
        for chosen in product((False, True), repeat=len(shape)):
            over = tuple(k for k, yes in enumerate(chosen) if yes)
            sums = [v.reshape(shape).sum(axis=over, dtype=v.dtype).ravel() for v in values]
            kept = (sums[3] > 0) & (sums[3] <= MOST_PARTS)
            for k, v in enumerate(sums):
                found[k].append(v[kept])
        marks, digests, count, parts = (np.concatenate(one) for one in found)
        _, first = np.unique(digests, return_index=True)  # a sum of one cell is that cell
        return Sums(marks[first], digests[first], count[first], parts[first])


def _digest(marks: Marks) -> Marks:
    return mixed(marks.view(np.int64), 3)


@dataclass(frozen=True, repr=False)
class Sorted:
    """Different numbers in ascending order, and a position for each."""

    keys: NDArray[Any]
    at: NDArray[np.int64]

    @staticmethod
    def none(kind: type[np.generic]) -> "Sorted":
        """No numbers."""
        return Sorted(np.zeros(0, kind), np.zeros(0, np.int64))

    def find(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        """int64: the position of each, -1 where there is none."""
        if not len(self.keys):
            return np.full(len(wanted), -1, np.int64)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.at[place], -1)

    def adding(self, keys: NDArray[Any], at: NDArray[np.int64]) -> "Sorted":
        """With further ones, in any order."""
        order = np.argsort(keys, kind="stable")
        place = np.searchsorted(self.keys, keys[order], side="right")
        return Sorted(np.insert(self.keys, place, keys[order]), np.insert(self.at, place, at[order]))


@dataclass(frozen=True, repr=False)
class Views:
    """Sets of units that answers tell of, in the order in which they came up.

    Attributes
    ----------
    marks: uint64 (sets). precision: float64 (sets), by sums that are the set; 0: it is a difference alone. source:
    int64 (sets), the answer that first told of it by several cells; -1: it was one cell. small: bool (sets).
    by_mark, by_count: sets by their mark, and by their number of units. told: digests of sums that were told.
    larger, smaller, target: int64 (pairs), sets of which one is all of another but for a small one. paired: digests of
    these.
    """

    marks: Grown
    precision: NDArray[np.float64]
    source: NDArray[np.int64]
    small: NDArray[np.bool_]
    by_mark: Sorted
    by_count: Sorted
    told: Sorted
    larger: Grown
    smaller: Grown
    target: Grown
    paired: Sorted

    @staticmethod
    def none() -> "Views":
        """Nothing was told."""
        whole, marks, numbers = Grown.empty((), np.int64), Sorted.none(np.uint64), Sorted.none(np.int64)
        nothing = np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return Views(Grown.empty((), np.uint64), *nothing, marks, numbers, marks, whole, whole, whole, marks)

    def known(self) -> NDArray[np.float64]:
        """float64 (sets): how well each is known, by itself and by differences."""
        with np.errstate(divide="ignore"):
            other = 1 / self.precision
            views = 1 / (other[self.larger.array] + other[self.smaller.array])
        found: NDArray[np.float64] = self.precision + np.bincount(self.target.array, views, len(self.precision))
        return found

    def telling(self, sums: Sums, answer: int, small: int) -> tuple["Views", Sums]:
        """With the sums of a further answer, and those of them that are of sets of which nothing was told.
        small: below it counts are small."""
        new = self.told.find(sums.digests) < 0
        at = np.flatnonzero(new)
        told = self.told.adding(sums.digests[at], np.zeros(len(at), np.int64))
        found, sets = replace(self, told=told).registering(sums.marks[at], sums.count[at] < small)
        before = found.precision[sets]
        precision = found.precision.copy()
        np.add.at(precision, sets, 1 / sums.parts[at])
        first = at[before == 0]
        _, unique = np.unique(sums.marks[first], return_index=True)
        kept = first[unique]
        fresh = Sums(sums.marks[kept], sums.digests[kept], sums.count[kept], sums.parts[kept])
        own = found.by_mark.find(fresh.marks)
        source = found.source.copy()
        source[own] = np.where(fresh.parts > 1, answer, -1)
        by_count = found.by_count.adding(fresh.count, own)
        return replace(found, precision=precision, source=source, by_count=by_count), fresh

    def registering(self, marks: Marks, small: NDArray[np.bool_]) -> tuple["Views", NDArray[np.int64]]:
        """With these sets, and the position of each."""
        own, first = np.unique(marks, return_index=True)
        first = first[self.by_mark.find(own) < 0]
        new = marks[first]
        at = np.arange(len(new)) + self.marks.number
        by_mark = self.by_mark.adding(new, at)
        found = replace(
            self,
            marks=self.marks.adding(new),
            precision=np.concatenate([self.precision, np.zeros(len(new))]),
            source=np.concatenate([self.source, np.full(len(new), -1)]),
            small=np.concatenate([self.small, small[first]]),
            by_mark=by_mark,
        )
        return found, by_mark.find(marks)

    def pairing(self, larger: Marks, smaller: Marks, target: Marks) -> "Views":
        """With pairs of told sets, and the small set that is their difference."""
        digests, first = np.unique(_digest(larger) + smaller, return_index=True)
        first = first[self.paired.find(digests) < 0]
        digests = digests[self.paired.find(digests) < 0]
        found, at = self.registering(target[first], np.ones(len(first), np.bool_))
        return replace(
            found,
            larger=found.larger.adding(found.by_mark.find(larger[first])),
            smaller=found.smaller.adding(found.by_mark.find(smaller[first])),
            target=found.target.adding(at),
            paired=found.paired.adding(digests, np.zeros(len(digests), np.int64)),
        )

    def near(self, fresh: Sums, small: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs of told sets of which one has 1 to small - 1 units more than the other: positions of the larger and of
        the smaller one. Of every pair one set is a fresh one."""
        own = self.by_mark.find(fresh.marks)
        parts = []
        for units in range(1, small):
            for sign in (1, -1):
                wanted = fresh.count - sign * units
                begin = np.searchsorted(self.by_count.keys, wanted, "left")
                number = np.searchsorted(self.by_count.keys, wanted, "right") - begin
                one = np.repeat(own, number)
                within = np.arange(len(one)) - np.repeat(np.cumsum(number) - number, number)
                other = self.by_count.at[np.repeat(begin, number) + within]
                larger, smaller = (one, other) if sign > 0 else (other, one)
                parts.append((larger, smaller))
        larger, smaller = (np.concatenate(column) for column in zip(*parts, strict=True))
        return larger, smaller
