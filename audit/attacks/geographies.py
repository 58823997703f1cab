"""Grids beside administrative areas: areas that together cover another one, less that one (5 + 4 + 4 + 4 - 16 = 1)."""

from tableseal.audit.attacks.outcome import Outcome
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.attacks.subtraction import left_over


def geographies(subject: Subject) -> Outcome:
    """Counts that no table lists, of the rim by which disjoint codes of one level reach beyond a code they cover."""
    return left_over(subject, beyond=True)
