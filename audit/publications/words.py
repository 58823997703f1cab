"""What a new release does to a publication, in words; and what to do about it."""

from tableseal.audit.publications.assess import Assessment, Fallen
from tableseal.audit.report.applied import WHAT_TO_SAY
from tableseal.audit.report.call import Call
from tableseal.audit.report.next_step import LONGER, past_search
from tableseal.audit.report.unknown import ASSUMED_NOTE, WHICH_FILE

DESPITE = "--publish --despite REASON"


def fallen_words(found: Fallen) -> str:
    """ "region=N, sex=F: exposed, through entry 1, by_region: N / F = T / F - S / F = 9 - 7 = 2"."""
    codes = ", ".join(f"{variable}={code}" for variable, code in found.cell.cell)
    sets = [" and ".join(f"entry {t.entry}, {t.table}" for t in tables) for tables in found.culprits.sets]
    through = "; or ".join(culprit or "the new release by itself" for culprit in sets)
    ranks = found.cell.reason == "ranks"
    why = "its contributors know each other whatever is withheld" if ranks else f"through {through}"
    told = "" if found.cell.reveals is None else f": {found.cell.reveals.text}"
    return f"{codes}: {found.cell.verdict}, {why}{told}"


def next_step(found: Assessment, number: int | None, call: Call) -> str | None:
    """What to do after a new release was audited with a publication; None: nothing.

    number: of the entry that it became, None: it is not out. call: how it was asked for.
    """
    if number is not None:
        return None
    report = found.report
    if not report.judged:
        return f"{WHAT_TO_SAY}."
    if found.verdict == "safe":
        return f"publish it: {call.again('--publish')}"
    if found.verdict == "unsafe":
        alone = not found.older and all(one.new and one.culprits.sets == ((),) for one in found.fallen)
        if alone or report.only_ranks:
            return past_search(report) or f"find further cells to withhold: {call.protecting()}"
        truth = f"{WHICH_FILE}; or " if any(note.code == ASSUMED_NOTE for note in report.notes) else ""
        return f"{truth}withhold further cells of the new release, or {DESPITE}."
    if found.required_unknown:
        return f"{WHICH_FILE}; or {DESPITE}."
    if report.bounds != "integer":
        return f"decide more: {call.again('--bounds', 'integer')}"
    return LONGER
