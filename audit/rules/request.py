"""Request rule: a contributor asked for protection."""

import numpy as np

from tableseal.audit.model import Request
from tableseal.audit.rules.exact import combine
from tableseal.audit.rules.facts import Facts
from tableseal.audit.rules.judgement import Judgement, check, demand_value, percent_around, percent_text


def judge(rule: Request, facts: Facts) -> Judgement:
    """Sensitive: a contributor that asked for it has at least `percent` of the cell's value (None: any
    share).

    A holding has asked if one of its members has. Required: `protection_percent` of the value on each side.
    Counts and magnitudes, from microdata.

    Raises
    ------
    InputError: a cell whose contributors, or (with `percent`) value, are not known; a meaningless parameter.
    """
    text = "request" if rule.percent is None else f"request {percent_text(rule.percent)}"
    if rule.percent is not None:
        check(rule.percent >= 0, text, f"a percentage of {percent_text(rule.percent)}", "0 or more")
    microdata, sources = facts.release.microdata, facts.contributions
    nobody = np.zeros(len(facts.cells), dtype=np.bool_)
    has_requests = microdata is not None and microdata.request is not None
    covered = sources.covered if sources is not None and has_requests else nobody
    facts.demand(
        facts.concerned & ~covered,
        text,
        "to know which contributors asked for protection",
        'add microdata with a column named as "request"',
    )
    if sources is None:
        return percent_around(facts, text, nobody, rule.protection_percent)
    asked = sources.requested
    judged = facts.concerned & covered
    if rule.percent is not None:
        demand_value(facts, judged, text)
        judged = judged & facts.value.known
        total = np.abs(facts.value.units)
        if not facts.release.intruder.nonnegative:
            total = np.maximum(total, sources.size)
        share = rule.percent / 100
        spare = combine((share.denominator, sources.amount), (-share.numerator, total[sources.cell]))
        asked = asked & (spare >= 0).astype(np.bool_)
    sensitive = judged & (np.bincount(sources.cell, asked, len(judged)) > 0)
    return percent_around(facts, text, sensitive, rule.protection_percent)
