"""Relative-entropy rule: the contributions are too unequal."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Entropy
from tableseal.audit.rules.contributions import Contributions
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, percent_around, percent_text

_NOISE = 1e-12
"""Logarithms are not exact: a relative entropy so close to the limit counts as equal (not sensitive)."""


def judge(rule: Entropy, facts: Facts) -> Judgement:
    """Sensitive: H / log2 N is strictly less than the limit, over all absolute contributions of the cell.

    H is the entropy in bits of the shares, N the number of contributors; a single contributor has relative
    entropy 0, whatever it contributes. A sampled contributor stands for as many equal ones as its weight says.
    Required: `protection_percent` of the value on each side. Magnitudes only, from microdata.

    Raises
    ------
    InputError: a cell whose contributions are not all known; a meaningless parameter.
    """
    limit = percent_text(rule.limit)
    text = f"entropy {limit}"
    check(0 <= rule.limit <= 1, text, f"a limit of {limit}", "a limit from 0 to 1")
    sources = facts.contributions
    covered = np.zeros(len(facts.cells), dtype=np.bool_) if sources is None else sources.covered
    facts.demand(
        facts.magnitudes & ~covered,
        text,
        "every contribution to the cell",
        "add microdata that hold the measure and a code of every variable",
    )
    if sources is None:
        return percent_around(facts, text, covered, rule.protection_percent)
    # Several that all give 0 are as equal as can be; of a single one the 0 is told.
    number = np.bincount(sources.cell, sources.weight, len(facts.cells))
    alone = (number > 0) & (number <= 1)
    sensitive = facts.magnitudes & covered & (alone | (sources.size > 0))
    sensitive &= relative_entropy(sources) < float(rule.limit) - _NOISE
    return percent_around(facts, text, sensitive, rule.protection_percent)


def relative_entropy(sources: Contributions) -> NDArray[np.float64]:
    """H / log2 N of every cell, float64 (cells); 0 where there is one contributor, or nothing is
    contributed."""
    cell, cells = sources.cell, len(sources.start) - 1
    weighted = sources.weight * sources.amount
    total = np.bincount(cell, weighted, cells)[cell]
    positive = sources.amount > 0
    share = sources.amount[positive] / total[positive]
    terms = sources.weight[positive] * share * -np.log2(share)
    entropy = np.bincount(cell[positive], terms, cells)
    number = np.bincount(cell, sources.weight, cells)
    several = number > 1
    result = np.zeros(cells)
    result[several] = entropy[several] / np.log2(number[several])
    return result
