"""SDMX-CSV files, version 1.0 (SDMX 2.1) and 2.0 (SDMX 3): a row for each observation, with flags in code lists.

Source: SDMX-CSV data message field guides (sdmx-twg/sdmx-csv): columns, labels, actions, sub-fields; code lists
CL_OBS_STATUS and CL_CONF_STATUS. An observation that has no row was not sent: nothing makes it a zero.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.column import Column
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import read_delimited
from tableseal.audit.io.files import Folder, note_open_end
from tableseal.audit.io.formats.dataset import Classification, Content, Dataset, reader
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.formats.grid import cube_of, free
from tableseal.audit.io.formats.said import Symbols, letters_meaning
from tableseal.audit.io.numbers import decimal_text, places
from tableseal.audit.io.statuses.flags import looks_like_flags
from tableseal.audit.model import COLUMNS_LEFT_OUT, Note, Release, Status
from tableseal.audit.wording import listing, quoted

VALUE = "OBS_VALUE"
TOTAL = "_T"
_SECONDARY = ("D", "S")
SCHEMES: Mapping[str, str] = {
    "OBS_STATUS": "sdmx-obs",
    "OBS_FLAG": "sdmx-obs",
    "CONF_STATUS": "sdmx-conf",
    "OBS_CONF": "sdmx-conf",
}
"""Attribute -> scheme of its flags. (OBS_CONF: the older name of CONF_STATUS, with the same letters.)"""
_CONFIDENTIALITY = frozenset(name for name, scheme in SCHEMES.items() if scheme == "sdmx-conf")

_FIRST = re.compile(r"\ufeff?\"?(DATAFLOW|STRUCTURE(?:\[(.+?)\])?)\"?([,;\t|])")
_POINT = re.compile(r"[+-]?[0-9]*[.,][0-9]+").fullmatch
_NO_COMPONENTS = frozenset(
    ("DATAFLOW", "STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION", "SERIES_KEY", "OBS_KEY", "LAST UPDATE")
)
_ATTRIBUTES = frozenset((*SCHEMES, "UNIT_MULT", "DECIMALS", "COLLECTION", "TITLE", "COMMENT_OBS", "OBS_COM", "UPDATED"))
"""Attributes that may stand before the values."""
_KNOWN = _ATTRIBUTES | {VALUE, "TIME_PERIOD"}
"""Components whose column is never the names of another one."""


def dataset(folder: Folder, name: str, letters: Letters) -> Dataset:
    """The observations in a file.

    Raises
    ------
    InputError: no column of values, several dataflows, rows to be deleted, a dimension without code, flags of a column
        that nothing explains.
    """
    text = folder.text(name, Place(name))
    first = _FIRST.match(text)
    if first is None:
        raise InputError(expected="DATAFLOW or STRUCTURE as the name of the first column", at=Place(name, line=1))
    note_open_end(text, name, folder.notes)
    columns = _components(read_delimited(text, name, delimiter=first[3]), labelled="STRUCTURE_NAME" in text[:200])
    _refuse_several(columns, "DATAFLOW" if first[1] == "DATAFLOW" else "STRUCTURE_ID")
    _refuse_deleted(columns)
    if VALUE not in columns.data:
        raise InputError(f"there is no column {VALUE}; columns found: {listing(columns.data)}.", at=columns.source)
    columns = replace(columns, data={**columns.data, VALUE: columns.data[VALUE].rewritten(_without_nan)})
    columns, statuses = _flags(columns, first[2])
    dimensions = _dimensions(columns, statuses)
    columns = _observations(columns, dimensions, statuses, folder)
    _note_not_sent(columns, dimensions, folder)
    explained = letters_meaning(letters)
    table: dict[str, Any] = {
        "value": VALUE,
        "status": [{"column": c, "scheme": SCHEMES[a], "map": explained} for c, a in statuses.items()] or "none",
        "absent": {"leaves": "not_released"},
    }
    table |= _decimal(columns.data[VALUE], first[3])
    _left_out(columns, [VALUE, *dimensions, *statuses], folder)
    content = Content(unit=_unit(columns))
    kept = {name: columns.data[name] for name in (*dimensions, VALUE, *statuses)}
    return Dataset(
        name.partition(".")[0],
        "",
        replace(columns, data=kept),
        {d: _classification(columns.data[d]) for d in dimensions},
        table,
        {"": content},
        advice=Symbols(name, {}),
    )


read = reader(dataset)


def write(release: Release, name: str) -> dict[str, bytes]:
    """The table of a release as SDMX-CSV 2.0; every observation that is not told has flags.

    Raises
    ------
    InputError: a variable with the name of another column; see `cube_of`.
    """
    structure = _structure(release)
    return {name: rows_of(release, {"STRUCTURE": "dataflow", "STRUCTURE_ID": structure, "ACTION": "I"})}


def write_first(release: Release, name: str) -> dict[str, bytes]:
    """The same as SDMX-CSV 1.0."""
    return {name: rows_of(release, {"DATAFLOW": _structure(release)})}


def _structure(release: Release) -> str:
    plain = re.sub("[^A-Za-z0-9_-]+", "_", release.tables[0].name)
    return f"TABLESEAL:{plain or 'TABLE'}(1.0)"


def rows_of(release: Release, first: Mapping[str, str]) -> bytes:
    """A row for each cell of the only table, behind columns that are the same in all rows."""
    (table,) = release.tables
    cube = cube_of(release, table)
    digits = str(places(release.measures[table.measure].unit) or 0)
    header = [*first, *cube.codes, VALUE, "OBS_STATUS", "CONF_STATUS", "DECIMALS"]
    for variable in cube.codes:
        if header.count(variable) > 1 or variable in _NO_COMPONENTS | _ATTRIBUTES or re.search(r": |[\[\]]", variable):
            problem = (
                f"the variable {quoted(variable)} would be read as something else in SDMX-CSV; give it another name."
            )
            raise InputError(problem, at=table.where)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    rows = zip(product(*cube.codes.values()), cube.status.tolist(), cube.value, cube.truth, strict=True)
    for codes, status, value, truth in rows:
        shown = value if truth is None else truth
        writer.writerow([*first.values(), *codes, shown or "", *_WRITTEN[Status(status)], digits])
    return text.getvalue().encode()


_WRITTEN: Mapping[Status, tuple[str, str]] = {
    Status.PUBLISHED: ("A", "F"),
    Status.STRUCTURAL_ZERO: ("M", "F"),
    Status.MISSING: ("O", "F"),
    Status.WITHHELD: ("Q", "C"),
    Status.SECONDARY: ("Q", "D"),
}
"""Flags of an observation: CL_OBS_STATUS, CL_CONF_STATUS. Why a cell is sensitive (A, G, O, T) is not said."""


def _components(columns: Columns, *, labelled: bool) -> Columns:
    """Columns by the IDs of their components; names that stand with them or behind them are left out."""
    data: dict[str, Column] = {}
    before: Column | None = None  # the component that this column may be the names of
    for name, entries in columns.data.items():
        identifier, found, _ = name.partition(": ")
        plain = identifier.partition("[")[0]
        if before is not None and plain not in _KNOWN and (before is not data.get(VALUE) or _same(before, entries)):
            before = None
            continue
        if identifier in data:
            raise InputError(f"the column {quoted(identifier)} is there twice.", at=columns.source)
        both = bool(found) and identifier not in ("DATAFLOW", "STRUCTURE_ID")
        data[identifier] = entries.rewritten(lambda e: e.partition(": ")[0] if e else e) if both else entries
        before = data[identifier] if labelled and plain not in _NO_COMPONENTS else None
    return replace(columns, data=data)


def _same(values: Column, others: Column) -> bool:
    """Whether a column repeats the values: these have no names of their own, and some programs repeat them."""
    return all(values.texts[a] == others.texts[b] for a, b in set(zip(*map(_numbers, (values, others)), strict=True)))


def _numbers(entries: Column) -> list[int]:
    found: list[int] = entries.number.tolist()
    return found


def _without_nan(text: str | None) -> str | None:
    """NaN says in SDMX that there is no value, as an empty entry does."""
    return "" if text is not None and text.strip().lower() == "nan" else text


def _refuse_several(columns: Columns, name: str) -> None:
    entries = columns.data.get(name)
    if entries is None:
        raise InputError(f"there is no column {name}; columns found: {listing(columns.data)}.", at=columns.source)
    if len(entries.texts) > 1:
        found = listing(text or "" for text in entries.texts)
        text = f"holds several structures ({found}), expected one"
        raise InputError(text, at=replace(columns.source, column=name), remedy="save each as a file of its own")


def _refuse_deleted(columns: Columns) -> None:
    action = columns.data.get("ACTION")
    for word in () if action is None else action.texts:
        if (word or "").strip().upper()[:1] not in ("", "I", "A", "M", "R"):
            place = columns.place(columns.data["ACTION"].first(word), "ACTION")
            expected = "I, A, M or R: observations that are (to be) published"
            raise InputError(found=quoted(word or ""), expected=expected, at=place)


def _flags(columns: Columns, separator: str | None) -> tuple[Columns, dict[str, str]]:
    """The columns with one column for each flag of an observation -> its attribute."""
    data: dict[str, Column] = {}
    found: dict[str, str] = {}
    for name, entries in columns.data.items():
        attribute, several = name.removesuffix("[]"), name.endswith("[]")
        if attribute not in SCHEMES:
            data[name] = entries
            continue
        parts = [((text or "").split(separator) if several and separator else [text or ""]) for text in entries.texts]
        for at in range(max(map(len, parts))):
            column = free(attribute if at == 0 else f"{attribute}_{at + 1}", [*data, *columns.data][: len(data)])
            each = [part[at].strip() if at < len(part) else "" for part in parts]
            data[column] = Column.of(each[number] for number in entries.number.tolist())
            found[column] = attribute
    return replace(columns, data=_reasons_first(data, found)), found


def _reasons_first(data: Mapping[str, Column], statuses: Mapping[str, str]) -> dict[str, Column]:
    """Where CONF_STATUS says that an observation is withheld to protect others, Q (suppressed) adds nothing."""
    secondary = {
        row
        for name, attribute in statuses.items()
        if attribute in _CONFIDENTIALITY
        for row in data[name].rows_with([t for t in data[name].texts if t and t.strip() in _SECONDARY]).tolist()
    }
    if not secondary:
        return dict(data)
    return {
        name: Column.of(
            "" if row in secondary and (flag or "").strip() == "Q" else flag for row, flag in enumerate(each)
        )
        if statuses.get(name, "CONF_STATUS") not in _CONFIDENTIALITY
        else each
        for name, each in data.items()
    }


def _dimensions(columns: Columns, statuses: Mapping[str, str]) -> list[str]:
    """Columns before the values (and TIME_PERIOD) that are no attributes.

    Raises
    ------
    InputError: there is none.
    """
    names = list(columns.data)
    before = names[: names.index(VALUE)]
    before += [name for name in names if name == "TIME_PERIOD" and name not in before]
    others = _NO_COMPONENTS | _ATTRIBUTES
    found = [n for n in before if n.partition("[")[0] not in others and n not in statuses]
    for name in found[found.index("TIME_PERIOD") + 1 if "TIME_PERIOD" in found[:-1] else len(found) :]:
        _refuse_flags(columns, name)  # behind the last dimension, as a rule, stand attributes
    if not found:
        text = f"no column before {VALUE} is a dimension; columns found: {listing(names)}."
        raise InputError(text, at=columns.source)
    return found


def _observations(columns: Columns, dimensions: Sequence[str], statuses: Mapping[str, str], folder: Folder) -> Columns:
    """The rows that are observations: those about part of a key only have attributes.

    Raises
    ------
    InputError: a row without a code that has a value or flags.
    """

    def nothing(name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        entries = columns.data[name]
        return entries.spread([not (text or "").strip() for text in entries.texts], np.bool_)

    lacking = np.any([nothing(name) for name in dimensions], axis=0)
    if not lacking.any():
        return columns
    empty = np.all([nothing(name) for name in (VALUE, *statuses)], axis=0)
    bad = np.flatnonzero(lacking & ~empty)
    if len(bad):
        name = next(name for name in dimensions if nothing(name)[bad[0]])
        text = "is empty, expected a code (the row has a value or flags)."
        raise InputError(text, at=columns.place(int(bad[0]), name))
    text = f"{columns.source}: rows about part of a key, without a value and flags, are passed over."
    folder.notes.append(Note("partial_keys", text, int(lacking.sum())))
    if lacking.all():
        raise InputError("has no observations.", at=columns.source)
    data = {name: entries.at(~lacking) for name, entries in columns.data.items()}
    return replace(columns, data=data, lines=None if columns.lines is None else columns.lines[~lacking])


def _note_not_sent(columns: Columns, dimensions: Sequence[str], folder: Folder) -> None:
    """Tell of combinations without a row: they were not sent, or the file is cut off."""
    lacking = prod(len(columns.data[name].texts) for name in dimensions) - len(columns)
    if lacking > 0:
        text = f"{columns.source}: combinations of codes without a row are taken as not released."
        folder.notes.append(Note("not_sent", text, lacking))


def _decimal(values: Column, separator: str) -> dict[str, str]:
    """The decimal sign: a comma only if it does not separate fields, and no number has a point."""
    texts = [text for text in values.texts if text]
    comma = separator != "," and any("," in text for text in texts) and not any("." in text for text in texts)
    return {"decimal": "," if comma else "."}


def _classification(entries: Column) -> Classification:
    """The codes that are there; `_T` is the total in all code lists of SDMX."""
    codes = [code or "" for code in entries.texts]
    return Classification(codes, TOTAL if TOTAL in codes and len(codes) > 1 else None)


def _unit(columns: Columns) -> str | None:
    """The unit of the values, where DECIMALS is the same number for all and no value has more."""
    entries = columns.data.get("DECIMALS")
    said = set() if entries is None else {(text or "").strip() for text in entries.texts}
    if len(said) != 1 or not re.fullmatch(r"[1-9]|1[0-5]", found := said.pop()):
        return None
    if any(len(re.split("[.,]", text)[-1]) > int(found) for text in columns.data[VALUE].texts if text and _POINT(text)):
        return None
    return decimal_text(Fraction(1, 10 ** int(found)))


def _left_out(columns: Columns, used: Sequence[str], folder: Folder) -> None:
    """Refuse attributes that may say which cells are withheld; tell of numbers that nobody looks at."""
    others = [name for name in columns.data if name not in used and name.partition("[")[0] not in _NO_COMPONENTS]
    for name in others:
        if name not in _ATTRIBUTES:
            _refuse_flags(columns, name)
    numbers = [name for name in others if name not in _ATTRIBUTES and _some(columns.data[name])]
    if numbers:
        text = f"{columns.source}: the attributes {listing(numbers)} are left out: nobody looked at what they say."
        folder.notes.append(Note(COLUMNS_LEFT_OUT, text, len(numbers)))


def _refuse_flags(columns: Columns, name: str) -> None:
    """Refuse a column that may say which cells are withheld."""
    if looks_like_flags(name, columns.data[name]):
        text = f"the column {quoted(name)} seems to say which cells are withheld; flags stand in {listing(SCHEMES)}"
        remedy = "rename the column if it holds flags of one of these code lists, or take it out"
        raise InputError(text, at=columns.source, remedy=remedy)


def _some(entries: Column) -> bool:
    return any(text and text.strip() for text in entries.texts)
