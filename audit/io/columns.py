"""A table as read: columns of text, and where each row came from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, LimitError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.wording import listing, quoted, suggestion

MOST_COLUMNS = 10_000
"""Columns of a table: it has one for each variable and a few more, so that is a mistake, and a costly one."""


@dataclass(frozen=True)
class Columns:
    """Columns of equal length; every entry is the text as written, or None (or empty) where there is nothing.

    source: the file, or where in the document they stand.
    data: column name -> entries.
    lines: line of the file on which each row ends; None for data that are no file.
    numbers: columns that held numbers before they were text, so that no sign in them separates thousands.
    """

    source: Place
    data: Mapping[str, Column]
    lines: NDArray[np.int64] | None = None
    numbers: frozenset[str] = frozenset()

    @staticmethod
    def of(source: Place, data: Mapping[str, Sequence[str | None]]) -> "Columns":
        """Columns of these entries, which are no file."""
        return Columns(source, {name: Column.of(entries) for name, entries in data.items()})

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def place(self, row: int, column: str | None = None) -> Place:
        """Where an entry stands; `row` counts from 0 here, from 1 in places."""
        line = None if self.lines is None else int(self.lines[row])
        return replace(self.source, row=row + 1, line=line, column=column)

    def column(self, name: str, role: str) -> Column:
        """The entries of one column.

        Raises
        ------
        InputError: there is no such column; `role` says what it was wanted for, the columns found are listed.
        """
        found = self.data.get(name)
        if found is None:
            text = f"there is no column {quoted(name)}, which is to hold {role}{suggestion(name, self.data)}. Columns "
            raise InputError(text, f"found: {listing(self.data)}.", at=self.source)
        return found


def check_width(columns: int, source: Place | str) -> None:
    """Refuse tables with too many columns.

    Raises
    ------
    LimitError: more than `MOST_COLUMNS`.
    """
    if columns > MOST_COLUMNS:
        raise LimitError(f"has {columns:,} columns, more than the limit of {MOST_COLUMNS:,}.", at=source)


def inline_columns(cells: object, source: Place) -> Columns:
    """Columns given inside a document as `name: [entries]`.

    Raises
    ------
    InputError: not a mapping of lists, lists of different lengths, nested entries, no rows. LimitError: too many
        columns.
    """
    for error in wrong_cells(cells, source):
        raise error
    assert isinstance(cells, Mapping)
    check_width(len(cells), source)
    return Columns.of(source, cells)


def wrong_cells(cells: object, source: Place) -> Iterator[InputError]:
    """What is wrong with columns given inside a document: not a mapping of lists, nested entries, lists of different
    lengths, no rows."""
    if not isinstance(cells, Mapping) or not cells:
        yield InputError("expected columns, such as {region: [N, S], value: [1, 2]}.", at=source)
        return
    length: int | None = None
    first = ""
    for name, entries in cells.items():
        if not isinstance(entries, list | tuple):
            yield InputError(found=_shown(entries), expected="a list of entries", at=source / name)
            continue
        if length is None:
            length, first = len(entries), name
        if len(entries) != length:
            text = f"has {len(entries)} entries, but {quoted(first)} has {length}; all columns need one entry a row "
            yield InputError(text, "(null for no value).", at=source / name)
        for row, entry in enumerate(entries):
            if entry is not None and not isinstance(entry, str):
                place = replace(source / name, row=row + 1)
                yield InputError(found="a list or mapping", expected="one value", at=place)
                break
    if length == 0:
        yield InputError("has no rows.", at=source)


def _shown(value: object) -> str:
    return quoted(value) if value is None or isinstance(value, str) else "a mapping"
