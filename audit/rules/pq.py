"""p% and pq rules: the second largest contributor can estimate the largest too closely."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.exact import Whole, as_units, ceil_quotient, combine
from tableseal.audit.rules.facts import MAGNITUDES, Facts
from tableseal.audit.rules.judgement import Judgement, around, check, percent_text
from tableseal.audit.rules.largest import Largest, OfLargest, largest
from tableseal.audit.rules.rule import LevelField, Parameter, Short


@dataclass(frozen=True)
class PQ(OfLargest):
    """pq rule: as p%, where contributions are known beforehand to within q percent.

    The p% rule is q = 100. Contributions count by their absolute values. Required distance:
    p/q * x1 - (value - x1 - x2), rounded up to the unit, where x1 and x2 are the two largest; those of a coalition of n
    are x2 to x(n+1), which all come off. Magnitudes only.
    """

    p: Annotated[Fraction, Parameter("positive", "precision in percent to which no contribution may be estimated")]
    q: Annotated[
        Fraction,
        Parameter("percent", "precision in percent to which contributions are known beforehand", required=True),
    ] = Fraction(100)
    coalition: Annotated[
        int, Parameter("rank", "so many contributors put together what they gave, to estimate the largest", "beside")
    ] = 1
    level: LevelField = "holding"

    key: ClassVar = "pq"
    kinds: ClassVar = MAGNITUDES
    short: ClassVar = Short(
        "p_percent", "p", "p% rule: the second largest contributor can estimate the largest to within p percent."
    )
    reasons: ClassVar = {"pq": "p% rules, too"}
    subadditive: ClassVar = True

    @property
    def text(self) -> str:
        """`p% 10`, `pq (10, 60)`, `p% 10 (3 together)`."""
        p = percent_text(self.p)
        together = "" if self.coalition == 1 else f" ({self.coalition} together)"
        return (f"p% {p}" if self.q == 100 else f"pq ({p}, {percent_text(self.q)})") + together

    @property
    def ranks(self) -> int:
        """The estimated one, and those who estimate it."""
        return 1 + self.coalition

    def sentence(self, counts: bool) -> str:
        """Who comes too close."""
        known = "" if self.q == 100 else f", knowing the others to {percent_text(self.q)} %"
        who = "a contributor" if self.coalition == 1 else f"{self.coalition} contributors together"
        return f"Sensitive: {who} can estimate another to {percent_text(self.p)} %{known}."

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """Where the value and its largest parts (two, or one more than the coalition) are known."""
        return largest(facts, 1 + self.coalition, self.text).known

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: value - x1 - x2 (of a coalition: - ... - x(n+1)) is strictly less than p/q times x1, the largest
        contribution.

        Raises
        ------
        InputError: a cell whose value or two largest contributions are not known; a meaningless parameter.
        """
        check(self.p > 0, self.text, f"p of {percent_text(self.p)}", "p and q above 0")
        check(self.q > 0, self.text, f"q of {percent_text(self.q)}", "p and q above 0")
        check(self.coalition >= 1, self.text, f"a coalition of {self.coalition}", "a coalition of at least 1")
        shares = largest(facts, 1 + self.coalition, self.text)
        lack = self.beyond(shares)
        sensitive = shares.known & (lack > 0).astype(np.bool_)
        distance = as_units(ceil_quotient(np.where(sensitive, lack, 0), (self.p / self.q).denominator))
        return around(facts, sensitive, sensitive, distance, distance)

    def beyond(self, shares: Largest) -> Whole:
        """p/q of the largest less what is left of the total without it and those who estimate it, in that fraction of
        a unit."""
        first, *others = shares.top[: self.ranks]
        ratio = self.p / self.q
        a, b = ratio.numerator, ratio.denominator
        return combine((a + b, first), *((b, column) for column in others), (-b, shares.total))

    def leading(self, shares: Largest) -> NDArray[np.bool_]:
        """Where the cell itself is sensitive."""
        found: NDArray[np.bool_] = self.beyond(shares) > 0
        return found.astype(np.bool_)
