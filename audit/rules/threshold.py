"""Threshold rule: too few respondents."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Amounts, Threshold
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, demand_value, percent_around


def judge(rule: Threshold, facts: Facts) -> Judgement:
    """Sensitive: fewer than `count` respondents; for a count that says nothing else of them, a value below `count`.
    `of: weighted`: the sum of their weights is less, for a count the value.

    A cell with neither respondents nor a value is a zero cell, sensitive only with `zeros`. Required: the interval of
    a count must cover [0, count] ([1, count] where withheld cells are known to be non-empty), unless the count is not
    that of the respondents; with `protection_percent`, that percentage of the value on each side. A count that the file
    marks sensitive without its true value must cover the same interval.

    Raises
    ------
    InputError: a cell whose number of respondents (count: true value) is not known; a meaningless parameter.
    """
    weighted = rule.of == "weighted"
    text = f"threshold {rule.count}{' (weighted)' if weighted else ''}"
    check(rule.count >= 1, text, f"a count of {rule.count}", "a count of at least 1")
    value = facts.value
    known, few, some = facts.weighted(rule.count) if weighted else _respondents(facts, rule.count)
    demand_value(facts, facts.counts, text)
    facts.demand(
        facts.magnitudes & ~known,
        text,
        "the sum of the weights" if weighted else "the number of contributors",
        f'name the column that holds it as "{"weighted" if weighted else "frequency"}", or add microdata',
    )
    few &= facts.concerned & known
    sensitive = few if rule.zeros else few & (some | (value.known & (value.units != 0)))
    judgement = percent_around(facts, text, sensitive, rule.protection_percent)
    if rule.protection_percent is not None:
        return judgement
    # Of a weighted count the published value says little about how many answered.
    same = value.known & (value.units == facts.frequency.units)
    required = facts.counts & ((sensitive & (same | weighted)) | (facts.marked & ~value.known))
    # Nobody can be made to doubt what everybody knows: that a withheld cell has at least one unit.
    lowest = np.full(len(required), int(facts.release.intruder.nonempty), dtype=np.int64)
    highest = np.full(len(required), rule.count, dtype=np.int64)
    return Judgement(text, sensitive, Amounts(lowest, required), Amounts(highest, required))


def _respondents(facts: Facts, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """(number is known, is less than count, is above 0)."""
    found = facts.frequency
    return found.known, found.known & (found.units < count), found.known & (found.units > 0)
