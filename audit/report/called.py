"""What a verdict is called, with what it leaves open: "safe as listed"."""

from collections.abc import Iterator

from audit.linear.naming import plural
from audit.model import COLUMNS_LEFT_OUT
from audit.report.applied import AS_LISTED, verdict_word
from audit.report.missing import CODE as MISSING_COMPUTED
from audit.report.missing import computed_missing
from audit.report.model import Report
from audit.together.names import NOTHING_SHARED


def called(report: Report) -> str:
    """The verdict on the release as it is called, "safe as listed" where more is given away than anybody judged."""
    word = verdict_word(report.verdict, report.judged)
    return AS_LISTED if word == "safe" and unjudged_words(report) else word


def unjudged_words(report: Report) -> str:
    """What the headline must say of all that goes out and that nobody judged; else nothing."""
    return "; ".join(_unjudged(report))


def _unjudged(report: Report) -> Iterator[str]:
    codes = {note.code for note in report.notes}
    if "implied_off" in codes:
        yield "cells that no row lists were not looked for (implied: off)"
    if "implied_computed" in codes:
        yield "cells that no row lists were only looked for as far as they can be computed (implied: computed)"
    apart = (note.text.rstrip(".") for note in report.notes if note.code == NOTHING_SHARED)
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
    columns = sum(note.count for note in report.notes if note.code == COLUMNS_LEFT_OUT)
    if columns:
        yield f"{plural(columns, 'column of numbers was', 'columns of numbers were')} not looked at (see the notes)"
