"""Threshold rule: too few respondents."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Amounts
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, demand_value, percent_around
from tableseal.audit.rules.rule import LevelField, Parameter, ProtectionField, Rule


@dataclass(frozen=True)
class Threshold(Rule):
    """Minimum frequency: a cell with fewer respondents is sensitive.

    With `of: weighted` the sum of their weights counts, for a count the value. A cell with neither respondents nor a
    value is a zero cell, sensitive only with `zeros`. Required: the interval of a count must cover [0, count]
    ([1, count] where withheld cells are known to be non-empty), unless the count is not that of the respondents; with
    `protection_percent`, that percentage of the value on each side. A count that the file marks sensitive without its
    true value must cover the same interval.
    """

    count: Annotated[
        int, Parameter("count", "fewest respondents (for counts: smallest value) that is not sensitive", "key")
    ]
    zeros: Annotated[bool, Parameter("flag", "zero cells are sensitive too", "beside", always=True)] = False
    of: Annotated[
        Literal["respondents", "weighted"],
        Parameter(("respondents", "weighted"), "weighted: weights are counted, not who answered", "beside"),
    ] = "respondents"
    protection_percent: ProtectionField = None
    level: LevelField = "holding"

    key: ClassVar = "threshold"
    subadditive: ClassVar = True
    of_records: ClassVar = False

    @property
    def text(self) -> str:
        """`threshold 3`."""
        return f"threshold {self.count}{' (weighted)' if self.of == 'weighted' else ''}"

    def sentence(self, counts: bool) -> str:
        """Which cells are small."""
        return f"Sensitive: {'a count below' if counts else 'fewer contributors than'} {self.count}."

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """Where it is known how many respond, or what they weigh."""
        return self._found(facts)[0]

    def judge(self, facts: Facts) -> Judgement:
        """Sensitive: fewer than `count` respondents; for a count that says nothing else of them, a value below `count`.

        Raises
        ------
        InputError: a cell whose number of respondents (count: true value) is not known; a meaningless parameter.
        """
        weighted = self.of == "weighted"
        check(self.count >= 1, self.text, f"a count of {self.count}", "a count of at least 1")
        value = facts.value
        known, few, some = self._found(facts)
        demand_value(facts, facts.counts, self.text)
        facts.demand(
            facts.magnitudes & ~known,
            self.text,
            "the sum of the weights" if weighted else "the number of contributors",
            f'name the column that holds it as "{"weighted" if weighted else "frequency"}", or add microdata',
        )
        few &= facts.concerned & known
        sensitive = few if self.zeros else few & (some | (value.known & (value.units != 0)))
        if self.protection_percent is not None:
            return percent_around(facts, self.text, sensitive, self.protection_percent)
        # Of a weighted count the published value says little about how many answered.
        same = value.known & (value.units == facts.frequency.units)
        required = facts.counts & ((sensitive & (same | weighted)) | (facts.marked & ~value.known))
        # Nobody can be made to doubt what everybody knows: that a withheld cell has at least one unit.
        lowest = np.full(len(required), int(facts.release.intruder.nonempty), dtype=np.int64)
        highest = np.full(len(required), self.count, dtype=np.int64)
        return Judgement(sensitive, Amounts(lowest, required), Amounts(highest, required))

    def _found(self, facts: Facts) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """(number is known, is less than count, is above 0)."""
        if self.of == "weighted":
            return facts.weighted(self.count)
        found = facts.frequency
        return found.known, found.known & (found.units < self.count), found.known & (found.units > 0)
