"""p% and pq rules: the second largest contributor can estimate the largest too closely."""

import numpy as np

from tableseal.audit.model import PQ
from tableseal.audit.rules.exact import as_units, ceil_quotient, combine
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, around, check, percent_text
from tableseal.audit.rules.largest import largest


def judge(rule: PQ, facts: Facts) -> Judgement:
    """Sensitive: value - x1 - x2 is strictly less than p/q times x1, the largest contribution (p%: q = 100).

    Required distance: p/q * x1 - (value - x1 - x2), rounded up to the unit. Magnitudes only.

    Raises
    ------
    InputError: a cell whose value or two largest contributions are not known; a meaningless parameter.
    """
    p, q = percent_text(rule.p), percent_text(rule.q)
    text = f"p% {p}" if rule.q == 100 else f"pq ({p}, {q})"
    check(rule.p > 0, text, f"p of {p}", "p and q above 0")
    check(rule.q > 0, text, f"q of {q}", "p and q above 0")
    shares = largest(facts, 2, text)
    first, second = shares.top
    ratio = rule.p / rule.q
    a, b = ratio.numerator, ratio.denominator
    lack = combine((a + b, first), (b, second), (-b, shares.total))
    sensitive = shares.known & (lack > 0).astype(np.bool_)
    distance = as_units(ceil_quotient(np.where(sensitive, lack, 0), b))
    return around(facts, text, sensitive, sensitive, distance, distance)
