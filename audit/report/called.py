"""What a verdict is called, with what it leaves open: "safe as listed"."""

from collections.abc import Iterable, Iterator

from tableseal.audit.language import counted, plurals_of, put
from tableseal.audit.language import gettext as _
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
        yield _("what if exactly the sensitive cells are withheld, not the release as it is")
    exposed = accepted_exposed(report)
    if exposed:
        yield counted(
            exposed,
            "{n} exposed sensitive cell is accepted (require: exposed: true)",
            "{n} exposed sensitive cells are accepted (require: exposed: true)",
        )
    if "implied_off" in codes:
        yield _("cells that no row lists were not looked for (implied: off)")
    if "implied_computed" in codes:
        yield _("cells that no row lists were only looked for as far as they can be computed (implied: computed)")
    apart = (note.text.rstrip(".") for note in report.notes if note.code in (NOTHING_SHARED, BELIEVABLE))
    yield from (text[0].lower() + text[1:] for text in apart)
    count = report.summary.implied
    unjudged = 0 if count is None else count.computed - count.judged
    if unjudged:
        yield counted(
            unjudged,
            "{n} further cell can be computed that no rule could judge",
            "{n} further cells can be computed that no rule could judge",
        )
    if missing := next((note.count for note in report.notes if note.code == MISSING_COMPUTED), 0):
        would = sum(cell.sensitive is True for cell in computed_missing(report.cells))
        which = ""
        if would:
            which = _(" (sensitive)") if would == missing else put(" ({n} of them sensitive)", n=would)
        text = counted(
            missing,
            "{n} cell marked missing can be computed{{which}}, and no rule judged it",
            "{n} cells marked missing can be computed{{which}}, and no rule judged them",
        )
        yield text.format(which=which)
    if count is not None and count.left_out:
        yield counted(
            count.left_out,
            "of {n} combination that no row lists it was not found out whether they are narrow",
            "of {n} combinations that no row lists it was not found out whether they are narrow",
        )
    noted = [counted(number, *said) for code, said in _NOTED.items() if (number := _counted(report.notes, code))]
    yield from noted[:-1]
    if noted:
        yield put("{what} (see the notes)", what=noted[-1])


_NOTED = dict(
    zip(
        (
            COLUMNS_LEFT_OUT,
            SUMS_UNCHECKED,
            MEASURE_NOT_JUDGED,
            CONTRIBUTORS_UNUSED,
            RULE_IDLE,
            FACTS_DIFFER,
            CONSENT_UNCHECKED,
            ACCEPT_UNCHECKED,
            OLD_FIGURES,
        ),
        plurals_of(
            (
                ("{n} column of numbers was not looked at", "{n} columns of numbers were not looked at"),
                ("{n} column of codes may hold unknown sums", "{n} columns of codes may hold unknown sums"),
                ("{n} measure was judged by no rule", "{n} measures were judged by no rule"),
                ("{n} column about contributors was not used", "{n} columns about contributors were not used"),
                ("{n} rule looked at no table", "{n} rules looked at no table"),
                ("{n} number of contributors is doubtful", "{n} numbers of contributors are doubtful"),
                ("{n} consent has an end that was not checked", "{n} consents have ends that were not checked"),
                ("{n} acceptance has an end that was not checked", "{n} acceptances have ends that were not checked"),
                ("{n} revised table was not combined", "{n} revised tables were not combined"),
            )
        ),
        strict=True,
    )
)
"""Codes of notes on what nobody looked at or judged, and how the headline says so of one and of several."""


def _counted(notes: Iterable[Note], code: str) -> int:
    return sum(note.count for note in notes if note.code == code)
