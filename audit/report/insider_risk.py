"""Disclosure risk of a cell for a contributor, as the report says it."""

from tableseal.audit.attackers.answer import Finding
from tableseal.audit.measures.risk.posterior import disclosure_risk, entropy_bits
from tableseal.audit.report.described import Decimals
from tableseal.audit.report.model import InsiderRisk


def insider_risk(found: Finding | None, decimals: Decimals) -> InsiderRisk | None:
    """The risk for the contributor who places another most narrowly; None: there is nobody to ask about.

    Source: Oganian & Domingo-Ferrer 2003, (22), with all whole multiples of the unit that are left as equally likely.
    """
    if found is None:
        return None
    low, high = found.lower, found.upper
    values = None if low is None or high is None else max(1, high - low + 1)
    ends = decimals.of(low), decimals.of(high)
    return InsiderRisk(found.who, found.whose, ends, entropy_bits(values), disclosure_risk(values))
