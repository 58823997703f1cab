"""A rule: values of magnitudes that are too small to be published."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from tableseal.audit.rules.exact import combine
from tableseal.audit.rules.facts import MAGNITUDES, Facts
from tableseal.audit.rules.judgement import Judgement, check, demand_value, percent_around, percent_text
from tableseal.audit.rules.rule import Parameter, ProtectionField, Rule


@dataclass(frozen=True)
class SmallValue(Rule):
    """A magnitude other than 0 below a limit is sensitive."""

    limit: Annotated[Fraction, Parameter("positive", "smallest value that is not sensitive", "key")]
    protection_percent: ProtectionField = None

    key: ClassVar = "small_value"
    kinds: ClassVar = MAGNITUDES
    subadditive: ClassVar = True
    of_records: ClassVar = False

    @property
    def text(self) -> str:
        """`small value 100`."""
        return f"small value {percent_text(self.limit)}"

    def sentence(self, counts: bool) -> str:
        """Which values are small."""
        return f"Sensitive: a value below {percent_text(self.limit)}."

    def known(self, facts: Facts) -> np.ndarray:
        """Where the value is known."""
        return facts.value.known

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: the absolute value is above 0 and below the limit."""
        check(self.limit > 0, self.text, f"a limit of {percent_text(self.limit)}", "a limit above 0")
        demand_value(facts, facts.magnitudes, self.text)
        sensitive = np.zeros(len(facts.cells), np.bool_)
        size = np.abs(facts.value.units)
        for m, measure in enumerate(facts.release.measures.values()):
            steps = self.limit / measure.unit
            below = combine((steps.denominator, size), (-steps.numerator, np.ones_like(size))) < 0
            sensitive |= (facts.cells.measure == m) & below.astype(np.bool_) & (size > 0)
        sensitive &= facts.magnitudes & facts.value.known
        return percent_around(facts, self.text, sensitive, self.protection_percent)
