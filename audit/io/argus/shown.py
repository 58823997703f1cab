"""Cells of a table of a release as the files of tau-ARGUS list them: every row, with its codes in their order."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tableseal.audit.errors import InputError
from tableseal.audit.io.numbers import places
from tableseal.audit.linear.absent import complete, rows_left_out
from tableseal.audit.linear.keys import KeySpace
from tableseal.audit.model import Amounts, Hierarchy, Release, Status, Table
from tableseal.audit.wording import listing, quoted

WITHHELD, EMPTY = "x", "-"
"""What stands for a withheld value, and for a cell that nobody contributes to."""


@dataclass(frozen=True)
class ShownCell:
    """One cell.

    value: the true one, None where it is not known. released: it may be shown. status: ours. rule: that made it
    sensitive, in words (None: its status did). empty: nobody contributes. row: of the table.
    """

    codes: tuple[str, ...]
    value: Fraction | None
    released: bool
    status: Status
    frequency: int | None
    tops: tuple[Fraction | None, ...]
    cost: Fraction | None
    lower: Fraction | None
    upper: Fraction | None
    empty: bool
    rule: str | None
    row: int
    shadow: Fraction | None = None


@dataclass(frozen=True)
class ShownTable:
    """A table. dimensions: its classifications; decimals: of its values; counts: it counts contributors."""

    table: Table
    dimensions: tuple[Hierarchy, ...]
    decimals: int
    counts: bool
    cells: tuple[ShownCell, ...]

    def number(self, value: Fraction) -> str:
        """With all its decimals."""
        scaled = round(value * 10**self.decimals)
        if not self.decimals:
            return str(scaled)
        text = str(abs(scaled)).zfill(self.decimals + 1)
        return f"{'-' if scaled < 0 else ''}{text[: -self.decimals]}.{text[-self.decimals :]}"


STATUS_NUMBERS: Final[Mapping[Status, int]] = {
    Status.PUBLISHED: 1,
    Status.CONSENT: 2,
    Status.MUST_PUBLISH: 10,
    Status.FROZEN: 10,
    Status.STRUCTURAL_ZERO: 14,
    Status.MISSING: 12,
    Status.SECONDARY: 11,
    Status.WITHHELD: 9,
    Status.PRIMARY: 9,
}
"""Status -> number (CellStatus of tau-ARGUS); rules have their own."""

_EMPTY_NUMBER = 14
_RULE_NUMBERS: Final = {"threshold": 5, "request": 4}
_ANY_RULE = 3


def status_number(cell: ShownCell) -> int:
    """Of a cell: why it is withheld, if it is."""
    if cell.empty and cell.released:
        return _EMPTY_NUMBER
    if cell.status != Status.PRIMARY or cell.rule is None:
        return STATUS_NUMBERS[cell.status]
    return next((number for word, number in _RULE_NUMBERS.items() if cell.rule.startswith(word)), _ANY_RULE)


def shown_table(release: Release, at: int) -> ShownTable:
    """The table of a release at a position.

    Raises
    ------
    InputError: what files of tau-ARGUS cannot hold: a variable without total, several groupings, a precision that is
        no number of decimals, rounded values, combinations without a row that are no zeros.
    """
    table = release.tables[at]
    measure = release.measures[table.measure]
    dimensions = tuple(release.variables[name] for name in table.named)
    for hierarchy in dimensions:
        if hierarchy.total is None:
            raise InputError(f"variable {quoted(hierarchy.name)} has no total, and tau-ARGUS adds up all variables.")
        if len(hierarchy.parents) > 1:
            raise InputError(
                f"variable {quoted(hierarchy.name)} has several groupings, and tau-ARGUS has room for one."
            )
    if table.rounding is not None:
        raise InputError(f"table {quoted(table.name)} is rounded, which files of tau-ARGUS do not say.")
    left_out = rows_left_out(table, release)
    if left_out or len(complete(table, release, KeySpace.of(release)).sum_codes):
        text = (
            f"table {quoted(table.name)} has combinations without a row that are no zeros; in files of tau-ARGUS they "
        )
        raise InputError(f"{text}are; write these rows out.")
    if not dimensions:
        raise InputError(f"table {quoted(table.name)} has no variable ({listing(release.variables)}).")
    columns = [list(release.variables).index(name) for name in table.named]
    unit = measure.unit
    order = sorted(range(len(table.codes)), key=lambda row: tuple(table.codes[row, columns].tolist()))
    cells = tuple(_cell(table, row, columns, dimensions, unit) for row in order)
    decimals = places(unit) or 0
    return ShownTable(table, dimensions, decimals, measure.kind == "count", cells)


def _cell(table: Table, row: int, columns: list[int], dimensions: tuple[Hierarchy, ...], unit: Fraction) -> ShownCell:
    codes = table.codes[row, columns].tolist()
    status = Status(int(table.status[row]))
    value = _amount(table.truth, row, unit)
    frequency = None if table.frequency is None else table.frequency.get(row)
    cost = None if table.cost is None or table.cost[row] != table.cost[row] else Fraction(str(table.cost[row]))
    return ShownCell(
        tuple(h.codes[code] for h, code in zip(dimensions, codes, strict=True)),
        value,
        status.released,
        status,
        frequency,
        tuple(_amount(top, row, unit) for top in table.contributors),
        cost,
        _amount(table.protection_lower, row, unit),
        _amount(table.protection_upper, row, unit),
        value == 0 and (frequency == 0 or status == Status.STRUCTURAL_ZERO),
        None,
        row,
    )


def _amount(amounts: Amounts | None, row: int, unit: Fraction) -> Fraction | None:
    units = None if amounts is None else amounts.get(row)
    return None if units is None else units * unit
