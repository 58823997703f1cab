"""CSV files with metadata of the W3C beside them (CSV on the Web): NAME.csv and NAME.csv-metadata.json.

The metadata file is named. One of ours has the release document in its `notes`; of any other what it says of its table
is used (delimiter, header, types of columns, decimal sign, title), and the rest is inferred as from a bare table.

Source: W3C Recommendation "Metadata Vocabulary for Tabular Data", 17 December 2015.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import PurePath
from typing import Any, Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.canonical import canonical_document
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.delimited import read_delimited, read_rows
from tableseal.audit.io.files import Folder, note_open_end
from tableseal.audit.io.formats.format import Letters
from tableseal.audit.io.formats.said import letters_meaning
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.init import describe
from tableseal.audit.io.statuses.flags import named_like_flags
from tableseal.audit.io.yaml_text import parse_document
from tableseal.audit.model import Release
from tableseal.audit.wording import listing, quoted

CONTEXT: Final = "http://www.w3.org/ns/csvw"
ENDING: Final = ".csv-metadata.json"
OWN: Final = "tableseal"
"""Key of the release document in `notes`."""

_NUMBERS: Final = frozenset(
    (
        *("number", "double", "float", "decimal", "integer", "long", "int", "short", "byte", "nonNegativeInteger"),
        *("positiveInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
        *("nonPositiveInteger", "negativeInteger"),
    )
)
_WHOLE: Final = "integer"


@dataclass(frozen=True)
class _Column:
    """What the metadata say of a column. titles: how the header may call it; decimal: sign, if it is said."""

    titles: tuple[str, ...]
    number: bool
    typed: bool
    decimal: str | None


def read(folder: Folder, name: str, letters: Letters) -> dict[str, Any]:
    """The release that a metadata file describes.

    Raises
    ------
    InputError: no metadata of a table, a file that is not there or does not fit them; several tables of others.
    """
    top = Place(name)
    document = parse_document(folder.text(name, top), name, json_only=True)
    if not isinstance(document, Mapping):
        raise InputError(expected="an object with @context", at=top)
    tables = _tables(document, top)
    own = _own(document)
    if own is not None:
        return _of_own(own, tables, folder, name, letters)
    if len(tables) > 1:
        text = f"describes {len(tables)} tables; say in a release file what each of them holds."
        raise InputError(text, at=top / "tables")
    return _of_other(document, tables[0], folder, name, letters)


def _tables(document: Mapping[str, Any], top: Place) -> list[Mapping[str, Any]]:
    """Of a group of tables, or the only one."""
    tables = document.get("tables", [document])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, Mapping) for table in tables):
        raise InputError(expected="a list of tables", at=top / "tables")
    return tables


def write(release: Release, name: str) -> dict[str, bytes]:
    """A CSV file for each table, and the metadata last."""
    document = canonical_document(release)
    files: dict[str, bytes] = {}
    tables = []
    for url, table in zip(companions(release, name), document["tables"], strict=True):
        cells = table.pop("cells")
        table.pop("derived", None)
        files[url] = _csv_text(cells)
        table["rows"] = len(next(iter(cells.values())))
        columns = [{"titles": title, "datatype": _datatype(entries)} for title, entries in cells.items()]
        tables.append({"url": url, "tableSchema": {"columns": columns}})
    whole: dict[str, Any] = {"@context": CONTEXT}
    if release.title:
        whole["dc:title"] = release.title
    whole |= {"tables": tables} if len(tables) > 1 else tables[0]
    whole["notes"] = [{OWN: document}]
    return files | {name: (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()}


def companions(release: Release, name: str) -> tuple[str, ...]:
    """The CSV file of each table."""
    stem = name[: -len(ENDING)] if name.lower().endswith(ENDING) else PurePath(name).stem
    several = len(release.tables) > 1
    return tuple(f"{stem}_{at}.csv" if several else f"{stem}.csv" for at in range(1, len(release.tables) + 1))


def _datatype(entries: Sequence[Any]) -> str:
    return _WHOLE if all(entry is None or isinstance(entry, int) for entry in entries) else "string"


def _csv_text(cells: Mapping[str, Sequence[Any]]) -> bytes:
    text = StringIO()
    writer = csv.writer(text)  # lines end as RFC 4180 says
    writer.writerow(cells)
    writer.writerows(["" if v is None else v for v in row] for row in zip(*cells.values(), strict=True))
    return text.getvalue().encode()


def _own(document: Mapping[str, Any]) -> dict[str, Any] | None:
    notes = document.get("notes")
    for note in notes if isinstance(notes, list) else []:
        if isinstance(note, Mapping) and isinstance(note.get(OWN), Mapping):
            return dict(note[OWN])
    return None


def _of_own(
    own: dict[str, Any], tables: Sequence[Mapping[str, Any]], folder: Folder, name: str, letters: Letters
) -> dict[str, Any]:
    entries = own.get("tables")
    if not isinstance(entries, list) or len(entries) != len(tables):
        raise InputError(f"its notes describe other tables than the {len(tables)} that it names.", at=Place(name))
    found = []
    for at, (entry, table) in enumerate(zip(entries, tables, strict=True)):
        if not isinstance(entry, Mapping):
            raise InputError(expected="a table", at=Place(name) / "notes" / at)
        file = _url(table, Place(name))
        filled = dict(entry) | {"cells": read_delimited(folder.text(file, Place(name)), file, delimiter=",")}
        if letters and isinstance(entry.get("status"), str):
            filled["status"] = {"column": entry["status"], "map": letters_meaning(letters)}
        found.append(filled)
    return own | {"tables": found}


def _of_other(
    document: Mapping[str, Any], table: Mapping[str, Any], folder: Folder, name: str, letters: Letters
) -> dict[str, Any]:
    top = Place(name)
    file = _url(table, top)
    dialect = table.get("dialect", document.get("dialect", {}))
    if not isinstance(dialect, Mapping):
        raise InputError(expected="an object", at=top / "dialect")
    schema = table.get("tableSchema", document.get("tableSchema", {}))
    described = _columns(schema, top / "tableSchema")
    text = folder.text(file, top)
    note_open_end(text, file, folder.notes)
    columns = _read(text, file, dialect, described, top)
    said = dict(zip(columns.data, described, strict=False))
    numbers = [title for title, column in said.items() if column.number]
    hints: dict[str, Any] = {"table": {"value": numbers[0]} if len(numbers) == 1 else {}}
    if said and all(column.typed for column in said.values()):
        hints["variables"] = [t for t, column in said.items() if not column.number and not named_like_flags(t)]
    signs = {column.decimal for column in said.values() if column.decimal}
    if len(signs) == 1:
        hints["table"]["decimal"] = signs.pop()
    title = next((document[k] for k in ("dc:title", "dcterms:title") if isinstance(document.get(k), str)), "")
    status_map = letters_meaning(letters)
    found, notes = describe(columns, {"name": PurePath(file).stem}, title, Hints(**hints), status_map=status_map)
    found["tables"][0]["cells"] = columns
    folder.notes.extend(notes)
    return found


def _read(text: str, file: str, dialect: Mapping[str, Any], described: Sequence[_Column], where: Place) -> Columns:
    """The columns of a file, whose header is one of the titles of each column."""
    delimiter = dialect.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise InputError(expected="one character", at=where / "dialect" / "delimiter")
    if str(dialect.get("header", "true")).lower() == "false":
        rows, _ = read_rows(text, file, limit=1)
        if len(rows[0]) != len(described):
            found = f"{len(rows[0])} columns in {quoted(file)}"
            raise InputError(found=found, expected=f"{len(described)}, as the schema has", at=where / "tableSchema")
        heading = StringIO()
        csv.writer(heading, delimiter=delimiter, lineterminator="\n").writerow([c.titles[0] for c in described])
        text = heading.getvalue() + text
        columns = read_delimited(text, file, delimiter=delimiter)
        return Columns(columns.source, columns.data, None if columns.lines is None else columns.lines - 1)
    columns = read_delimited(text, file, delimiter=delimiter)
    titles = list(columns.data)
    for at, (title, column) in enumerate(zip(titles, described, strict=False)):
        if title not in column.titles:
            expected = listing(map(quoted, column.titles))
            raise InputError(found=quoted(title), expected=expected, at=Place(file, line=1, column=at + 1))
    if described and len(described) != len(titles):
        found = f"{len(titles)} columns in {quoted(file)}"
        raise InputError(found=found, expected=f"{len(described)}, as the schema has", at=where / "tableSchema")
    return columns


def _columns(schema: object, where: Place) -> list[_Column]:
    if not isinstance(schema, Mapping):
        raise InputError("is no object (a schema in a file of its own is not read).", at=where)
    entries = schema.get("columns", [])
    if not isinstance(entries, list):
        raise InputError(expected="a list of columns", at=where / "columns")
    found = []
    for at, entry in enumerate(entries):
        place = where / "columns" / at
        if not isinstance(entry, Mapping):
            raise InputError(expected="an object", at=place)
        if str(entry.get("virtual", "false")).lower() == "true":
            continue
        titles = _titles(entry)
        if not titles:
            raise InputError("has neither titles nor a name.", at=place)
        kind = entry.get("datatype")
        whole = kind if isinstance(kind, Mapping) else {"base": kind}
        form = whole.get("format")
        decimal = form.get("decimalChar") if isinstance(form, Mapping) else None
        base = whole.get("base")
        number = isinstance(base, str) and base in _NUMBERS
        found.append(_Column(titles, number, isinstance(base, str), decimal if decimal in (".", ",") else None))
    return found


def _titles(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """All titles, of any language, and the name."""
    said = entry.get("titles")
    every = list(said.values()) if isinstance(said, Mapping) else [said]
    flat = [title for one in every for title in (one if isinstance(one, list) else [one])]
    return tuple(title for title in (*flat, entry.get("name")) if isinstance(title, str) and title)


def _url(table: Mapping[str, Any], where: Place) -> str:
    url = table.get("url")
    if not isinstance(url, str) or not url:
        raise InputError(expected="the name of a CSV file", at=where / "url")
    if "://" in url:
        raise InputError("is an address; expected a file beside the metadata.", at=where / "url", found=quoted(url))
    return url
