"""Delimited text with title lines above its table and footnotes below, as people save it from a spreadsheet."""

import csv
from io import StringIO

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import DELIMITERS
from tableseal.audit.io.layout import Grid, columns_of
from tableseal.audit.io.numbers import looks_like_number
from tableseal.audit.model import Note

_MOST = 200_000
"""Rows of such a file, at most: it is made by hand."""


def between_titles(text: str, source: str, notes: list[Note]) -> Columns | None:
    """The table in a text that is no plain table; None if its lines are no titles, one table and footnotes.

    Every row of the table has one entry for each of its columns, as in a plain file.
    """
    return _table(text, source, notes, "lines_passed_over")


def cross_table(text: str, source: str, notes: list[Note]) -> Columns | None:
    """A row for each cell of a cross table, with or without titles; None if the text is no such table."""
    return _table(text, source, notes, "cross_table")


def _table(text: str, source: str, notes: list[Note], wanted: str) -> Columns | None:
    """The table in a text by the first separator by which something is told of it. wanted: code of the note."""
    found = (_separated(text, source, separator, notes, wanted) for separator in DELIMITERS)
    return next((columns for columns in found if columns is not None), None)


def _separated(text: str, source: str, separator: str, notes: list[Note], wanted: str) -> Columns | None:
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        return None
    filled = [[entry if entry.strip() else None for entry in row] for row in rows]
    widths = [len(row) for row in rows]
    width = max(widths, default=0)
    if len(rows) > _MOST or width < 2:
        return None
    whole = [at for at, row in enumerate(filled) if sum(entry is not None for entry in row) > 1]
    if not whole or any(widths[at] != width for at in range(whole[0], whole[-1] + 1)):
        return None
    padded = [row + [None] * (width - len(row)) for row in filled]
    numbers = [[entry is not None and looks_like_number(entry) for entry in row] for row in padded]
    told: list[Note] = []
    grid = Grid(padded, numbers, range(1, len(rows) + 1), lambda row, column: f"{source} line {row + 1}")
    try:
        found = columns_of(grid, Place(source), told)
    except InputError:
        return None
    if not any(note.code == wanted for note in told):
        return None
    notes.extend(told)
    return Columns(found.source, found.data, found.lines)  # its numbers are texts, whose signs may separate thousands
