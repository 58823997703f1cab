"""What a verdict is called, with what it leaves open: "safe as listed"."""

from audit.linear.naming import plural
from audit.report.applied import AS_LISTED, verdict_word
from audit.report.model import Report


def called(report: Report) -> str:
    """The verdict on the release as it is called, "safe as listed" where more is given away than anybody judged."""
    word = verdict_word(report.verdict, report.judged)
    return AS_LISTED if word == "safe" and unlisted_words(report) else word


def unlisted_words(report: Report) -> str:
    """What the headline must say of cells that no row lists: that they were not looked for, or that some can be
    computed and nobody could judge them; else nothing."""
    if any(note.code == "implied_off" for note in report.notes):
        return "cells that no row lists were not looked for (implied: off)"
    count = report.summary.implied
    unjudged = 0 if count is None else count.computed - count.judged
    if not unjudged:
        return ""
    return f"{plural(unjudged, 'further cell can', 'further cells can')} be computed that no rule could judge"
