"""(n,k)-dominance rule: a few contributors make up nearly all of a cell."""

import numpy as np

from tableseal.audit.model import Dominance
from tableseal.audit.rules.exact import as_units, ceil_quotient, combine
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, around, check, percent_text
from tableseal.audit.rules.largest import largest


def judge(rule: Dominance, facts: Facts) -> Judgement:
    """Sensitive: the n largest contributions are strictly more than k percent of the value.

    Required distance: 100/k times their sum, minus the value, rounded up to the unit. Magnitudes only.

    Raises
    ------
    InputError: a cell whose value or contributions are not known; a meaningless parameter.
    """
    k = percent_text(rule.k)
    text = f"dominance ({rule.n}, {k})"
    check(rule.n >= 1, text, f"n of {rule.n}", "n of at least 1")
    check(0 < rule.k <= 100, text, f"k of {k} percent", "k above 0 and at most 100")
    shares = largest(facts, rule.n, text)
    top = combine(*((1, column) for column in shares.top))
    share = rule.k / 100
    excess = combine((share.denominator, top), (-share.numerator, shares.total))
    sensitive = shares.known & (excess > 0).astype(np.bool_)
    distance = as_units(ceil_quotient(np.where(sensitive, excess, 0), share.numerator))
    return around(facts, text, sensitive, sensitive, distance, distance)
