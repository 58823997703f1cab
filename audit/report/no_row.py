"""Sensitive cells of which a table says, by having no row, that they are zero: no pattern hides them."""

import numpy as np

from tableseal.audit.linear.naming import full_name, plural
from tableseal.audit.model import Note, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules import Sensitivity
from tableseal.audit.said import InFile, Said

NOT_RELEASED = InFile("absent", {"leaves": "not_released"}, keyword="absent")
"""What a table says of combinations without a row that are not zero."""

CODE = "sensitive_without_row"
"""Code of the note, whose count is the number of such cells."""


def without_row(prepared: Prepared, sensitivity: Sensitivity) -> tuple[Note, ...]:
    """Which cells these are, and what to write; nothing where there is none."""
    cells = prepared.cells
    rounded_elsewhere = cells.unrounded & ~cells.consent & (cells.status == Status.PUBLISHED)
    sensitive = sensitivity.sensitive | (cells.sensitive_status & ~cells.rounded) | rounded_elsewhere
    at = np.flatnonzero(sensitive & cells.absent_zero & (cells.status != Status.MISSING))
    if not len(at):
        return ()
    text = Said(
        f"{plural(len(at), 'sensitive cell has', 'sensitive cells have')} no row in a table that has the codes, which "
        f"says zero: {full_name(prepared.release, cells, int(at[0]))}. List them there as withheld, or say ",
        NOT_RELEASED,
        ".",
    )
    return (Note(CODE, text, len(at)),)
