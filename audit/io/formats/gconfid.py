"""Tables of G-Confid (Statistics Canada), as two CSV files: NAME.cells.csv and NAME.constraints.csv.

Cells: CellId, TotalNoise (the value), Sensitivity (above 0: sensitive; how much must stay open), Status (P to be
published, S sensitive, X withheld, V any other), OutStatus of a pattern that was found (P published, X withheld),
Type (C cell, A aggregate, which is never published). Constraints: ConstraintId, CellId, Coefficient (-1 the total, 1 a
part).

Source: the package gconfid 2.0.4 (`suppression/suppressschema.py`, `auditing/auditschema.py`). It passes over other
columns; ours hold what it has no place for (costs, limits, distances below and above), and are read again.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.jj import JJ
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.numbers import decimal, decimal_text, places
from tableseal.audit.io.sources import read_columns
from tableseal.audit.model import Note, Release
from tableseal.audit.wording import listing, quoted

CELLS, CONSTRAINTS = ".cells.csv", ".constraints.csv"
_LETTERS: Final[Mapping[str, str]] = {"s": "V", "u": "S", "z": "P", "m": "X"}
"""Status of a JJ cell -> Status."""
_KNOWN: Final = ("CellId", "Type", "Status", "OutStatus", "TotalNoise", "Sensitivity", "NetVariation")
_OWN: Final[Mapping[str, str]] = {
    "Cost": "cost",
    "LowerLimit": "lower",
    "UpperLimit": "upper",
    "LowerProtection": "below",
    "UpperProtection": "above",
    "SlidingProtection": "width",
}
"""Our columns -> what they hold in the release."""
_CODE: Final = "Cell"
_NONE = Fraction(0)


@dataclass(frozen=True)
class _Cells:
    """Rows of the cell table. named: our name of a column -> its own. numbers: -> of each row (None: empty)."""

    columns: Columns
    named: Mapping[str, str]
    numbers: Mapping[str, Sequence[Fraction | None]]
    ids: Mapping[str, int]

    def text(self, name: str, row: int) -> str:
        """An entry, in capitals; empty if there is no such column."""
        if name not in self.named:
            return ""
        return (self.columns.data[self.named[name]][row] or "").strip().upper()

    def number(self, name: str, row: int) -> Fraction | None:
        """An entry; None if there is none."""
        return self.numbers[name][row] if name in self.numbers else None

    def place(self, row: int, name: str) -> Place:
        """Of an entry."""
        return self.columns.place(row, self.named.get(name))


def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
    """The release of a cell table and of the constraint table beside it: cells are codes of one variable, constraints
    links.

    Raises
    ------
    InputError: no constraint table, missing columns, entries that are none, cells that are sensitive and published,
        constraints without one total or with cells that are not there.
    """
    cells = _cells(folder, name)
    notes = [column for column in cells.columns.data if column not in cells.named.values()]
    if notes:
        text = f"{name}: columns that say nothing here: {listing(notes)}."
        folder.notes.append(Note("gconfid_columns", text, len(notes)))
    codes = _codes(cells)
    links = _links(folder, _constraints_of(folder, name), cells, codes)
    rows = range(len(codes))
    values = [cells.number("TotalNoise", row) for row in rows]
    digits = max((places(value) or 0 for value in values if value is not None), default=0)
    data: dict[str, list[str | None]] = {
        "cell": list(codes),
        "value": [None if value is None else decimal_text(value) for value in values],
        "status": [_status(cells, row, letters) for row in rows],
    }
    table: dict[str, Any] = {"name": name, "status": "status", "decimal": "."}
    for own, key in _OWN.items():
        if own in cells.numbers:
            data[key] = [None if n is None else decimal_text(n) for n in cells.numbers[own]]
    if "below" not in data and "Sensitivity" in cells.numbers:
        needed = [n if n is not None and n > 0 else None for n in cells.numbers["Sensitivity"]]
        data["below"] = data["above"] = [None if n is None else decimal_text(n) for n in needed]
    table |= {key: key for key in ("cost", "lower", "upper") if key in data}
    sides = {"lower": "below", "upper": "above", "sliding": "width"}
    protection = {side: key for side, key in sides.items() if key in data}
    if protection:
        table["protection"] = protection
    found = Columns.of(Place(name), data)
    table["cells"] = Columns(found.source, found.data, cells.columns.lines)
    negative = any(n is not None and n < 0 for n in (*values, *cells.numbers.get("LowerLimit", ())))
    return {
        "tableseal": "1",
        "title": name,
        "kind": "magnitude",
        "unit": decimal_text(Fraction(1, 10**digits)),
        "variables": {"cell": {"codes": list(codes)}},
        "tables": [table],
        "links": links,
        "intruder": {"nonnegative": not negative, "insiders": []},
    }


def write(release: Release, name: str) -> dict[str, bytes]:
    """The cell table of a release, and beside it its constraint table. Cells are numbered from 1.

    Raises
    ------
    InputError: as `jj_write.jj_of`; a relation that is no sum of cells.
    """
    from tableseal.audit.io.argus.jj_write import jj_of  # late: reading needs none of it

    problem = jj_of(release)
    (variable,) = release.variables.values()
    unit = release.measures[release.tables[0].measure].unit
    return {
        constraints_name(name): _constraint_text(problem).encode(),
        name: _cell_text(problem, variable.codes, unit).encode(),
    }


def companions(release: Release, name: str) -> tuple[str, ...]:
    """The constraint table."""
    return (constraints_name(name),)


def constraints_name(name: str) -> str:
    """Of the constraint table that goes with a cell table."""
    path = PurePath(name)
    lower = path.name.lower()
    for cells, constraints in ((CELLS, CONSTRAINTS), ("cells", "constraints"), ("cell", "constraint")):
        if cells in lower:
            at = lower.rindex(cells)
            return str(path.with_name(path.name[:at] + constraints + path.name[at + len(cells) :]))
    return str(path.with_name(f"{path.stem}_constraints{path.suffix}"))


def _cell_text(problem: JJ, codes: Sequence[str], unit: Fraction) -> str:
    rows: list[list[str]] = [["CellId", "Type", "TotalNoise", "Sensitivity", "Status", *_OWN, _CODE]]
    for number, (cell, code) in enumerate(zip(problem.cells, codes, strict=True), start=1):
        sides = (cell.below, cell.above, cell.width)
        needed = max(*sides, unit) if cell.status == "u" else _NONE
        extra = (cell.cost, cell.lower, cell.upper, *sides)
        said = [decimal_text(cell.value), decimal_text(needed), _LETTERS[cell.status]]
        rows.append([str(number), "C", *said, *map(decimal_text, extra), code])
    return _csv(rows)


def _constraint_text(problem: JJ) -> str:
    rows: list[list[str]] = [["ConstraintId", "CellId", "Coefficient"]]
    for number, relation in enumerate(problem.relations, start=1):
        signs = [coefficient for _, coefficient in relation.terms]
        turned = -1 if signs.count(1) == 1 and signs.count(-1) > 1 else 1
        if relation.total or sorted(turned * s for s in signs) != [-1, *[1] * (len(signs) - 1)] or len(signs) < 2:
            text = "an equation of the release is no sum of cells, and constraints of G-Confid are nothing else."
            raise InputError(text)
        rows += [[str(number), str(cell + 1), str(turned * coefficient)] for cell, coefficient in relation.terms]
    return _csv(rows)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cells(folder: Folder, name: str) -> _Cells:
    columns = read_columns(folder, name, Place(name))
    named = _named(columns, (*_KNOWN, *_OWN, _CODE))
    for wanted in ("CellId", "TotalNoise"):
        if wanted not in named:
            columns.column(wanted, "the number of each cell" if wanted == "CellId" else "the values")
    numeric = [key for key in ("TotalNoise", "Sensitivity", *_OWN) if key in named]
    numbers = {key: _numbers(columns, named[key]) for key in numeric}
    ids: dict[str, int] = {}
    for row in range(len(columns)):
        number = _id(columns, named["CellId"], row)
        if ids.setdefault(number, row) != row:
            place = columns.place(row, named["CellId"])
            raise InputError(f"cell {number} is there twice (row {ids[number] + 1}).", at=place)
    return _Cells(columns, named, numbers, ids)


def _named(columns: Columns, known: Sequence[str]) -> dict[str, str]:
    """Our name -> the column, in any letter case."""
    spelled = {own.casefold(): own for own in known}
    found: dict[str, str] = {}
    for column in columns.data:
        own = spelled.get(column.strip().casefold())
        if own is not None and found.setdefault(own, column) != column:
            raise InputError(f"two columns are called {own}: {quoted(found[own])} and {quoted(column)}.",
                             at=columns.source)  # fmt: skip
    return found


def _numbers(columns: Columns, column: str) -> list[Fraction | None]:
    found: list[Fraction | None] = []
    for row, entry in enumerate(columns.data[column]):
        text = (entry or "").strip()
        try:
            found.append(None if text in ("", ".") else decimal(text))
        except ValueError:
            raise InputError(expected="a number", at=columns.place(row, column)) from None
    return found


def _id(columns: Columns, column: str, row: int) -> str:
    """A positive whole number, also written as 1.0."""
    text = (columns.data[column][row] or "").strip()
    try:
        number = decimal(text)
    except ValueError:
        number = _NONE
    if number < 1 or number.denominator != 1:
        raise InputError(found=quoted(text), expected="a positive whole number", at=columns.place(row, column))
    return str(int(number))


def _codes(cells: _Cells) -> list[str]:
    """Of the cells: our own, or their numbers."""
    if _CODE not in cells.named:
        return list(cells.ids)
    codes = [entry or "" for entry in cells.columns.data[cells.named[_CODE]]]
    seen: set[str] = set()
    for row, code in enumerate(codes):
        if not code or code in seen:
            problem = "is empty, expected the name of the cell" if not code else f"{quoted(code)} is there twice"
            raise InputError(f"{problem}.", at=cells.place(row, _CODE))
        seen.add(code)
    return codes


def _status(cells: _Cells, row: int, letters: Letters) -> str:
    """In words. What the user says of a letter goes before what it means here."""
    out, given, kind = (cells.text(name, row) for name in ("OutStatus", "Status", "Type"))
    for name, letter, allowed in (("OutStatus", out, "PX"), ("Status", given, "PSXV"), ("Type", kind, "CA")):
        if name in cells.named and letter not in letters and (len(letter) != 1 or letter not in allowed):
            expected = listing(allowed)
            raise InputError(found=quoted(letter), expected=f"one of {expected}", at=cells.place(row, name))
    said = out or given
    if said in letters:
        return letters[said]
    if not said:
        text = "has neither Status nor OutStatus, which say what is withheld."
        raise InputError(text, at=cells.columns.source)
    sensitivity = cells.number("Sensitivity", row)
    sensitive = given == "S" if sensitivity is None else sensitivity > 0
    if kind == "A":
        return "primary" if sensitive else "missing"
    if sensitive and said == "P":
        raise InputError(
            "the cell is sensitive and published (P).", at=cells.place(row, "OutStatus" if out else "Status")
        )
    if sensitive:
        return "primary"
    if said == "X":
        return "secondary" if "Sensitivity" in cells.named or "Status" in cells.named else "withheld"
    return "must_publish" if said == "P" and not out else "published"


def _constraints_of(folder: Folder, name: str) -> str:
    found = constraints_name(name)
    if not folder.beginning(found, 1):
        text = f"there is no constraint table {quoted(found)} beside {quoted(name)}"
        raise InputError(f"{text} (columns ConstraintId, CellId, Coefficient).", at=Place(name))
    return found


def _links(folder: Folder, name: str, cells: _Cells, codes: Sequence[str]) -> list[dict[str, Any]]:
    columns = read_columns(folder, name, Place(name))
    named = _named(columns, ("ConstraintId", "CellId", "Coefficient"))
    for wanted in ("ConstraintId", "CellId", "Coefficient"):
        if wanted not in named:
            columns.column(wanted, "constraints")
    terms: dict[str, dict[str, int]] = {}
    first: dict[str, int] = {}
    for row in range(len(columns)):
        number, cell = (_id(columns, named[key], row) for key in ("ConstraintId", "CellId"))
        if cell not in cells.ids:
            text = f"there is no cell {cell} in {quoted(cells.columns.source.source)}."
            raise InputError(text, at=columns.place(row, named["CellId"]))
        text = (columns.data[named["Coefficient"]][row] or "").strip()
        if text not in ("1", "-1", "1.0", "-1.0", "+1"):
            place = columns.place(row, named["Coefficient"])
            raise InputError(found=quoted(text), expected="1 (a part) or -1 (the total)", at=place)
        own = terms.setdefault(number, {})
        first.setdefault(number, row)
        code = codes[cells.ids[cell]]
        if code in own:
            raise InputError(f"constraint {number} has cell {cell} twice.", at=columns.place(row, named["CellId"]))
        own[code] = -1 if text.startswith("-") else 1
    for number, own in terms.items():
        totals = sum(sign < 0 for sign in own.values())
        if totals != 1 or len(own) < 2:
            text = f"constraint {number} has {totals} totals (-1) and {len(own) - totals} parts; expected one total."
            raise InputError(text, at=columns.place(first[number], named["ConstraintId"]))
    return [
        {"terms": [[sign, {"cell": code}] for code, sign in own.items()], "lower": "0", "upper": "0"}
        for own in terms.values()
    ]
