"""Microdata of tau-ARGUS (.asc with its .rda) -> records, and the tables that jobs make of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.classification import Classification, classification
from tableseal.audit.io.argus.metadata import Metadata, read_metadata
from tableseal.audit.io.argus.recode import Recode
from tableseal.audit.io.argus.records import Record, read_records
from tableseal.audit.io.argus.sums import with_totals
from tableseal.audit.io.argus.table import ArgusTable, Row
from tableseal.audit.io.argus.tabular import FREQUENCY, named_variable
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.numbers import decimal, decimal_text
from tableseal.audit.model import Note
from tableseal.audit.wording import listing, quoted


@dataclass(frozen=True)
class Records:
    """Microdata as read. source: the data file."""

    metadata: Metadata
    records: tuple[Record, ...]
    source: str

    def codes(self, at: int) -> list[str]:
        """What stands in the column of a variable, without blanks at its end."""
        return [record.entries[at].rstrip() for record in self.records]

    def place(self, record: Record, at: int) -> Place:
        """Where an entry stands."""
        return Place(self.source, line=record.line, column=self.metadata.variables[at].name)

    def numbers(self, at: int, notes: list[Note]) -> list[Fraction]:
        """A column of numbers; one that is missing is 0, which is noted.

        Raises
        ------
        InputError: an entry that is no number (it is not shown).
        """
        variable = self.metadata.variables[at]
        nothing = {"", *(text.strip() for text in variable.missing)}
        found, missed = [], 0
        for record in self.records:
            text = record.entries[at].strip()
            if text in nothing:
                missed += 1
                found.append(Fraction(0))
                continue
            try:
                if "," in text and "." in text:
                    raise ValueError
                found.append(decimal(text.replace(",", ".")))
            except ValueError:
                raise InputError(expected="a number", at=self.place(record, at)) from None
        if missed:
            text = f"{self.source}: {variable.name} is missing in records, which give 0 to their cells and are counted."
            notes.append(Note("argus_missing_values", text, missed))
        return found


def read_microdata(folder: Folder, data: str, described: str, where: Place) -> Records:
    """The records in a data file, by its metadata.

    Raises
    ------
    InputError: a file that cannot be read, records that do not fit the metadata, records of a holding that do not stand
        together.
    """
    metadata = read_metadata(folder.text(described, where), described, tabular=False)
    records = Records(metadata, tuple(read_records(folder.text(data, where), metadata, data)), data)
    for at in metadata.of_role("holding"):
        seen: set[str] = set()
        last = None
        for record in records.records:
            text = record.entries[at].strip()
            if text != last and text in seen:
                raise InputError("records of one holding must stand together.", at=records.place(record, at))
            seen.add(text)
            last = text
    return records


@dataclass(frozen=True)
class Tabulated:
    """A table made of microdata. codes: variable -> code of each record; values: contribution of each record (None: the
    table counts them)."""

    table: ArgusTable
    codes: Mapping[str, Sequence[str]]
    values: Sequence[Fraction] | None


def tabulate(
    records: Records,
    variables: Sequence[str],
    response: str,
    folder: Folder,
    where: Place,
    *,
    weighted: bool,
    recodes: Mapping[str, Recode | int] | None = None,
) -> Tabulated:
    """A table with all its totals.

    Parameters
    ----------
    variables, response: names in any letter case; response <FREQ>: records are counted.
    weighted: contributions (and counts) are multiplied by the sampling weight, and cells rounded to the unit.
    recodes: variable -> recoding, or the deepest level that is shown.

    Raises
    ------
    InputError: an unknown variable or code, a response that is not numeric, no weight.
    """
    metadata = records.metadata
    positions = [named_variable(metadata, name, where) for name in variables]
    for at, name in zip(positions, variables, strict=True):
        if metadata.variables[at].role != "code":
            raise InputError(f"variable {quoted(name)} is not <RECODEABLE>.", at=where)
    counted = response.upper() == FREQUENCY
    said = {name.casefold(): recode for name, recode in (recodes or {}).items()}
    classes: dict[str, Classification] = {}
    codes: dict[str, list[str]] = {}
    shown: list[frozenset[str] | None] = []
    for at in positions:
        variable = metadata.variables[at]
        recode = said.get(variable.name.casefold())
        entries = records.codes(at)
        if isinstance(recode, Recode) and recode.groups:
            entries = [recode.new(entry) for entry in entries]
        own = classification(variable, entries, folder)
        found = [own.code(entry) if entry.strip() else None for entry in entries]
        for record, code in zip(records.records, found, strict=True):
            if code is None or code in own.groups or code == own.total:
                place = records.place(record, at)
                if code is None:
                    raise own.unknown(record.entries[at].rstrip(), place)
                raise InputError(f"{quoted(code)} is a group of codes, expected one of the finest.", at=place)
        classes[variable.name], codes[variable.name] = own, [code for code in found if code is not None]
        shown.append(None if recode is None else _shown(own, recode, where))
    notes = folder.notes
    weights = [Fraction(1)] * len(records.records)
    if weighted:
        weight = metadata.of_role("weight")
        if len(weight) != 1:
            raise InputError(f"{records.source} has {len(weight)} variables with <WEIGHT>, expected one.", at=where)
        weights = records.numbers(weight[0], notes)
    values: list[Fraction] | None = None
    name, decimals = "count", 0
    if not counted:
        at = named_variable(metadata, response, where)
        name, decimals = metadata.variables[at].name, metadata.variables[at].decimals or 0
        if metadata.variables[at].role != "response":
            raise InputError(f"variable {quoted(name)} is not <NUMERIC>.", at=where)
        values = records.numbers(at, notes)
    sums: dict[tuple[str, ...], Fraction] = {}
    for number, cell in enumerate(zip(*codes.values(), strict=True)):
        amount = weights[number] * (1 if values is None else values[number])
        sums[cell] = sums.get(cell, Fraction(0)) + amount
    unit = Fraction(1, 10**decimals)
    rows = tuple(Row(cell, floor(value / unit + Fraction(1, 2)) * unit) for cell, value in sums.items())
    table = ArgusTable(classes, name, "count" if counted else "magnitude", decimals, rows, records.source)
    return Tabulated(_cut(with_totals(table, keep_status=False), shown), codes, values)


def microdata_entry(
    records: Records,
    tables: Sequence[Tabulated],
    notes: list[Note],
    *,
    weighted: bool,
    asked: Sequence[str],
    keyed: bool = False,
) -> dict[str, Any]:
    """The `microdata` of a release document: who contributes to these tables.

    asked: codes of the request variable that ask for protection. keyed: with the keys of the records.

    Raises
    ------
    InputError: one variable with other codes in another table.
    """
    data: dict[str, Sequence[str]] = {}
    for one in tables:
        for name, codes in one.codes.items():
            if data.setdefault(name, codes) != codes:
                text = f"{quoted(name)} is recoded in one table and not in another; linked tables have one recoding."
                raise InputError(text, at=records.source)
    entry: dict[str, Any] = {"values": {}, "decimal": "."}

    def add(heading: str, column: Sequence[str]) -> str:
        data[heading] = column
        return heading

    for one in tables:
        if one.values is not None and one.table.response not in entry["values"]:
            column = [decimal_text(value) for value in one.values]
            entry["values"][one.table.response] = add(f"contribution to {one.table.response}", column)
    for at in records.metadata.of_role("holding"):
        entry["holding"] = add("of the holding", records.codes(at))
    for at in records.metadata.of_role("weight") if weighted else ():
        entry["weight"] = add("of the weight", [decimal_text(w) for w in records.numbers(at, notes)])
    for at in records.metadata.of_role("request") if asked else ():
        codes = [text.strip() for text in records.codes(at)]
        entry["request"] = add("of the request", ["1" if text in asked else "0" for text in codes])
    for at in records.metadata.of_role("record key") if keyed else ():
        entry["key"] = add("of the record key", [text.strip().replace(",", ".") for text in records.codes(at)])
    return entry | {"cells": Columns.of(Place(records.source), data)}


def request_codes(metadata: Metadata) -> tuple[str, ...]:
    """Codes of those who ask for protection."""
    return tuple(code.strip() for at in metadata.of_role("request") for code in metadata.variables[at].requests)


def _shown(own: Classification, recode: Recode | int, where: Place) -> frozenset[str] | None:
    """Codes that a recoding of a tree leaves; None: all."""
    if isinstance(recode, Recode) and recode.groups:
        return None
    depth = {code: len(own.above(code)) - 1 for code in own.codes}
    if isinstance(recode, int):
        if not own.groups:
            raise InputError(f"{quoted(own.name)} has no hierarchy that could be cut at a level.", at=where)
        return frozenset(code for code in (own.total, *own.codes) if depth.get(code, 0) <= recode)
    closed = []
    for text in recode.closed:
        code = own.code(text)
        if code is None:
            raise own.unknown(text, where)
        closed.append(code)
    below = {code for code in own.codes if any(group in own.above(code)[1:] for group in closed)}
    if not below:
        raise InputError(f"nothing lies below {listing(closed)}.", at=where)
    return frozenset((own.total, *own.codes)) - below


def _cut(table: ArgusTable, shown: Sequence[frozenset[str] | None]) -> ArgusTable:
    rows = tuple(
        row
        for row in table.rows
        if all(codes is None or code in codes for code, codes in zip(row.codes, shown, strict=True))
    )
    return ArgusTable(table.variables, table.response, table.kind, table.decimals, rows, table.source)
