"""Primary (sensitivity) rules and the protection that each requires. One file a rule; `registry` lists them."""

from tableseal.audit.rules.assess import assess
from tableseal.audit.rules.attribute import Attribute
from tableseal.audit.rules.dominance import Dominance
from tableseal.audit.rules.entropy import Entropy
from tableseal.audit.rules.facts import completed
from tableseal.audit.rules.judging import is_judged, nothing_judged
from tableseal.audit.rules.pq import PQ
from tableseal.audit.rules.request import Request
from tableseal.audit.rules.rule import Rule
from tableseal.audit.rules.sensitivity import Sensitivity
from tableseal.audit.rules.threshold import Threshold

__all__ = [
    "PQ",
    "Attribute",
    "Dominance",
    "Entropy",
    "Request",
    "Rule",
    "Sensitivity",
    "Threshold",
    "assess",
    "completed",
    "is_judged",
    "nothing_judged",
]
