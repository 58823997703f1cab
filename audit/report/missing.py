"""Cells marked `missing` that can be computed all the same: no rule judges them, and the report says so."""

from collections.abc import Iterable, Sequence

from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Note, Status
from tableseal.audit.report.model import ReportCell

CODE = "missing_computed"
"""Code of the note, whose count is the number of such cells."""

_NAMED = 5
"""Cells that the note names."""


def computed_missing(rows: Iterable[ReportCell]) -> list[ReportCell]:
    """Listed cells of status `missing` of which one value is left."""
    word = Status.MISSING.word
    return [row for row in rows if row.status == word and row.lower is not None and row.lower == row.upper]


def missing_note(found: Sequence[ReportCell]) -> tuple[Note, ...]:
    """That no rule judged them, and what to write if one is to; nothing where there is none."""
    if not found:
        return ()
    names = [", ".join(f"{variable}={code}" for variable, code in row.cell) for row in found[:_NAMED]]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    text = (
        f"{plural(len(found), 'cell')} marked missing can be computed, and such cells are not judged: "
        f"{'; '.join(names)}{more}. If readers must not know them, give them the status withheld."
    )
    return (Note(CODE, text, len(found)),)
