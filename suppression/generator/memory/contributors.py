"""What somebody who holds sums may know of single contributions: the memory of one measure.

**Who is protected.** Sets of units of which a rule says that few contributors make up their sum (sensitive sets), and
of each of them its largest contributor i. If all records of i lie in one base cell b, then i is the largest of b's such
contributors, and what b holds besides the largest few is no more than what the set holds besides its own. So b tells
whether there may be such a set (`OfLargest.leading`). Contributors with records in several base cells are all
protected.

**The direction.** Let x be what i gives to every base cell, and 0 elsewhere. The true contributions, and those in which
i gives (1 + d) x, are two tables between which every sum C differs by d x(C). So whatever else somebody knows, all
other contributions included:

- No linear estimate of the sum of a set S, from all answers, has a variance below x(S)^2 / sum over C of
  x(C)^2 / v(C), v(C) being the variance of the change of C (Cauchy and Schwarz; see `estimates`): its standard error
  is a share of what i gives to S, which the policy limits (`error`).
- All answers stay possible as long as what is shown of each C lies within the reach of changes of its sum after the
  change. The d for which that holds are an interval around 0, whose length the policy limits (`width`).

Cells of the same units are changed alike, and are one view. Changes of all others are independent (keys are mixed with
a secret). What is shown is rounded to a unit, by which a standard deviation gets smaller by half a unit at most. If i
gives less, the largest contribution to C and with it the reach of changes get smaller by the same share at most.

Whether there is anybody may be known from sums alone, so that base cells with a small count that sums were told of are
taken to be known not to be empty (see `moves`).
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.hypercube.contributions import Contributions, grouped
from tableseal.audit.hypercube.model import BaseCells, Ints
from tableseal.audit.hypercube.question import Question, cells_of
from tableseal.suppression.generator.policy import MeasureRule
from tableseal.suppression.generator.sums import Change, shares_of

Floats = NDArray[np.float64]
Marks = NDArray[np.uint64]

NOISE = 1e-9
"""What the arithmetic may add."""


@dataclass(frozen=True, repr=False)
class Subjects:
    """Whose contributions to a measure are looked at: of each base cell the largest contributor with records in it
    alone, then all contributors with records in several (agency knowledge).

    protected: bool (subjects). gives: int64 (base cells), what the first ones give, without sign. numbers: int64, of
    the second ones, ascending.
    """

    protected: NDArray[np.bool_]
    gives: Ints
    numbers: Ints

    @staticmethod
    def of(contributions: Contributions, measure: str, rule: MeasureRule) -> "Subjects":
        """Of all base cells."""
        own = contributions.amounts[measure]
        shares = shares_of(own.largest, own.size)
        leading = contributions.respondents < rule.respondents
        for one in rule.rules:
            leading |= one.leading(shares)
        numbers = np.unique(contributions.contributor)
        protected = np.concatenate([leading & (own.largest[:, 0] > 0), np.ones(len(numbers), np.bool_)])
        return Subjects(protected, own.largest[:, 0], numbers)


@dataclass(frozen=True, repr=False)
class Known:
    """What answers say of contributions to a measure.

    told: uint64, marks of cells that were answered, ascending. precision: float64 (subjects), one over the square of
    the smallest relative standard error. more, less: float64 (subjects), by which shares each may give more and less.
    """

    told: Marks
    precision: Floats
    more: Floats
    less: Floats

    @staticmethod
    def nothing(subjects: Subjects) -> "Known":
        """Nothing was answered."""
        number = len(subjects.protected)
        return Known(np.zeros(0, np.uint64), np.zeros(number), np.full(number, np.inf), np.ones(number))


@dataclass(frozen=True, repr=False)
class Contributors:
    """Contributors of a hypercube (agency knowledge)."""

    base: BaseCells
    measure: str
    rule: MeasureRule

    @cached_property
    def subjects(self) -> Subjects:
        """Whose contributions are looked at."""
        assert self.base.contributions is not None
        return Subjects.of(self.base.contributions, self.measure, self.rule)

    def with_answer(
        self, marks_of: Marks, before: Known, question: Question, shown: Ints, change: Change
    ) -> tuple[Known, Ints]:
        """With a further answer; and subjects of whom more would be known than the policy allows, and was not before
        (positions in `Subjects`).

        marks_of: of base cells. shown: int64 (cells). change: how it was changed then; another one is another view.
        """
        contributions, subjects = self.base.contributions, self.subjects
        assert contributions is not None
        cell, size = cells_of(question, self.base), question.size
        inside = np.flatnonzero(cell >= 0)
        marks = np.zeros(size, np.uint64)
        np.add.at(marks, cell[inside], marks_of[inside])
        marks += np.uint64(int.from_bytes(blake2b(repr(change).encode(), digest_size=8).digest()))
        new = (np.bincount(cell[inside], minlength=size) > 0) & ~np.isin(marks, before.told)
        found = grouped(contributions.only([self.measure]), cell, size)
        largest = found.largest(self.measure)[:, 0].astype(np.float64)
        total = np.zeros(size, np.int64)
        np.add.at(total, cell[inside], self.base.sums[self.measure][inside])

        single = inside[subjects.gives[inside] > 0]
        who = np.concatenate([single, len(subjects.gives) + np.searchsorted(subjects.numbers, found.contributor)])
        where = np.concatenate([cell[single], found.cell])
        # The sign of a base cell's largest contribution is not kept. As both ends are reckoned alike, a wrong one swaps
        # more and less, and leaves the length of the interval.
        gives = np.concatenate([subjects.gives[single], found.amounts[self.measure].entry]).astype(np.float64)
        there = gives != 0
        who, where, gives = who[there], where[there], gives[there]

        deviation = np.maximum(change.deviation * largest - 0.5, 0.0)[where]
        with np.errstate(divide="ignore"):
            views = np.where(new[where], (gives / deviation) ** 2, 0.0)
        precision = before.precision.copy()
        np.add.at(precision, who, views)
        reach = change.reach * largest[where]
        moved = np.where(gives > 0, 1.0, -1.0) * (shown - total)[where]
        size_of = np.abs(gives)
        more, less = before.more.copy(), before.less.copy()
        np.minimum.at(more, who, np.maximum(reach + moved, 0.0) / (size_of + reach))
        np.minimum.at(less, who, np.maximum(reach - moved, 0.0) / (size_of + reach))
        after = Known(np.union1d(before.told, marks[new]), precision, more, less)
        return after, np.flatnonzero(self.beyond(after) & ~self.beyond(before))

    def beyond(self, known: Known) -> NDArray[np.bool_]:
        """bool (subjects): those of whom more is known than the policy allows."""
        rule = self.rule
        found = known.more + known.less < float(rule.width) * (1 - NOISE)
        if rule.error is not None:
            found |= known.precision > (1 + NOISE) / float(rule.error) ** 2
        return found & self.subjects.protected
