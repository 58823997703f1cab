"""Primary (sensitivity) rules and the protection that each requires."""

from audit.rules.assess import assess
from audit.rules.facts import completed
from audit.rules.judging import is_judged, nothing_judged
from audit.rules.sensitivity import Sensitivity

__all__ = ["Sensitivity", "assess", "completed", "is_judged", "nothing_judged"]
