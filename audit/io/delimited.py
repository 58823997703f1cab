"""Delimited text (CSV and its relatives) -> columns of text."""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain, islice
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns, check_width
from tableseal.audit.io.plain_text import plain_columns
from tableseal.audit.io.statuses.column import withholds
from tableseal.audit.io.statuses.flags import looks_like_flags
from tableseal.audit.wording import listing, quoted, repeated

DELIMITERS = "\t;|,"
"""Delimiters that are recognised; of two that fit equally well the first wins (a comma may be a decimal comma)."""

_SAMPLE = 200
"""Rows that are looked at to recognise the delimiter."""
_CHUNK = 4096
"""Rows that are turned into columns at once: few enough to die young, which keeps the garbage collector idle."""
_FIELD_LIMIT = 2**20

Chunk = tuple[list[list[str]], list[int]]
"""Rows and the line on which each ends."""


def read_delimited(text: str, source: str, *, delimiter: str | None = None) -> Columns:
    """Columns of a delimited text whose first row holds the column names; codes keep their blanks.

    Blank lines are passed over. An empty field is an empty text.

    Raises
    ------
    InputError: no header, no rows, a column name twice, a row with too few or too many fields, quotes that do not
        close. LimitError: too many columns.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    text = _with_line_feeds(text)
    separator = delimiter or sniff(text)
    header = next(_chunks(_head(text), separator, source), ([[""]], [1]))[0][0]
    names = [name.strip() for name in header]
    if not any(names):
        raise InputError("the first row is to hold the names of the columns; it is empty.", at=source)
    check_width(len(names), source)
    twice = repeated(name for name in names if name)
    if twice:
        raise InputError(f"the column {quoted(twice[0])} stands twice in the first row.", at=source)

    columns = plain_columns(text, separator, len(names), _FIELD_LIMIT)
    if columns is not None:
        lines = np.arange(2, 2 + len(columns[0]), dtype=np.int64)
    else:
        chunks = _chunks(text, separator, source)
        top, ends = next(chunks)
        columns, lines = _read(chain([(top[1:], ends[1:])], chunks), names, separator, source)
    if not len(lines):
        raise InputError(f"there are no rows below the column names {listing(names)}.", at=source)
    for at, (name, column) in enumerate(zip(names, columns, strict=True)):
        if not name and (withholds(column) or (0 < at == len(names) - 1 and looks_like_flags("", column))):
            text = f"column {at + 1} has no name in the first row, and its entries seem to say which cells are withheld"
            raise InputError(text, at=Place(source, line=1), remedy="give it a name, such as status")
    data = {name: column for name, column in zip(names, columns, strict=True) if name}
    return Columns(Place(source), data, lines)


def _read(
    chunks: Iterable[Chunk], names: Sequence[str], separator: str, source: str
) -> tuple[list[Column], NDArray[np.int64]]:
    """The columns, chunk by chunk, and the line on which each row ends."""
    texts: list[dict[str | None, int]] = [{} for _ in names]
    numbers = [array("i") for _ in names]
    lines: list[int] = []
    for rows, ends in chunks:
        _refuse_ragged(rows, ends, names, len(lines), separator, source)
        for place, number, entries in zip(texts, numbers, zip(*rows, strict=True), strict=bool(rows)):
            number.extend([place.setdefault(entry, len(place)) for entry in entries])
        lines.extend(ends)
    columns = [Column(tuple(p), np.array(n, dtype=np.int32)) for p, n in zip(texts, numbers, strict=True)]
    return columns, np.array(lines, dtype=np.int64)


def read_rows(text: str, source: str, *, limit: int | None = None) -> tuple[list[list[str]], list[int]]:
    """Rows of a delimited text without header, and the line each ends on; blank lines are passed over.

    Parameters
    ----------
    limit: read so many rows only.

    Raises
    ------
    InputError: no rows, or quotes that do not close.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    size = _CHUNK if limit is None else limit
    text = _with_line_feeds(text)
    for more, ends in _chunks(text, sniff(text), source, size):
        rows.extend(more)
        lines.extend(ends)
        if limit is not None and len(rows) >= limit:
            break
    if not rows:
        raise InputError("has no rows.", at=source)
    return rows, lines


def sniff(text: str) -> str:
    """The delimiter under which the first rows have the same number of fields, as many as possible."""
    head = _head(text)
    best, best_score = ",", (False, 1)
    for candidate in DELIMITERS:
        try:
            rows, _ = next(_chunks(head, candidate, "", size=_SAMPLE), ([], []))
        except InputError:
            continue
        width = len(rows[0]) if rows else 1
        score = (width > 1 and all(len(row) == width for row in rows), width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _head(text: str) -> str:
    """The lines that are enough to recognise the delimiter and to read the names of the columns; all, where a quoted
    line end may be cut."""
    end = len(text) - len(text.lstrip()) - 1  # lines of nothing but blanks may come first
    for _ in range(2 * _SAMPLE):
        end = text.find("\n", end + 1)
        if end < 0:
            return text
    return text if '"' in text[:end] else text[: end + 1]


def _chunks(text: str, delimiter: str, source: str, size: int = _CHUNK) -> Iterator[Chunk]:
    """Rows with the line each ends on; the first chunk has the header.

    Blank lines are left out, and below the header lines of nothing but delimiters too.
    """
    reader = csv.reader(StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
    line, header = 0, 0
    try:
        while rows := list(islice(reader, size)):
            if reader.line_num - line == len(rows):
                ends = list(range(line + 1, reader.line_num + 1))
            else:  # quoted line ends
                ends = []
                for row in rows:
                    line += 1 + sum(field.count("\n") for field in row)
                    ends.append(line)
            line = reader.line_num
            if not all(rows) or not all(map(str.strip, map(itemgetter(0), rows))):  # a row may be blank
                kept = [
                    at for at, row in enumerate(rows) if any(map(str.strip, row)) or (at == header and len(row) > 1)
                ]
                rows, ends = [rows[at] for at in kept], [ends[at] for at in kept]
            header = -1
            if rows:
                yield rows, ends
    except csv.Error as error:
        if "field limit" in str(error):
            problem = f"a field is longer than {_FIELD_LIMIT:,} characters; is a quote not closed, or the delimiter "
            problem += "another one?"
        else:
            problem = f"the quotes do not fit ({error}); a quoted field ends with a quote and a delimiter, and a quote"
            problem += ' inside is written "".'
        raise InputError(problem, at=Place(source, line=reader.line_num)) from None


def _with_line_feeds(text: str) -> str:
    """The text with \\n for \\r\\n and \\r (not for the other characters that str.splitlines cuts at)."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _refuse_ragged(
    rows: Sequence[Sequence[str]],
    ends: Sequence[int],
    names: Sequence[str],
    before: int,
    delimiter: str,
    source: str,
) -> None:
    """Refuse the first row that has not as many fields as there are names."""
    if set(map(len, rows)) - {len(names)}:
        at = next(at for at, row in enumerate(rows) if len(row) != len(names))
        shown = {"\t": "a tab"}.get(delimiter, quoted(delimiter))
        expected = f"{len(names)} as in the first row (fields are separated by {shown}; quote a field that contains it)"
        place = Place(source, row=before + at + 1, line=ends[at])
        raise InputError(
            found="1 field" if len(rows[at]) == 1 else f"{len(rows[at])} fields", expected=expected, at=place
        )
