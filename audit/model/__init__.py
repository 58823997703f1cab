"""Plain frozen data: what a release is."""

from audit.model.amounts import Amounts
from audit.model.hierarchy import Hierarchy, build_hierarchy
from audit.model.policy import (
    PQ,
    Attribute,
    Dominance,
    Entropy,
    Policy,
    Reason,
    Request,
    Require,
    Rule,
    SapLimit,
    Threshold,
)
from audit.model.release import (
    WEIGHT_UNIT,
    Absent,
    Consent,
    Headings,
    Intruder,
    Link,
    LinkTerm,
    Measure,
    Microdata,
    Note,
    Release,
    Rounding,
    Table,
)
from audit.model.statistic import Denominator, Statistic
from audit.model.status import SCHEMES, Status

__all__ = [
    "PQ",
    "SCHEMES",
    "WEIGHT_UNIT",
    "Absent",
    "Amounts",
    "Attribute",
    "Consent",
    "Denominator",
    "Dominance",
    "Entropy",
    "Headings",
    "Hierarchy",
    "Intruder",
    "Link",
    "LinkTerm",
    "Measure",
    "Microdata",
    "Note",
    "Policy",
    "Reason",
    "Release",
    "Request",
    "Require",
    "Rounding",
    "Rule",
    "SapLimit",
    "Statistic",
    "Status",
    "Table",
    "Threshold",
    "build_hierarchy",
]
