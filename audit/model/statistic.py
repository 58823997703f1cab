"""Published percentages, rates, means and changes: statistics of two sums, one of which may be stated."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Literal

from tableseal.audit.model.release import Link, LinkTerm, Table
from tableseal.audit.model.status import Status

StatisticKind = Literal["percent", "rate", "mean", "growth", "change"]


@dataclass(frozen=True)
class Denominator:
    """A cell of the release: of `measure`, with the codes of the statistic's cell except where `codes` names one.

    unit: of the measure.
    """

    measure: str
    codes: tuple[int | None, ...]
    unit: Fraction

    def of(self, codes: tuple[int, ...]) -> tuple[int, ...]:
        """Codes of the denominator of the cell with these codes."""
        return tuple(own if given is None else given for own, given in zip(codes, self.codes, strict=True))


@dataclass(frozen=True)
class Statistic:
    """A table of `per` * numerator / denominator, published to a multiple of `unit`, nearest (halves either way).

    Of two periods: `growth` is `per` * numerator / denominator - `per`, `change` numerator - denominator, and the
    denominator is the same cell of the earlier period.

    Attributes
    ----------
    measure: of the numerator, which is the cell with the same codes. per: 100 for percentages, 1 for means.
    of: a cell of the release, one number for all, or None: each row's own, in the table's `frequency`.
    table: codes, statuses and what is published of the statistic, in units of `unit`. `truth` beside a value that is
        not published: a search has withheld it together with its count.
    """

    kind: StatisticKind
    measure: str
    per: int
    unit: Fraction
    of: Denominator | Fraction | None
    table: Table

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """What the published values say; a withheld one says nothing."""
        return tuple(link for row in range(len(self.table.codes)) for link in self.said(row))

    def said(self, row: int) -> tuple[Link, ...]:
        """What one row says: |per * numerator - value * denominator| <= unit / 2 * denominator, in whole numbers.

        A denominator of zero is shown by no other value than 0. A structural zero has no numerator.
        """
        codes = self.codes(row)
        if self.table.status[row] == Status.STRUCTURAL_ZERO:
            return (Link((LinkTerm(1, self.measure, codes),), Fraction(0), Fraction(0)),)
        published = self.table.value.get(row)
        if published is None:
            return ()
        low, high = self.between(published)
        if self.kind == "change":
            assert isinstance(self.of, Denominator)
            terms = (LinkTerm(1, self.measure, codes), LinkTerm(-1, self.of.measure, self.of.of(codes)))
            return (Link(terms, low, high),)
        if not isinstance(self.of, Denominator):
            of = self.stated(row) / self.per
            return (Link((LinkTerm(1, self.measure, codes),), low * of, high * of),)
        scale = lcm(low.denominator, high.denominator)
        times = self.per * scale
        links = [
            self._at_least_zero(times, -int(low * scale), codes),
            self._at_least_zero(-times, int(high * scale), codes),
        ]
        if published or self.kind == "growth":
            links.append(Link((LinkTerm(1, self.of.measure, self.of.of(codes)),), self.of.unit, None))
        return tuple(links)

    def between(self, published: int) -> tuple[Fraction, Fraction]:
        """What a published value (in units) says that `per` * numerator / denominator is at least and at most; of a
        change what the difference is: itself, if it is published to the unit of the measure."""
        exact = self.kind == "change" and isinstance(self.of, Denominator) and self.of.unit % self.unit == 0
        side = Fraction(0) if exact else Fraction(1, 2)
        base = self.per if self.kind == "growth" else 0
        return (published - side) * self.unit + base, (published + side) * self.unit + base

    def _at_least_zero(self, numerator: int, denominator: int, codes: tuple[int, ...]) -> Link:
        """So many times the one plus so many times the other."""
        assert isinstance(self.of, Denominator)
        terms = (LinkTerm(numerator, self.measure, codes), LinkTerm(denominator, self.of.measure, self.of.of(codes)))
        return Link(tuple(term for term in terms if term.coefficient), Fraction(0), None)

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures of the cells of the release behind it."""
        return (self.measure, self.of.measure) if isinstance(self.of, Denominator) else (self.measure,)

    def codes(self, row: int) -> tuple[int, ...]:
        """Codes of a row and of its numerator."""
        return tuple(self.table.codes[row].tolist())

    def cells(self, row: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Measure and codes of the cells of the release behind a row."""
        own = (self.measure, self.codes(row))
        return (own, (self.of.measure, self.of.of(own[1]))) if isinstance(self.of, Denominator) else (own,)

    def stated(self, row: int) -> Fraction:
        """The stated denominator of a row."""
        if isinstance(self.of, Fraction):
            return self.of
        assert self.table.frequency is not None
        return Fraction(int(self.table.frequency.units[row]))
