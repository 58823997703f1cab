"""Plain frozen data: what a release is."""

from tableseal.audit.model.amounts import Amounts
from tableseal.audit.model.hierarchy import Hierarchy, build_hierarchy
from tableseal.audit.model.policy import Policy, Require, SapLimit
from tableseal.audit.model.release import (
    ACCEPT_UNCHECKED,
    COLUMNS_LEFT_OUT,
    CONSENT_UNCHECKED,
    MEASURE_NOT_JUDGED,
    OLD_FIGURES,
    SUMS_UNCHECKED,
    WEIGHT_UNIT,
    WHAT_IF,
    Absent,
    Consent,
    Headings,
    InsiderKind,
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
from tableseal.audit.model.statistic import Denominator, Statistic
from tableseal.audit.model.status import Status

__all__ = [
    "ACCEPT_UNCHECKED",
    "COLUMNS_LEFT_OUT",
    "CONSENT_UNCHECKED",
    "MEASURE_NOT_JUDGED",
    "OLD_FIGURES",
    "SUMS_UNCHECKED",
    "WEIGHT_UNIT",
    "WHAT_IF",
    "Absent",
    "Amounts",
    "Consent",
    "Denominator",
    "Headings",
    "Hierarchy",
    "InsiderKind",
    "Intruder",
    "Link",
    "LinkTerm",
    "Measure",
    "Microdata",
    "Note",
    "Policy",
    "Release",
    "Require",
    "Rounding",
    "SapLimit",
    "Statistic",
    "Status",
    "Table",
    "build_hierarchy",
]
