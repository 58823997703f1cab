"""Files -> what a hypercube is made of: the records of a document with `microdata`, or the tables of a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from tableseal.audit.errors import InputError, Place
from tableseal.audit.hypercube.source import Recorded
from tableseal.audit.io.agency_document import MicrodataDocument
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.document import ReleaseDocument, TableDocument
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import Folder, read_bytes
from tableseal.audit.io.formats.registry import format_in
from tableseal.audit.io.hierarchies import read_hierarchy
from tableseal.audit.io.measures import read_measures
from tableseal.audit.io.microdata import read_microdata
from tableseal.audit.io.release_document import document_in
from tableseal.audit.io.release_file import read_named, read_release, release_from_document
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.tables import Setting
from tableseal.audit.io.yaml_text import Document, as_text
from tableseal.audit.model import Release


class RecordsDocument(ReleaseDocument):
    """A release document of which only the records are read: it need not have tables."""

    tables: list[TableDocument] = Field(default=[])
    microdata: MicrodataDocument


def read_source(path: Path) -> Recorded | Release:
    """The records that a release file has, or else its tables.

    Raises
    ------
    InputError: anything that cannot be read or used.
    """
    if format_in(Folder(path.parent), path.name) is not None or is_data_file(path):
        return read_release(path)
    content = read_bytes(path, source=path.name)
    document, notes = document_in(content, path.name)
    if _has_records(document):
        folder = Folder(path.parent, notes=list(notes))
        return _recorded(document, folder, Place(path.name))
    return read_named(content, path.name, path.parent)


def source_from_document(document: Mapping[str, object], folder: Path | None, source: str) -> Recorded | Release:
    """The same of a document that is at hand, as a Python mapping.

    Raises
    ------
    InputError: as for `read_source`.
    """
    parsed = as_text(document, Place(source))
    if _has_records(parsed):
        return _recorded(parsed, Folder(folder), Place(source))
    return release_from_document(document, folder=folder, source=source)


def _has_records(document: Document) -> bool:
    return isinstance(document, Mapping) and document.get("microdata") is not None


def _recorded(parsed: Any, folder: Folder, top: Place) -> Recorded:
    document = validate(RecordsDocument, parsed, top)
    measures = read_measures(document, top)
    variables = {
        name: read_hierarchy(name, variable, folder, top / "variables" / name)
        for name, variable in document.variables.items()
    }
    said = document.measures
    units = frozenset(n for n in measures if (said[n].unit if said else document.unit) is not None)
    setting = Setting(measures, units, variables, document.intruder.nonnegative, {})
    microdata, notes = read_microdata(document.microdata, setting, folder, top / "microdata")
    return Recorded(
        document.title, measures, variables, microdata, (*folder.notes, *notes), tuple(dict.fromkeys(folder.opened))
    )


def read_impossible(path: Path) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """Combinations that cannot occur, from a file with a column for each variable and a row for each combination; an
    empty entry: whatever the code.

    Raises
    ------
    InputError: it cannot be read.
    """
    columns: Columns = read_columns(Folder(path.parent), path.name, Place(path.name))
    rows = zip(*(list(entries) for entries in columns.data.values()), strict=True)
    return tuple(
        {name: (code,) for name, code in zip(columns.data, row, strict=True) if code is not None and code.strip()}
        for row in rows
    )


def refuse_differences(first: Recorded, other: Recorded, where: Place) -> None:
    """Refuse a second source of records that has other variables or measures than the first.

    Raises
    ------
    InputError
    """
    same = list(first.variables) == list(other.variables) and first.measures == other.measures
    same = same and set(first.microdata.values) == set(other.microdata.values)
    same = same and all(
        one.codes == two.codes and all((a == b).all() for a, b in zip(one.parents, two.parents, strict=False))
        for one, two in zip(first.variables.values(), other.variables.values(), strict=True)
    )
    if not same:
        raise InputError("has other variables, codes or measures than the first source.", at=where)
