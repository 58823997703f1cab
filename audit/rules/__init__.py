"""Primary (sensitivity) rules and the protection that each requires."""

from tableseal.audit.rules.assess import assess
from tableseal.audit.rules.facts import completed
from tableseal.audit.rules.judging import is_judged, nothing_judged
from tableseal.audit.rules.sensitivity import Sensitivity

__all__ = ["Sensitivity", "assess", "completed", "is_judged", "nothing_judged"]
