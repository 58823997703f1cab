"""Relative-entropy rule: the contributions are too unequal."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.contributions import Contributions
from tableseal.audit.rules.facts import MAGNITUDES, Facts
from tableseal.audit.rules.judgement import Judgement, check, percent_around, percent_text
from tableseal.audit.rules.rule import LevelField, Parameter, ProtectionField, Rule

_NOISE = 1e-12
"""Logarithms are not exact: a relative entropy so close to the limit counts as equal (not sensitive)."""


@dataclass(frozen=True)
class Entropy(Rule):
    """Relative entropy of the contributions below a limit (needs microdata).

    H is the entropy in bits of the shares of absolute contributions, N the number of contributors; a single contributor
    has relative entropy 0, whatever it contributes. A sampled contributor stands for as many equal ones as its weight
    says. Required: `protection_percent` of the value on each side. Magnitudes only.
    """

    limit: Annotated[
        Fraction, Parameter("positive", "smallest relative entropy H / log2 N that is not sensitive, at most 1", "key")
    ]
    protection_percent: ProtectionField = None
    level: LevelField = "holding"

    key: ClassVar = "entropy"
    kinds: ClassVar = MAGNITUDES

    @property
    def text(self) -> str:
        """`entropy 0.3`."""
        return f"entropy {percent_text(self.limit)}"

    def sentence(self, counts: bool) -> str:
        """What is too unequal."""
        return f"Sensitive: relative entropy of the contributions below {percent_text(self.limit)}."

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: H / log2 N is strictly less than the limit, over all contributions of the cell.

        Raises
        ------
        InputError: a cell whose contributions are not all known; a meaningless parameter.
        """
        check(0 <= self.limit <= 1, self.text, f"a limit of {percent_text(self.limit)}", "a limit from 0 to 1")
        sources, covered = facts.every_contribution, facts.covered
        facts.demand(
            facts.magnitudes & ~covered,
            self.text,
            "every contribution to the cell",
            "add microdata that hold the measure and a code of every variable",
        )
        if sources is None:
            return percent_around(facts, self.text, covered, self.protection_percent)
        # Several that all give 0 are as equal as can be; of a single one the 0 is told.
        number = np.bincount(sources.cell, sources.weight, len(facts.cells))
        alone = (number > 0) & (number <= 1)
        sensitive = facts.magnitudes & covered & (alone | (sources.size > 0))
        sensitive &= relative_entropy(sources) < float(self.limit) - _NOISE
        return percent_around(facts, self.text, sensitive, self.protection_percent)


def relative_entropy(sources: Contributions) -> NDArray[np.float64]:
    """H / log2 N of every cell, float64 (cells); 0 where there is one contributor, or nothing is
    contributed."""
    cell, cells, amount = sources.cell, len(sources.start) - 1, np.abs(sources.amount)
    total = np.bincount(cell, sources.weight * amount, cells)[cell]
    positive = amount > 0
    share = amount[positive] / total[positive]
    terms = sources.weight[positive] * share * -np.log2(share)
    entropy = np.bincount(cell[positive], terms, cells)
    number = np.bincount(cell, sources.weight, cells)
    several = number > 1
    result = np.zeros(cells)
    result[several] = entropy[several] / np.log2(number[several])
    return result
