"""Bare matrices of counts: delimited numbers without header, codes or margins."""

import re

import numpy as np
from numpy.typing import NDArray

from audit.errors import InputError
from audit.io.delimited import read_rows
from audit.io.wording import quoted
from audit.model.count_table import Axis, CountTable

LARGEST = 10**15
"""Largest count: beyond it floating-point numbers no longer tell neighbouring counts apart."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_COUNT = re.compile(r"\+?([0-9]+)(?:[.,]0*)?")


def is_matrix(text: str) -> bool:
    """True if the first row of a delimited text holds numbers only, so that it cannot be a header."""
    rows, _ = read_rows(text, "", limit=1)
    return bool(rows) and all(_NUMBER.fullmatch(entry.strip()) for entry in rows[0])


def read_matrix(text: str, source: str, *, all_cells: bool = False) -> CountTable:
    """The table in a bare matrix; its variables are called `row` and `column`, their codes 1, 2, ...

    Parameters
    ----------
    all_cells: take a last row or column that equals the sum of the others as cells, not as a margin.

    Raises
    ------
    InputError: rows of different lengths, an entry that is no whole number from 0 to 10^15, or a margin.
    """
    rows, lines = read_rows(text, source)
    width = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(f"{source} line {line}: found {len(row)} numbers, expected {width} as in the first row.")
    values = np.array(
        [
            [_count(entry, f"{source} row {r} (line {line}), column {c}") for c, entry in enumerate(row, 1)]
            for r, (row, line) in enumerate(zip(rows, lines, strict=True), 1)
        ],
        dtype=np.int64,
    )
    if not all_cells:
        _refuse_margins(values, source)
    axes = tuple(
        Axis(name, tuple(str(k + 1) for k in range(size)))
        for name, size in zip(("row", "column"), values.shape, strict=True)
    )
    index = np.flatnonzero(values).astype(np.int64)
    return CountTable(source, axes, index, values.ravel()[index])


def read_numbers(text: str, source: str) -> NDArray[np.float64]:
    """A matrix of decimal numbers, such as probabilities.

    Raises
    ------
    InputError: rows of different lengths, or an entry that is no number.
    """
    rows, lines = read_rows(text, source)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise InputError(f"{source} line {line}: found {len(row)} numbers, expected {len(rows[0])}.")
        for column, entry in enumerate(row, 1):
            if not _NUMBER.fullmatch(entry.strip()):
                raise InputError(f"{source} line {line}, column {column}: found {quoted(entry)}, expected a number.")
    return np.array([[float(entry.strip().replace(",", ".")) for entry in row] for row in rows])


def _count(entry: str, place: str) -> int:
    text = entry.strip()
    whole = _COUNT.fullmatch(text)
    if whole is None:
        what = "a whole number that is not negative"
        kind = "a negative or fractional count" if _NUMBER.fullmatch(text) else "no number"
        raise InputError(f"{place}: found {quoted(text)}, {kind}; expected {what} (a count).")
    value = int(whole.group(1))
    if value > LARGEST:
        raise InputError(f"{place}: found {quoted(text)}, more than the largest count of 10^15.")
    return value


def _refuse_margins(values: NDArray[np.int64], source: str) -> None:
    """Refuse a last row or column that is the sum of at least two others, or of one if both are."""
    exact = values.astype(object) if values.size * float(values.max(initial=0)) > 2**62 else values
    if not values.any():
        return
    row = len(values) > 1 and bool((exact[:-1].sum(axis=0) == exact[-1]).all())
    column = values.shape[1] > 1 and bool((exact[:, :-1].sum(axis=1) == exact[:, -1]).all())
    found = [name for name, is_sum in (("row", row), ("column", column)) if is_sum]
    if len(found) == 2 or (row and len(values) > 2) or (column and values.shape[1] > 2):
        raise InputError(
            f"{source}: the last {' and the last '.join(found)} equals the sum of the others. A bare matrix holds "
            "cells only; leave margins out (or say --all-cells if these are no margins)."
        )
