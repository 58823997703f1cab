"""What the agency does next, after a search for further cells."""

from tableseal.audit.report.call import STREAM, Call
from tableseal.audit.report.next_step import LONGER, past_search
from tableseal.suppression.answer import Suppression

NOTHING_HELPS = (
    "no pattern helps: free what is in the way (see below), use coarser codes, or ask for less in the policy."
)

OF_RANK = ("--pure", "--budget", "--no-margins")
"""Options that other methods have no use for."""


def next_step(result: Suppression, call: Call, output: str | None, confidential: str | None) -> str | None:
    """What to do after a search; None: nothing.

    call: how it was asked for; output, confidential: the files it was to write.
    """
    report = result.report
    if report is None:
        return NOTHING_HELPS
    if report.verdict == "safe":
        return _written(call, output, confidential)
    if report.verdict == "unsafe":
        if result.found.guarantee != "intervals":
            return f"find a pattern that is safe: {call.again('--method', 'optimal', without=OF_RANK)}"
        return past_search(report) or (LONGER if result.found.last_resort else None)
    return LONGER


def _written(call: Call, output: str | None, confidential: str | None) -> str:
    """What is to be written yet, or what to do with what was."""
    kept = call.beside("kept", suffix=".json")
    if output is None and confidential is None:
        return f"write it: {call.again('-o', call.beside('protected'), '--confidential', kept)}"
    if confidential is None:
        return f"keep what later audits need, too: {call.again('--confidential', kept)}"
    if output is None:
        return f"write what goes out: {call.again('-o', call.beside('protected'))}"
    goes, stays = ("the release on standard output" if file == STREAM else file for file in (output, confidential))
    return f"{goes} may go out; later audits, publications and batch --together need {stays} (it has the true values)."
