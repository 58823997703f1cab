"""Cells, values and equations in words."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

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


def places_of(release: Release, listed: Iterable[tuple[int, int]]) -> list[Place]:
    """Places of (table, row of that table); rows that are not there (-1) have none."""
    found = []
    for table, row in listed:
        rows = release.tables[table].rows
        if row >= 0 and release.tables[table].source:
            found.append(Place(release.tables[table].source, row + 1 if rows is None else int(rows[row])))
    return found


def full_name(release: Release, cells: Cells, cell: int) -> str:
    """ "turnover North / Retail in table t": unambiguous name of a cell."""
    measure = list(release.measures)[int(cells.measure[cell])]
    prefix = f"{measure} " if len(release.measures) > 1 else ""
    table = release.tables[int(cells.table[cell])].name
    pairs = ", ".join(f"{v}={c}" for v, c in release.cell_codes(cells.codes[cell]).items())
    return f'{prefix}{pairs} in table "{table}"'
