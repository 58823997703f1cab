"""What the agency does next, after a search for further cells."""

from tableseal.audit.errors import OptionName
from tableseal.audit.language import phrase
from tableseal.audit.report.asked import Asked
from tableseal.audit.report.call import STREAM
from tableseal.audit.report.next_step import LONGER, past_search
from tableseal.audit.said import Said
from tableseal.suppression.answer import Suppression

NOTHING_HELPS = (
    "no pattern helps: free what is in the way (see below), use coarser codes, or ask for less in the policy."
)

LESS = Said("withhold less with a longer ", OptionName("time_limit"), ", or none.")

OF_RANK = ("pure", "budget", "no_margins")
"""Options that other methods have no use for."""


def next_step(result: Suppression, asked: Asked, output: str | None, confidential: str | None) -> str | None:
    """What to do after a search; None: nothing.

    asked: how it was asked for; output, confidential: the files it was to write.
    """
    step = _next_step(result, asked, output, confidential)
    return None if step is None else phrase(asked.words(step))


def _next_step(result: Suppression, asked: Asked, output: str | None, confidential: str | None) -> str | None:
    report = result.report
    if report is None:
        return NOTHING_HELPS
    if report.verdict == "safe" and result.found.last_resort:
        return LESS
    if report.verdict == "safe":
        return _written(asked, output, confidential)
    if report.verdict == "unsafe":
        if result.found.guarantee != "intervals":
            return f"find a pattern that is safe: {asked.with_option(OptionName('method', 'optimal'), OF_RANK)}"
        return past_search(report) or (LONGER if result.found.last_resort else None)
    return LONGER


def _written(asked: Asked, output: str | None, confidential: str | None) -> str:
    """What is to be written yet, or what to do with what was."""
    if output is None and confidential is None:
        return f"write it: {asked.writing(released=True, kept=True)}"
    if confidential is None:
        return f"keep what later audits need, too: {asked.writing(released=False, kept=True)}"
    if output is None:
        return f"write what goes out: {asked.writing(released=True, kept=False)}"
    goes, stays = ("the release on standard output" if file == STREAM else file for file in (output, confidential))
    return f"{goes} may go out; later audits, publications and batch --together need {stays} (it has the true values)."
