"""Totals of a table computed from its finest rows, as <READTABLE> 1 asks for, and for tables made of microdata."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import nlargest
from itertools import product
from typing import TypeVar

from tableseal.audit.errors import LimitError
from tableseal.audit.io.argus.table import ArgusTable, Row

T = TypeVar("T", int, Fraction)

LARGEST = 5_000_000
"""Cells of a table that is added up."""


def with_totals(table: ArgusTable, *, keep_status: bool) -> ArgusTable:
    """The table with every total as the sum of the finest rows below it.

    Rows of the file stand first, in its order, then totals that it does not have. Status and required distances of a
    total are those of the file with `keep_status` (and where it cannot be computed, as a row below it has no value),
    else nothing is said of it.

    Raises
    ------
    LimitError: too many totals.
    """
    given = {row.codes: row for row in table.rows}
    finest = _finest(table)
    below: dict[tuple[str, ...], list[Row]] = {codes: [] for codes in given}
    count = 0
    for codes in finest:
        for above in _above(table, codes):
            count += 1
            if count > LARGEST:
                raise LimitError(f"adding up gives more than {LARGEST:,} entries, the limit.", at=table.source)
            below.setdefault(above, []).append(given[codes])
    rows = []
    for codes, parts in below.items():
        row = given.get(codes, Row(codes, None))
        rows.append(row if codes in finest else _total(row, parts, keep_status=keep_status))
    return replace(table, rows=tuple(rows))


def _above(table: ArgusTable, codes: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """A cell and all totals that it is part of."""
    return product(*(own.above(code) for own, code in zip(table.variables.values(), codes, strict=True)))


def _finest(table: ArgusTable) -> dict[tuple[str, ...], None]:
    """Rows that no other row is part of."""
    totals: set[tuple[str, ...]] = set()
    for row in table.rows:
        totals.update(codes for codes in _above(table, row.codes) if codes != row.codes)
    return {row.codes: None for row in table.rows if row.codes not in totals}


def _total(row: Row, parts: Sequence[Row], *, keep_status: bool) -> Row:
    value = summed([part.value for part in parts])
    if value is None:
        return row
    width = max(len(part.tops) for part in parts)
    tops = nlargest(width, (top for part in parts for top in part.tops), key=abs)
    return replace(
        row,
        value=value,
        frequency=summed([part.frequency for part in parts]),
        shadow=summed([part.shadow for part in parts]),
        cost=summed([part.cost for part in parts]),
        tops=tuple(tops),
        status=row.status if keep_status else "",
        lower=row.lower if keep_status else None,
        upper=row.upper if keep_status else None,
    )


def summed(values: Sequence[T | None]) -> T | None:
    """Their sum; None if one of them is not known."""
    known = [value for value in values if value is not None]
    return None if len(known) < len(values) or not known else sum(known[1:], known[0])
