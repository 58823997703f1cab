"""What a verdict is called, with what it leaves open: "safe as listed"."""

from collections.abc import Iterable, Iterator

from tableseal.audit.linear.naming import plural
from tableseal.audit.model import (
    ACCEPT_UNCHECKED,
    BELIEVABLE,
    COLUMNS_LEFT_OUT,
    CONSENT_UNCHECKED,
    CONTRIBUTORS_UNUSED,
    FACTS_DIFFER,
    MEASURE_NOT_JUDGED,
    OLD_FIGURES,
    RULE_IDLE,
    SUMS_UNCHECKED,
    WHAT_IF,
    Note,
)
from tableseal.audit.report.applied import AS_LISTED
from tableseal.audit.report.missing import CODE as MISSING_COMPUTED
from tableseal.audit.report.missing import computed_missing
from tableseal.audit.report.model import Called, Report
from tableseal.audit.together.names import NOTHING_SHARED


def called(report: Report) -> Called:
    """The verdict on the release as it is called, "safe as listed" where more is given away than anybody judged."""
    if not report.judged:
        return "not judged"
    return AS_LISTED if report.verdict == "safe" and unjudged_words(report) else report.verdict


def accepted_exposed(report: Report) -> int:
    """How many sensitive cells are exposed in what is called safe all the same, as the policy accepts exposed ones."""
    if report.verdict != "safe" or not report.confidential:
        return 0
    return report.summary.exposed + len(report.implied)


def unjudged_words(report: Report) -> str:
    """What the headline must say of all that goes out and that nobody judged, or that is accepted; else nothing."""
    return "; ".join(_unjudged(report))


def _unjudged(report: Report) -> Iterator[str]:
    codes = {note.code for note in report.notes}
    if report.verdict == "safe" and WHAT_IF in codes:
        yield "what if exactly the sensitive cells are withheld, not the release as it is"
    exposed = accepted_exposed(report)
    if exposed:
        cells = plural(exposed, "exposed sensitive cell is", "exposed sensitive cells are")
        yield f"{cells} accepted (require: exposed: true)"
    if "implied_off" in codes:
        yield "cells that no row lists were not looked for (implied: off)"
    if "implied_computed" in codes:
        yield "cells that no row lists were only looked for as far as they can be computed (implied: computed)"
    apart = (note.text.rstrip(".") for note in report.notes if note.code in (NOTHING_SHARED, BELIEVABLE))
    yield from (text[0].lower() + text[1:] for text in apart)
    count = report.summary.implied
    unjudged = 0 if count is None else count.computed - count.judged
    if unjudged:
        yield f"{plural(unjudged, 'further cell can', 'further cells can')} be computed that no rule could judge"
    if missing := next((note.count for note in report.notes if note.code == MISSING_COMPUTED), 0):
        would = sum(cell.sensitive is True for cell in computed_missing(report.cells))
        which = "" if not would else " (sensitive)" if would == missing else f" ({would} of them sensitive)"
        them = "it" if missing == 1 else "them"
        yield f"{plural(missing, 'cell')} marked missing can be computed{which}, and no rule judged {them}"
    if count is not None and count.left_out:
        combinations = plural(count.left_out, "combination")
        yield f"of {combinations} that no row lists it was not found out whether they are narrow"
    noted = [plural(number, one, several) for code, one, several in _NOTED if (number := _counted(report.notes, code))]
    yield from noted[:-1]
    if noted:
        yield f"{noted[-1]} (see the notes)"


_NOTED = (
    (COLUMNS_LEFT_OUT, "column of numbers was not looked at", "columns of numbers were not looked at"),
    (SUMS_UNCHECKED, "column of codes may hold unknown sums", "columns of codes may hold unknown sums"),
    (MEASURE_NOT_JUDGED, "measure was judged by no rule", "measures were judged by no rule"),
    (CONTRIBUTORS_UNUSED, "column about contributors was not used", "columns about contributors were not used"),
    (RULE_IDLE, "rule looked at no table", "rules looked at no table"),
    (FACTS_DIFFER, "number of contributors is doubtful", "numbers of contributors are doubtful"),
    (CONSENT_UNCHECKED, "consent has an end that was not checked", "consents have ends that were not checked"),
    (ACCEPT_UNCHECKED, "acceptance has an end that was not checked", "acceptances have ends that were not checked"),
    (OLD_FIGURES, "revised table was not combined", "revised tables were not combined"),
)
"""Codes of notes on what nobody looked at or judged, and how the headline says so of one and of several."""


def _counted(notes: Iterable[Note], code: str) -> int:
    return sum(note.count for note in notes if note.code == code)
