"""Request rule: a contributor asked for protection."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from tableseal.audit.rules.exact import combine
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, demand_value, percent_around, percent_text
from tableseal.audit.rules.rule import Parameter, ProtectionField, Rule


@dataclass(frozen=True)
class Request(Rule):
    """A contributor asked for protection.

    A holding has asked if one of its members has. Shares are of absolute contributions. Required:
    `protection_percent` of the value on each side. Counts and magnitudes, from microdata.
    """

    percent: Annotated[
        Fraction | None, Parameter("percent", "smallest share of the cell that counts; left out: any share")
    ] = None
    protection_percent: ProtectionField = None

    key: ClassVar = "request"
    switch: ClassVar = True
    subadditive: ClassVar = True

    @property
    def text(self) -> str:
        """`request`, `request 10`."""
        return "request" if self.percent is None else f"request {percent_text(self.percent)}"

    def sentence(self, counts: bool) -> str:
        """Who decides."""
        return "Sensitive: a contributor asked for it."

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: a contributor that asked for it has at least `percent` of the cell's value (None: any share).

        Raises
        ------
        InputError: a cell whose contributors, or (with `percent`) value, are not known; a meaningless parameter.
        """
        if self.percent is not None:
            check(self.percent >= 0, self.text, f"a percentage of {percent_text(self.percent)}", "0 or more")
        microdata, sources = facts.release.microdata, facts.contributions
        has_requests = microdata is not None and microdata.request is not None
        covered = facts.covered & has_requests
        facts.demand(
            facts.concerned & ~covered,
            self.text,
            "to know which contributors asked for protection",
            'add microdata with a column named as "request"',
        )
        if sources is None:
            return percent_around(facts, self.text, covered, self.protection_percent)
        asked = sources.requested
        judged = facts.concerned & covered
        if self.percent is not None:
            demand_value(facts, judged, self.text)
            judged = judged & facts.value.known
            total = np.abs(facts.value.units)
            if not facts.release.intruder.nonnegative:
                total = np.maximum(total, sources.size)
            share = self.percent / 100
            size = np.abs(sources.amount)
            spare = combine((share.denominator, size), (-share.numerator, total[sources.cell]))
            asked = asked & (spare >= 0).astype(np.bool_)
        sensitive = judged & (np.bincount(sources.cell, asked, len(judged)) > 0)
        return percent_around(facts, self.text, sensitive, self.protection_percent)
