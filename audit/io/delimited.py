"""Delimited text (CSV and its relatives) -> columns of text."""

import csv
from collections.abc import Iterator
from itertools import islice

import numpy as np

from audit.errors import InputError
from audit.io.columns import Columns
from audit.io.wording import listing, quoted

DELIMITERS = "\t;|,"
"""Delimiters that are recognised; of two that fit equally well the first wins (a comma may be a decimal comma)."""

_SAMPLE = 200
"""Rows that are looked at to recognise the delimiter."""
_CHUNK = 50_000
_FIELD_LIMIT = 2**20


def read_delimited(text: str, source: str, *, delimiter: str | None = None) -> Columns:
    """Columns of a delimited text whose first row holds the column names; codes keep their blanks.

    Blank lines are passed over. An empty field is an empty text.

    Raises
    ------
    InputError: no header, no rows, a column name twice, a row with too few or too many fields, quotes that do not
        close.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    separator = delimiter or sniff(text)
    rows = _rows(text, separator, source)
    header, _ = next(rows, ([], 0))
    names = [name.strip() for name in header]
    if not any(names):
        raise InputError(f"{source}: the first row is to hold the names of the columns; it is empty.")
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise InputError(f"{source}: the column {quoted(twice[0])} stands twice in the first row.")

    columns: list[list[str]] = [[] for _ in names]
    lines: list[int] = []
    shared: dict[str, str] = {}  # codes repeat: one text object for all of them
    while chunk := list(islice(rows, _CHUNK)):
        lines.extend(line for _, line in chunk)
        try:
            fields = list(zip(*(row for row, _ in chunk), strict=True))
        except ValueError:
            fields = []
        if len(fields) != len(names):
            _refuse_ragged(chunk, names, len(lines) - len(chunk), separator, source)
        for column, entries in zip(columns, fields, strict=True):
            column.extend([shared.setdefault(entry, entry) for entry in entries])
        if len(shared) > 4 * _CHUNK:
            shared.clear()
    if not lines:
        raise InputError(f"{source}: there are no rows below the column names {listing(names)}.")
    data = {name: column for name, column in zip(names, columns, strict=True) if name}
    return Columns(source, data, np.array(lines, dtype=np.int64))


def sniff(text: str) -> str:
    """The delimiter under which the first rows have the same number of fields, as many as possible."""
    best, best_score = ",", (False, 1)
    for candidate in DELIMITERS:
        try:
            widths = [len(row) for row, _ in islice(_rows(text, candidate, ""), _SAMPLE)]
        except InputError:
            continue
        width = widths[0] if widths else 1
        score = (width > 1 and len(set(widths)) == 1, width)
        if score > best_score:
            best, best_score = candidate, score
    return best


def _rows(text: str, delimiter: str, source: str) -> Iterator[tuple[list[str], int]]:
    """Rows with the line each ends on, blank lines left out."""
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield row, reader.line_num
    except csv.Error as error:
        raise InputError(
            f"{source} line {reader.line_num}: the quotes do not fit ({error}); "
            'a quoted field ends with a quote and a delimiter, and a quote inside is written "".'
        ) from None


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends, for \\n, \\r\\n and \\r (not the other characters that str.splitlines cuts at)."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, size = 0, len(text)
    while start < size:
        end = text.find("\n", start) + 1 or size
        yield text[start:end]
        start = end


def _refuse_ragged(
    chunk: list[tuple[list[str], int]], names: list[str], before: int, delimiter: str, source: str
) -> None:
    for at, (row, line) in enumerate(chunk):
        if len(row) != len(names):
            shown = {"\t": "a tab"}.get(delimiter, quoted(delimiter))
            raise InputError(
                f"{source} row {before + at + 1} (line {line}): found {len(row)} fields, expected {len(names)} "
                f"as in the first row (fields are separated by {shown}; quote a field that contains it)."
            )
