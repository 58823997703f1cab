"""What the columns of a plain table seem to be: a proposal for a person who looks at it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from tableseal.api.drafts.advice import InTheForm
from tableseal.api.drafts.marks import Marks, Role, texts_of
from tableseal.api.jobs.on_pages import OnPages
from tableseal.audit.errors import InputError
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.init import infer_document
from tableseal.audit.io.numbers import decimal as number_in
from tableseal.audit.io.numbers import decimal_sign, decimal_text, looks_like_number
from tableseal.audit.io.records import identifiers
from tableseal.audit.io.statuses.flags import looks_like_flags, named_like_flags
from tableseal.audit.io.statuses.usual_marks import usual_mark
from tableseal.audit.io.totals import NAMES
from tableseal.audit.io.value_column import is_numeric, marks_of, may_hold_values, meaning_document
from tableseal.audit.language import words_of
from tableseal.audit.model.status import WORDS

MOST = 9
"""Decimals of a unit, at most."""

DUST = Fraction(1, 10**12)
"""A number that is nearer than this to a shorter one, relative to itself, is the shorter one written by a computer."""

_FREQUENCY = re.compile(r"n_?obs|freq|contributors|units|respondents|enterprises")
_CONTRIBUTOR = re.compile(r"^(max|largest|top|contr)|largest|_max|max_")
_TRUTH = re.compile(r"true|truth|original")
_HOLDING = re.compile(r"holding|^(enterprise_?)?group$")
_WEIGHT = re.compile(r"weight|^wgt$")
_COST = re.compile(r"cost|weight")
_VALUE = re.compile(r"value|^tot|turnover|sales|amount|count|persons|population|^n$|sum")


def guess_marks(path: Path, columns: Columns) -> tuple[Marks, str | None]:
    """A proposal, and why it is no more than that (None: the file leaves nothing open).

    Parameters
    ----------
    path: of the table; columns: what it holds.
    """
    units = identifiers(columns)
    if units:
        return _of_records(path.stem, columns, units[0]), None
    try:
        document, _ = infer_document(path, advice=InTheForm())
    except InputError as error:
        error.advised = OnPages().words
        return _by_name(path.stem, columns), str(error)
    found = _of_document(document, columns)
    (value,) = found.columns(Role.VALUE)
    return found, NO_HEADINGS if looks_like_number(value) else None


NO_HEADINGS = words_of(
    "The column of the values is called like a number: has the file a first row with the names of its columns? "
    "That row is never data."
)


def _of_records(title: str, columns: Columns, unit: str) -> Marks:
    """Microdata: what can be added up is, if its name says so; else records are counted."""
    found = _by_name(title, columns)
    value = next(
        (name for name, role in found.roles.items() if role is Role.VALUE and _VALUE.search(name.lower())), None
    )
    roles = {
        name: role if role is Role.CLASSIFICATION or name == value else Role.IGNORE
        for name, role in found.roles.items()
    }
    whose = {Role.HOLDING: _HOLDING, Role.WEIGHT: _WEIGHT}
    for role, pattern in whose.items():
        named = [name for name in columns.data if name not in (unit, value) and pattern.search(name.lower())]
        roles.update(dict.fromkeys(named[:1], role))
    unit_of = found.unit if value is not None else ""
    kind: Literal["count", "magnitude"] = "count" if value is None else "magnitude"
    changed = {"each": "record", "kind": kind, "roles": {**roles, unit: Role.IDENTIFIER}, "totals": {}, "unit": unit_of}
    return found.model_copy(update={**changed, "rules": {"threshold": "3"}})


def _of_document(document: Mapping[str, Any], columns: Columns) -> Marks:
    table = document["tables"][0]
    roles = dict.fromkeys(columns.data, Role.IGNORE)
    roles.update(dict.fromkeys(document["variables"], Role.CLASSIFICATION))
    roles[table["value"]] = Role.VALUE
    roles.update({name: Role.FREQUENCY for name in [table.get("frequency")] if name})
    roles.update(dict.fromkeys(table.get("contributors", ()), Role.CONTRIBUTOR))
    if "status" in table:
        roles[table["status"]] = Role.STATUS
    totals = {name: variable["total"] for name, variable in document["variables"].items() if "total" in variable}
    kind, unit = document["kind"], document.get("unit", "")
    threshold = _threshold(columns, table["value"])
    thousands = table.get("thousands", "")
    return Marks(
        title=document["title"],
        kind=kind,
        unit=unit,
        roles=roles,
        totals=totals,
        rules={"threshold": threshold},
        decimal=table.get("decimal", ""),
        thousands="blank" if thousands == " " else thousands,
        texts=texts_of(table.get("marks", {})),
    )


def _by_name(title: str, columns: Columns) -> Marks:
    roles = {name: _role(name, entries) for name, entries in columns.data.items()}
    numeric = [name for name, role in roles.items() if role is Role.IGNORE and may_hold_values(columns.data[name])]
    usual = [name for name in numeric if _VALUE.search(name.lower())]
    for name in (usual or numeric)[:1]:
        roles[name] = Role.VALUE
    for role in (Role.STATUS, Role.FREQUENCY, Role.TRUTH, Role.COST):
        for name in [name for name, found in roles.items() if found is role][1:]:
            roles[name] = Role.IGNORE
    value = next((name for name, role in roles.items() if role is Role.VALUE), None)
    digits = 0 if value is None else _digits(columns, value)
    totals = {}
    for name, role in roles.items():
        named = [code for code in columns.data[name].texts if code and code.strip().casefold() in NAMES]
        if role is Role.CLASSIFICATION and len(named) == 1:
            totals[name] = named[0]
    return Marks(
        title=title,
        kind="magnitude" if digits or Role.FREQUENCY in roles.values() else "count",
        unit=decimal_text(Fraction(1, 10**digits)) or "" if digits else "",
        roles=roles,
        totals=totals,
        rules={"threshold": "" if value is None else _threshold(columns, value)},
        texts="" if value is None else _texts(columns.data[value]),
    )


def _threshold(columns: Columns, value: str) -> str:
    """The usual threshold where every cell has a value to be judged by; none where some are withheld already."""
    return (
        "3" if is_numeric(columns.data[value]) and all(entry and entry.strip() for entry in columns.data[value]) else ""
    )


def _texts(entries: Column) -> str:
    """What the marks of a column usually mean; nothing yet where that is open."""
    usual = {text: usual_mark(text) for text in marks_of(entries)}
    return texts_of(
        {t: "" if m is None or m.meaning is None else meaning_document(m.meaning) for t, m in usual.items()}
    )


def _role(name: str, entries: Column) -> Role:
    lower = name.lower()
    if named_like_flags(name) and looks_like_flags(name, entries):
        return Role.STATUS
    if not may_hold_values(entries):
        words = {(entry or "").strip().lower() for entry in entries.texts}
        return Role.STATUS if words <= WORDS.keys() else Role.CLASSIFICATION
    for pattern, role in (
        (_FREQUENCY, Role.FREQUENCY),
        (_CONTRIBUTOR, Role.CONTRIBUTOR),
        (_TRUTH, Role.TRUTH),
        (_COST, Role.COST),
    ):
        if pattern.search(lower):
            return role
    return Role.IGNORE


def _digits(columns: Columns, name: str) -> int:
    """Decimals that the values need, up to what binary fractions leave behind; 0 if they cannot be read for sure."""
    entries = columns.data[name].rewritten(lambda e: e if e and looks_like_number(e.strip()) else None)
    try:
        sign = decimal_sign(replace(columns, data={name: entries}), [name], None, True, published=(name,))
    except InputError:
        return 0
    numbers = [number_in(entry.strip().replace(sign, ".")) for entry in entries.texts if entry]
    digits = 0
    for number in numbers:
        while digits < MOST and abs(number - round(number, digits)) > DUST * abs(number):
            digits += 1
    return digits
