"""Bare matrices: delimited numbers without header, codes or margins."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io.delimited import read_rows
from tableseal.audit.io.files import read_text
from tableseal.audit.io.numbers import looks_like_number
from tableseal.audit.io.sources import TEXT_FORMATS
from tableseal.audit.model.amounts import LIMIT
from tableseal.audit.wording import quoted

_NO_NUMBER = re.compile(r"[+-]?(?:nan|inf|infinity)?", re.IGNORECASE)
"""What programs write where a number is missing."""


def is_matrix(text: str) -> bool:
    """True if the first row of a delimited text holds numbers (or gaps behind one), so that it cannot be a header."""
    try:
        rows, _ = read_rows(text, "", limit=1)
    except InputError:  # whoever reads it as a table says what is wrong, and where
        return False
    first = [entry.strip() for entry in rows[0]]
    numbers = [looks_like_number(entry) for entry in first]
    return (
        bool(first[0])
        and any(numbers)
        and all(n or _NO_NUMBER.fullmatch(e) for n, e in zip(numbers, first, strict=True))
    )


def matrix_in(path: Path, *, all_cells: bool = False) -> NDArray[np.int64] | None:
    """The counts in a file of delimited text; None if it is another kind of file, or has a header.

    Raises
    ------
    InputError: as `read_matrix`, or the file cannot be read.
    """
    if path.suffix.lower() not in TEXT_FORMATS:
        return None
    text, _ = read_text(path, source=path.name)
    return read_matrix(text, path.name, all_cells=all_cells) if is_matrix(text) else None


def read_matrix(text: str, source: str, *, all_cells: bool = False) -> NDArray[np.int64]:
    """The counts in a bare matrix, int64 (rows x columns).

    Parameters
    ----------
    all_cells: take a last row or column that equals the sum of the others as cells, not as a margin.

    Raises
    ------
    InputError: rows of different lengths, an entry that is no whole number from 0 to 2^60, or a margin.
    """
    rows, lines = read_rows(text, source)
    width = len(rows[0])
    for r, (row, line) in enumerate(zip(rows, lines, strict=True), 1):
        if len(row) != width:
            raise _ragged(row, width, Place(source, row=r, line=line))
    places = (Place(source, row=r, line=line) for r, line in enumerate(lines, 1))
    counts = [[_count(e, at, c) for c, e in enumerate(row, 1)] for row, at in zip(rows, places, strict=True)]
    values = np.array(counts, dtype=np.int64)
    if not all_cells:
        _refuse_margins(values, source)
    return values


def checked_matrix(values: NDArray[Any], source: str, *, all_cells: bool = False) -> NDArray[np.int64]:
    """An array of numbers (rows x columns) as counts.

    Raises
    ------
    InputError: an entry that is no whole number from 0 to 2^60, or a margin (see `read_matrix`).
    """
    if not values.size:
        raise InputError(f"{source}: is empty.")
    bad = np.argwhere(~((values >= 0) & (values <= LIMIT) & (values == np.floor(values))))
    if len(bad):
        row, column = bad[0].tolist()
        place = Place(source, row=row + 1, column=column + 1)
        raise InputError(found=str(values[row, column]), expected="a whole number from 0 to 2^60 (a count)", at=place)
    counts = values.astype(np.int64)
    if not all_cells:
        _refuse_margins(counts, source)
    return counts


def read_numbers(text: str, source: str) -> NDArray[np.float64]:
    """A matrix of decimal numbers, such as probabilities.

    Raises
    ------
    InputError: rows of different lengths, or an entry that is no number.
    """
    rows, lines = read_rows(text, source)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise _ragged(row, len(rows[0]), Place(source, line=line))
        for column, entry in enumerate(row, 1):
            if not looks_like_number(entry.strip()):
                place = Place(source, line=line, character=column)
                raise InputError(found=quoted(entry), expected="a number", at=place)
    return np.array([[float(entry.strip().replace(",", ".")) for entry in row] for row in rows])


def _ragged(row: list[str], width: int, at: Place) -> InputError:
    found = f"{len(row)} {'entry' if len(row) == 1 else 'entries'}"
    return InputError(found=found, expected=f"{width} as in the first row", at=at)


def _count(entry: str, at: Place, column: int) -> int:
    text = entry.strip()
    value = Decimal(text.replace(",", ".")) if looks_like_number(text) else None
    if value is None or value < 0 or value != value.to_integral_value():
        kind = "no number" if value is None else "a negative or fractional count"
        problem = f"found {quoted(text)}, {kind}; expected a whole number that is not negative (a count)."
        raise InputError(problem, at=replace(at, column=column))
    if value > LIMIT:
        raise InputError(f"found {quoted(text)}, more than the largest count of 2^60.", at=replace(at, column=column))
    return int(value)


def _refuse_margins(values: NDArray[np.int64], source: str) -> None:
    """Refuse a last row or column that is the sum of at least two others, or of one if both are."""
    exact = values.astype(object) if values.size * float(values.max(initial=0)) > 2**62 else values
    if not values.any():
        return
    row = len(values) > 1 and bool((exact[:-1].sum(axis=0) == exact[-1]).all())
    column = values.shape[1] > 1 and bool((exact[:, :-1].sum(axis=1) == exact[:, -1]).all())
    if (row and column) or (row and len(values) > 2) or (column and values.shape[1] > 2):
        both = "the last row and the last column are sums of the others"
        found = both if row and column else f"the last {'row' if row else 'column'} is the sum of the others"
        raise InputError(
            f"{found}. A bare matrix holds cells only; leave margins out (or say ",
            OptionName("all_cells"),
            " if these are no margins).",
            at=source,
        )
