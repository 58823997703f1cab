"""Cells, values and equations in words."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import Place
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.model import Release, Table


def decimal(units: int | Fraction, unit: Fraction) -> str:
    """A number of units as a plain decimal: 3, 0.25, 1/3 where it has no finite decimal form."""
    if unit == 1 and isinstance(units, int):
        return str(units)
    value = Fraction(units) * unit
    denominator = value.denominator
    digits = 0
    while denominator % 10 == 0 or denominator % 2 == 0 or denominator % 5 == 0:
        denominator //= 10 if denominator % 10 == 0 else (2 if denominator % 2 == 0 else 5)
        digits += 1
    if denominator != 1:
        return str(value)
    whole = round(value * 10**digits)
    if digits == 0:
        return str(whole)
    text = f"{abs(whole):0{digits + 1}d}"
    text = f"{text[:-digits]}.{text[-digits:]}".rstrip("0").rstrip(".")
    return f"-{text}" if whole < 0 else text


def plural(count: int, singular: str, several: str | None = None) -> str:
    """ "1 cell", "2 cells"."""
    return f"{count} {singular if count == 1 else several or singular + 's'}"


def interval_words(low: int, high: int, unit: Fraction) -> str:
    """ "5", "at most 5", "at least 5", "between 2 and 5", "anything"."""
    if low == high:
        return decimal(low, unit)
    if low == NO_LOWER:
        return "anything" if high == NO_UPPER else f"at most {decimal(high, unit)}"
    if high == NO_UPPER:
        return f"at least {decimal(low, unit)}"
    return f"between {decimal(low, unit)} and {decimal(high, unit)}"


def cell_name(release: Release, cells: Cells, cell: int) -> str:
    """ "North / Retail", "Total / Retail": the code of every variable that the cell's table names.

    A code that two variables share is written "variable=code".
    """
    return codes_name(release, release.tables[int(cells.table[cell])], cells.codes[cell].tolist())


def codes_name(release: Release, table: Table, codes: Sequence[int]) -> str:
    """The code of every variable that a table names, as in `cell_name`."""
    names = []
    for (variable, hierarchy), position in zip(release.variables.items(), codes, strict=True):
        if variable in table.named or position != hierarchy.total_index:
            code = hierarchy.codes[position]
            names.append(f"{variable}={code}" if code in release.shared_codes else code)
    return " / ".join(names) or "the only cell"


class Listed(Protocol):
    """Cells or rows. table, row: int (n), where each is listed (row -1: nowhere); measure, codes: as of cells."""

    @property
    def table(self) -> NDArray[np.integer]: ...
    @property
    def row(self) -> NDArray[np.integer]: ...
    @property
    def measure(self) -> NDArray[np.integer]: ...
    @property
    def codes(self) -> NDArray[np.int32]: ...


def place_of(release: Release, cells: Listed, cell: int) -> Place:
    """Where a cell is listed; the text is its unambiguous name."""
    table, row = release.tables[int(cells.table[cell])], int(cells.row[cell])
    measure = list(release.measures)[int(cells.measure[cell])] if len(release.measures) > 1 else None
    codes = tuple(release.cell_codes(cells.codes[cell]).items())
    return replace(table.place(row) if row >= 0 else table.where, table=table.name, cell=codes, measure=measure)


def places_of(release: Release, cells: Listed, which: Iterable[int]) -> list[Place]:
    """Where some cells are listed; those that no file or document lists have no place."""
    found = (place_of(release, cells, cell) for cell in which)
    return [place for place in found if place.source and place.row is not None]


def full_name(release: Release, cells: Listed, cell: int) -> str:
    """ "turnover North / Retail in table t": unambiguous name of a cell."""
    return str(place_of(release, cells, cell))
