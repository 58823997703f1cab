"""A bare matrix of counts: delimited whole numbers, no header, no margins."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError
from audit.io.delimited import sniff
from audit.io.files import read_text
from audit.io.numbers import decimal
from audit.io.wording import quoted
from audit.model.amounts import LIMIT


def is_matrix(path: Path) -> bool:
    """True if the first filled line of a file is nothing but numbers; False also if there is no such file."""
    if not path.is_file():
        return False
    text, _ = read_text(path, source=path.name)
    first = next((line for line in text.splitlines() if line.strip()), "")
    return bool(first) and all(_number(field) is not None for field in first.split(sniff(text)))


def read_matrix(path: Path) -> NDArray[np.int64]:
    """int64 (rows x columns), whole numbers from 0 on.

    Raises
    ------
    InputError: names file, row and column of an entry that is no such number, or the row with too few or too many
    entries.
    """
    source = path.name
    text, _ = read_text(path, source=source)
    delimiter = sniff(text)
    rows: list[list[int]] = []
    for line, fields in enumerate(csv.reader(text.splitlines(), delimiter=delimiter), start=1):
        if not any(field.strip() for field in fields):
            continue
        if rows and len(fields) != len(rows[0]):
            raise InputError(
                f"{source} row {len(rows) + 1} (line {line}): found {len(fields)} entries, expected {len(rows[0])} as "
                "in the first row."
            )
        rows.append(
            [
                _count(field, f"{source} row {len(rows) + 1} (line {line}), column {k}")
                for k, field in enumerate(fields, start=1)
            ]
        )
    return np.array(rows, dtype=np.int64)


def refuse_margins(matrix: NDArray[np.int64], source: str) -> None:
    """Refuse a matrix of three or more rows and columns whose last row and column are the sums of the others.

    Raises
    ------
    InputError
    """
    if min(matrix.shape) < 3 or not matrix.any():
        return
    inner = matrix[:-1, :-1]
    if (
        (inner.sum(axis=0) == matrix[-1, :-1]).all()
        and (inner.sum(axis=1) == matrix[:-1, -1]).all()
        and inner.sum() == matrix[-1, -1]
    ):
        raise InputError(
            f"{source}: the last row and the last column are the sums of the others; a bare matrix has no margins: "
            "leave them out."
        )


def _count(field: str, place: str) -> int:
    value = _number(field)
    if value is None:
        raise InputError(f"{place}: found {quoted(field.strip())}, expected a count (a matrix has no header).")
    if value < 0 or value.denominator != 1:
        raise InputError(f"{place}: found {field.strip()}, expected a whole number from 0 on.")
    if value > LIMIT:
        raise InputError(f"{place}: the count is larger than 2**60.")
    return int(value)


def _number(field: str) -> Fraction | None:
    try:
        return decimal(field)
    except ValueError:
        return None
