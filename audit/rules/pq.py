"""p% and pq rules: the second largest contributor can estimate the largest too closely."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.exact import as_units, ceil_quotient, combine
from tableseal.audit.rules.facts import MAGNITUDES, Facts
from tableseal.audit.rules.judgement import Judgement, around, check, percent_text
from tableseal.audit.rules.largest import largest
from tableseal.audit.rules.rule import LevelField, Parameter, Rule, Short


@dataclass(frozen=True)
class PQ(Rule):
    """pq rule: as p%, where contributions are known beforehand to within q percent.

    The p% rule is q = 100. Contributions count by their absolute values. Required distance:
    p/q * x1 - (value - x1 - x2), rounded up to the unit, where x1 and x2 are the two largest. Magnitudes only.
    """

    p: Annotated[Fraction, Parameter("positive", "precision in percent to which no contribution may be estimated")]
    q: Annotated[
        Fraction,
        Parameter("percent", "precision in percent to which contributions are known beforehand", required=True),
    ] = Fraction(100)
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
        """`p% 10`, `pq (10, 60)`."""
        p = percent_text(self.p)
        return f"p% {p}" if self.q == 100 else f"pq ({p}, {percent_text(self.q)})"

    def sentence(self, counts: bool) -> str:
        """Who comes too close."""
        known = "" if self.q == 100 else f", knowing the others to {percent_text(self.q)} %"
        return f"Sensitive: a contributor can estimate another to {percent_text(self.p)} %{known}."

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """Where the value and its two largest parts are known."""
        return largest(facts, 2, self.text).known

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: value - x1 - x2 is strictly less than p/q times x1, the largest contribution.

        Raises
        ------
        InputError: a cell whose value or two largest contributions are not known; a meaningless parameter.
        """
        check(self.p > 0, self.text, f"p of {percent_text(self.p)}", "p and q above 0")
        check(self.q > 0, self.text, f"q of {percent_text(self.q)}", "p and q above 0")
        shares = largest(facts, 2, self.text)
        first, second = shares.top
        ratio = self.p / self.q
        a, b = ratio.numerator, ratio.denominator
        lack = combine((a + b, first), (b, second), (-b, shares.total))
        sensitive = shares.known & (lack > 0).astype(np.bool_)
        distance = as_units(ceil_quotient(np.where(sensitive, lack, 0), b))
        return around(facts, sensitive, sensitive, distance, distance)
