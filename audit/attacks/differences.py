"""Subtraction of nested or shifted categories: a category less those inside it (0-15 less 0-14 is 15)."""

from tableseal.audit.attacks.outcome import Outcome
from tableseal.audit.attacks.subject import Subject
from tableseal.audit.attacks.subtraction import left_over


def differences(subject: Subject) -> Outcome:
    """Counts that no table lists and that a code leaves over beside the listed codes inside it."""
    return left_over(subject, beyond=False)
