"""What the agency does next, after an audit: commands that work as they are printed, or words."""

from collections.abc import Iterable

from tableseal.audit.errors import OptionName
from tableseal.audit.language import phrase, put
from tableseal.audit.report.applied import WHAT_TO_SAY
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import Call
from tableseal.audit.report.model import Report, ReportCell
from tableseal.audit.report.no_row import CODE as WITHOUT_ROW
from tableseal.audit.report.no_row import NOT_RELEASED
from tableseal.audit.report.unknown import ASSUMED_NOTE, WHICH_FILE
from tableseal.audit.said import Do, Said

WITHHELD = ("primary", "secondary", "withheld")
PUBLISHED_ANYWAY = ("must_publish", "frozen", "structural_zero")

PAST_RANKS = "no pattern mends that; ask for consent or accept it with a reason (see below)."

LEAVE_OUT = Said(
    "leave the values of such cells out (empty, status primary, true value in the column of true values), and ",
    Do("suppress"),
    " sees to the rest.",
)
"""What to do about sensitive cells that are published rounded: a search does not choose among rounded cells."""

PAST_STATUS = (
    "sensitive cells must be published, are out already or are known zeros (status must_publish, frozen, "
    "structural_zero), and no search withholds them; change their status, or ask for consent."
)

NO_TRUTH = Said(
    "audit the release with the true values of its withheld cells (column truth); then ",
    Do("suppress"),
    " finds further cells to withhold.",
)

MEND_TRUTH = "mend the true values that cannot be (see the notes)."

LIST_AS_WITHHELD = Said(
    "list sensitive cells as withheld in every table that has their codes, or say ",
    NOT_RELEASED,
    " there: a combination without a row is a zero (see the notes).",
)

LONGER = Said("decide more with a longer ", OptionName("time_limit"), ", or none.")


def next_step(report: Report, asked: Asked | None = None) -> str | None:
    """What to do after an audit, in the words of how it was asked for (None: a command in general); None: nothing."""
    asked = asked or Call()
    step = _next_step(report, asked)
    return None if step is None else phrase(asked.words(step))


def _next_step(report: Report, asked: Asked) -> str | None:
    if not report.confidential:
        return None
    if not report.judged:
        return Said(WHAT_TO_SAY, ".")
    if report.verdict == "unsafe":
        return past_search(report) or put("find further cells to withhold: {how}", how=asked.protecting())
    if report.verdict == "undecided":
        return _undecided(report, asked)
    return Said(WHICH_FILE, ".") if report.required_unknown else None


def past_search(report: Report) -> str | None:
    """What to do about an unsafe release where no search for further cells helps; None: one may."""
    bad = [cell for cell in report.cells if cell.sensitive and cell.verdict in ("exposed", "underprotected")]
    if report.only_ranks:
        return PAST_RANKS
    if any(cell.status in PUBLISHED_ANYWAY for cell in bad):
        return PAST_STATUS
    if any(map(_is_rounded, bad)):
        return Said("round more coarsely, or ", LEAVE_OUT)
    if any(map(_is_rounded, report.cells)):
        return Said("a search does not choose among sensitive cells that are rounded; ", LEAVE_OUT)
    codes = {note.code for note in report.notes}
    if WITHOUT_ROW in codes:
        return LIST_AS_WITHHELD
    if "impossible_truth" in codes:
        return MEND_TRUTH
    if ASSUMED_NOTE in codes:
        return Said(WHICH_FILE, ".")
    return NO_TRUTH if lacks_truth(report.cells) else None


def lacks_truth(cells: Iterable[ReportCell]) -> bool:
    """Whether a withheld cell has no true value, without which nobody can say what to withhold with it."""
    return any(cell.truth is None and cell.status in WITHHELD for cell in cells)


def _undecided(report: Report, asked: Asked) -> str | None:
    codes = {note.code for note in report.notes}
    if "impossible_truth" in codes:
        return MEND_TRUTH
    if report.bounds != "integer":
        return put("decide more: {how}", how=asked.with_option(OptionName("bounds", "integer")))
    return LONGER if "time_limit" in codes else None


def _is_rounded(cell: ReportCell) -> bool:
    """Whether it is sensitive by a rule, and published, but not as it is."""
    shown = cell.status not in WITHHELD and cell.reason != "sensitive_published"
    return shown and cell.sensitive is True and cell.rule is not None
