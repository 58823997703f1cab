"""Ranges that are told wider than what can stand behind published values: they show nothing to be protected."""

from collections.abc import Iterable

from tableseal.audit.model import Note, Release
from tableseal.audit.report.model import ReportCell
from tableseal.audit.wording import listing

WIDER = "ranges_wider"
"""Code of the note on such ranges, where a sensitive cell is protected by nothing that was shown."""


def wider_note(release: Release, rows: Iterable[ReportCell]) -> Note | None:
    """The note, where a table tells such ranges and some sensitive cell counts as protected; else None.

    What is proved exposed by them stays so: narrower ranges expose as much.
    """
    told = [table.name for table in release.tables if table.rounding is not None and table.rounding.wider]
    held = sum(bool(row.sensitive) and row.verdict == "protected" for row in rows)
    if not told or not held:
        return None
    which = "table" if len(told) == 1 else "tables"
    text = (
        f"The ranges told of {which} {listing(told)} are wider than what somebody may find who knows how values were "
        "changed and tries that on every table: that sensitive cells are protected is not shown."
    )
    return Note(WIDER, text, held)
