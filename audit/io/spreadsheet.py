"""CSV that people open in a spreadsheet."""

import csv
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import StringIO

from tableseal.audit.io.numbers import decimal_text

Entry = str | int | float | Fraction | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes as the beginning of a formula (CSV injection), full-width forms included."""


def harmless(text: str) -> str:
    """The text as an entry that no spreadsheet runs: one that begins like a formula gets an apostrophe before it.

    >>> harmless("=1+1"), harmless("North")
    ("'=1+1", 'North')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Entry]]) -> str:
    """Rows below a header. Numbers stay numbers (also negative ones), None is empty, text is made harmless."""
    file = StringIO()
    writer = csv.writer(file)  # lines end as RFC 4180 says, which makes it quote every kind of line end in a text
    writer.writerow([harmless(name) for name in header])
    writer.writerows([[_entry(value) for value in row] for row in rows])
    return file.getvalue()


def _entry(value: Entry) -> str | int | float | None:
    if isinstance(value, Fraction):
        return decimal_text(value)
    return harmless(value) if isinstance(value, str) else value
