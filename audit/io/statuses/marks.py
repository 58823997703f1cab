"""Marks: texts in a value column that are no numbers (`*`, `..`, `<10`), and what the release says they mean."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.model import Amounts, Measure, Status
from tableseal.audit.wording import quoted

ZERO = "zero"
"""Word for a published zero; the other words are those of statuses that publish no value."""

Range = tuple[Fraction | None, Fraction | None]
"""From and to, ends included; None: no limit."""


@dataclass(frozen=True)
class Mark:
    """What a mark says: that there is no value, and the status that this gives the cell (None: a published zero), and
    between what the value lies."""

    status: Status | None
    range: Range = (None, None)


@dataclass(frozen=True)
class Unmarked:
    """A table whose marks are replaced by what they say: zeros, or no value with statuses and bounds."""

    columns: Columns
    status: NDArray[np.int8]
    lower: Amounts
    upper: Amounts


def read_marks(given: Mapping[str, str | Range], where: Place) -> dict[str, Mark]:
    """Mark -> what it says.

    Raises
    ------
    InputError: an empty mark, one given twice (blanks around a mark do not count), a range without ends or with its
        ends in the wrong order.
    """
    marks: dict[str, Mark] = {}
    for text, meaning in given.items():
        mark, place = text.strip(), where / "marks" / text
        if not mark:
            text = "an empty entry is no mark: it is a withheld value, or what the status says of it."
            raise InputError(text, at=where / "marks")
        if mark in marks:
            raise InputError(f"the mark {quoted(mark)} is given twice.", at=where / "marks")
        if isinstance(meaning, str):
            marks[mark] = Mark(None if meaning == ZERO else Status[meaning.upper()])
            continue
        low, high = meaning
        if low is None and high is None:
            raise InputError("found a range without ends; a value of which nothing is known is `withheld`.", at=place)
        if low is not None and high is not None and low > high:
            raise InputError("the range begins above its end, expected [from, to] such as [1, 9].", at=place)
        marks[mark] = Mark(Status.WITHHELD, meaning)
    return marks


def replace_marks(
    columns: Columns, name: str, marks: Mapping[str, Mark], status: NDArray[np.int8], measure: Measure
) -> Unmarked:
    """The table with numbers, or nothing, where its value column has marks.

    A mark says no less than the status column of its row: of two statuses the more restrictive wins, and `withheld`
    says no more than that there is no value. Ranges are known to the intruder, rounded inward to the unit.

    Parameters
    ----------
    name: the value column. status: of each row, as the status columns say.

    Raises
    ------
    InputError: there is no such column; a mark without value where the status says that the value is out, or a zero
        that everyone knows; a structural zero where the status withholds; a range without a multiple of the unit.
    """
    entries = columns.column(name, "the value")
    found = {entry: marks[entry.strip()] for entry in entries.texts if entry and entry.strip() in marks}
    nothing = Amounts.none(len(columns))
    if not found:
        return Unmarked(columns, status, nothing, nothing)
    statuses = status.tolist()
    low, high = nothing.units.copy(), nothing.units.copy()
    has_low, has_high = nothing.known.copy(), nothing.known.copy()
    bounds = {entry: _bounds(columns, name, entry, mark, measure) for entry, mark in found.items()}
    for row in entries.rows_with(found).tolist():
        entry = entries[row] or ""
        mark = found[entry]
        if mark.status is None:
            continue  # a zero is a value like any other, withheld where the status says so
        statuses[row] = _both(Status(statuses[row]), mark.status, columns, name, row)
        least, most = bounds[entry]
        low[row], has_low[row] = least or 0, least is not None
        high[row], has_high[row] = most or 0, most is not None
    said = {entry: "0" if mark.status is None else None for entry, mark in found.items()}
    plain = entries.rewritten(lambda entry: said.get(entry, entry) if entry else entry)
    return Unmarked(
        replace(columns, data={**columns.data, name: plain}),
        np.array(statuses, dtype=np.int8),
        Amounts(low, has_low),
        Amounts(high, has_high),
    )


def within(lower: Amounts, upper: Amounts, marked: Unmarked) -> tuple[Amounts, Amounts]:
    """Bounds of columns and those of marks: the closer ones."""

    def closer(one: Amounts, other: Amounts, better: np.ufunc) -> Amounts:
        units = np.where(one.known & other.known, better(one.units, other.units), one.units + other.units)
        return Amounts(units, one.known | other.known)

    return closer(lower, marked.lower, np.maximum), closer(upper, marked.upper, np.minimum)


def check_within(columns: Columns, name: str, lower: Amounts, upper: Amounts) -> None:
    """Refuse a row whose mark and columns of bounds leave no value."""
    bad = np.flatnonzero(lower.known & upper.known & (lower.units > upper.units))
    if len(bad):
        text = "the range that the mark says and the columns of bounds have no value in common."
        raise InputError(text, at=columns.place(int(bad[0]), name))


def _both(stated: Status, marked: Status, columns: Columns, name: str, row: int) -> int:
    """The status of a row whose status column says one thing and whose mark the other."""
    if stated is Status.PUBLISHED:
        return marked
    zero = Status.STRUCTURAL_ZERO in (stated, marked) and stated is not marked
    if stated.released or zero:
        found, at = quoted(columns.data[name][row]), columns.place(row, name)
        if stated.released:
            text = f"found {found}, but the status is {stated.word}; a cell that is out must have a value."
        else:
            text = f"found {found}, which is {marked.word}, but the status is {stated.word}."
        raise InputError(text, at=at, found=found)
    if stated is Status.SECONDARY and marked is Status.WITHHELD:
        return stated  # there is no value, and the status says why
    return max(stated, marked)


def _bounds(columns: Columns, name: str, entry: str, mark: Mark, measure: Measure) -> tuple[int | None, int | None]:
    """Smallest and largest multiple of the unit that the mark allows."""
    low, high = mark.range
    least = None if low is None else ceil(low / measure.unit)
    most = None if high is None else floor(high / measure.unit)
    if least is not None and most is not None and least > most:
        row = columns.column(name, "the value").first(entry)
        raise InputError(
            f"found {quoted(entry)}, between whose ends there is no multiple of the unit {decimal_text(measure.unit)}.",
            at=columns.place(row, name),
        )
    return least, most
