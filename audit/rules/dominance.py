"""(n,k)-dominance rule: a few contributors make up nearly all of a cell."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.exact import Whole, as_units, ceil_quotient, combine
from tableseal.audit.rules.facts import MAGNITUDES, Facts
from tableseal.audit.rules.judgement import Judgement, around, check, percent_text
from tableseal.audit.rules.largest import Largest, OfLargest, largest
from tableseal.audit.rules.rule import LevelField, Parameter


@dataclass(frozen=True)
class Dominance(OfLargest):
    """(n,k) dominance: the n largest contributions make up more than k percent of the cell.

    Contributions count by their absolute values. Required distance: 100/k times their sum, minus the value, rounded up
    to the unit. Magnitudes only.
    """

    n: Annotated[int, Parameter("rank", "number of largest contributions")]
    k: Annotated[Fraction, Parameter("percent", "their largest share of the cell, in percent")]
    level: LevelField = "holding"

    key: ClassVar = "dominance"
    kinds: ClassVar = MAGNITUDES
    reasons: ClassVar = {
        "dominance_by_one": "(1, k); left out: as dominance",
        "dominance_by_two": "(2, k); left out: as dominance",
        "dominance": None,
    }
    subadditive: ClassVar = True

    @property
    def text(self) -> str:
        """`dominance (1, 85)`."""
        return f"dominance ({self.n}, {percent_text(self.k)})"

    @property
    def ranks(self) -> int:
        """The n largest."""
        return self.n

    @property
    def reason(self) -> tuple[str, ...]:
        """Dominance by one and by two contributors may have letters of their own."""
        own = {1: ("dominance_by_one",), 2: ("dominance_by_two",)}
        return (*own.get(self.n, ()), "dominance")

    def sentence(self, counts: bool) -> str:
        """Who makes up too much."""
        who = "the largest contributor makes" if self.n == 1 else f"the {self.n} largest contributors make"
        return f"Sensitive: {who} up more than {percent_text(self.k)} % of the cell."

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """Where the value and its n largest parts are known."""
        return largest(facts, self.n, self.text).known

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: the n largest contributions are strictly more than k percent of the value.

        Raises
        ------
        InputError: a cell whose value or contributions are not known; a meaningless parameter.
        """
        check(self.n >= 1, self.text, f"n of {self.n}", "n of at least 1")
        check(0 < self.k <= 100, self.text, f"k of {percent_text(self.k)} percent", "k above 0 and at most 100")
        shares = largest(facts, self.n, self.text)
        excess = self.beyond(shares)
        sensitive = shares.known & (excess > 0).astype(np.bool_)
        distance = as_units(ceil_quotient(np.where(sensitive, excess, 0), (self.k / 100).numerator))
        return around(facts, sensitive, sensitive, distance, distance)

    def beyond(self, shares: Largest) -> Whole:
        """The sum of the n largest less k percent of the total, in k's own fraction of a unit."""
        top = combine(*((1, column) for column in shares.top[: self.n]))
        share = self.k / 100
        return combine((share.denominator, top), (-share.numerator, shares.total))

    def leading(self, shares: Largest) -> NDArray[np.bool_]:
        """Sensitive are sets whose rest is below 1/k - 1 of the n largest, which are n times the largest at most."""
        rest = combine((1, shares.total), *((-1, column) for column in shares.top[: self.n]))
        share = self.k / 100
        more = share.denominator - share.numerator
        found: NDArray[np.bool_] = combine((more * self.n, shares.top[0]), (-share.numerator, rest)) > 0
        return found.astype(np.bool_)
