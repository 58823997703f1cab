"""A table as read: columns of text, and where each row came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError
from tableseal.audit.io.wording import listing, quoted, suggestion

MOST_COLUMNS = 10_000
"""Columns of a table: it has one for each variable and a few more, so that is a mistake, and a costly one."""


@dataclass(frozen=True)
class Columns:
    """Columns of equal length; every entry is the text as written, or None where there is nothing.

    source: name of the file or path inside the document, for messages.
    data: column name -> entries.
    lines: line of the file on which each row ends; None for data that are no file.
    """

    source: str
    data: Mapping[str, Sequence[str | None]]
    lines: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def place(self, row: int, column: str) -> str:
        """Where an entry stands: `x.csv row 3 (line 4), column "n"`; `row` counts from 0 here, from 1 in the text."""
        line = "" if self.lines is None else f" (line {int(self.lines[row])})"
        return f"{self.source} row {row + 1}{line}, column {quoted(column)}"

    def column(self, name: str, role: str) -> Sequence[str | None]:
        """The entries of one column.

        Raises
        ------
        InputError: there is no such column; `role` says what it was wanted for, the columns found are listed.
        """
        found = self.data.get(name)
        if found is None:
            raise InputError(
                f"{self.source}: there is no column {quoted(name)}, which is to hold {role}"
                f"{suggestion(name, self.data)}. Columns found: {listing(self.data)}."
            )
        return found


def check_width(columns: int, source: str) -> None:
    """Refuse tables with too many columns.

    Raises
    ------
    LimitError: more than `MOST_COLUMNS`.
    """
    if columns > MOST_COLUMNS:
        raise LimitError(f"{source}: has {columns:,} columns, more than the limit of {MOST_COLUMNS:,}.")


def inline_columns(cells: object, source: str) -> Columns:
    """Columns given inside a document as `name: [entries]`.

    Raises
    ------
    InputError: not a mapping of lists, lists of different lengths, nested entries, no rows. LimitError: too many
        columns.
    """
    if not isinstance(cells, Mapping) or not cells:
        raise InputError(f"{source}: expected columns, such as {{region: [N, S], value: [1, 2]}}.")
    check_width(len(cells), source)
    length: int | None = None
    first = ""
    for name, entries in cells.items():
        if not isinstance(entries, list | tuple):
            raise InputError(f"{source}.{name}: found {quoted(str(entries))}, expected a list of entries.")
        if length is None:
            length, first = len(entries), name
        if len(entries) != length:
            raise InputError(
                f"{source}.{name}: has {len(entries)} entries, but {source}.{first} has {length}; "
                "all columns need one entry a row (null for no value)."
            )
        for row, entry in enumerate(entries):
            if entry is not None and not isinstance(entry, str):
                raise InputError(f"{source}.{name} row {row + 1}: found a list or mapping, expected one value.")
    if not length:
        raise InputError(f"{source}: has no rows.")
    return Columns(source, cells)
