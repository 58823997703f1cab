"""Threshold rule: too few contributors."""

import numpy as np

from audit.model import Amounts, Threshold
from audit.rules.facts import Facts
from audit.rules.judgement import Judgement, check, demand_value, percent_around


def judge(rule: Threshold, facts: Facts) -> Judgement:
    """Sensitive: fewer than `count` contributors; for a count measure, a value below `count`.

    A cell with neither contributors nor a value is a zero cell, sensitive only with `zeros`. Required: the
    interval of a count must cover [0, count] ([1, count] where withheld cells are known to be non-empty); with
    `protection_percent`, that percentage of the value on each side. A count that the file marks sensitive without its
    true value must cover the same interval.

    Raises
    ------
    InputError: a cell whose number of contributors (count: true value) is not known; a meaningless parameter.
    """
    text = f"threshold {rule.count}"
    check(rule.count >= 1, text, f"a count of {rule.count}", "a count of at least 1")
    frequency, value = facts.frequency, facts.value
    demand_value(facts, facts.counts, text)
    facts.demand(
        facts.magnitudes & ~frequency.known,
        text,
        "the number of contributors",
        'name the column that holds it as "frequency", or add microdata',
    )
    few = facts.concerned & frequency.known & (frequency.units < rule.count)
    nonzero = (frequency.units > 0) | (value.known & (value.units != 0))
    sensitive = few if rule.zeros else few & nonzero
    judgement = percent_around(facts, text, sensitive, rule.protection_percent)
    if rule.protection_percent is not None:
        return judgement
    required = facts.counts & (sensitive | (facts.marked & ~value.known))
    # Nobody can be made to doubt what everybody knows: that a withheld cell has at least one unit.
    lowest = np.full(len(required), int(facts.release.intruder.nonempty), dtype=np.int64)
    highest = np.full(len(required), rule.count, dtype=np.int64)
    return Judgement(text, sensitive, Amounts(lowest, required), Amounts(highest, required))
