"""A manifest: which releases to audit, and how, as YAML, JSON or a CSV table."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from pydantic import Field

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.delimited import read_delimited
from tableseal.audit.io.document_types import Model, Positive, Text, validate
from tableseal.audit.io.files import decode, refuse_outside
from tableseal.audit.io.sources import TEXT_FORMATS
from tableseal.audit.io.yaml_text import Document, parse_document
from tableseal.audit.pipeline import Bounds
from tableseal.audit.wording import quoted


class EntryDocument(Model):
    """One release: its file, and what goes before the options of the batch."""

    file: Text = Field(description="release file or bare data file, relative to the manifest")
    policy: Text | None = Field(default=None, description="policy file, relative to the manifest")
    bounds: Bounds | None = None
    time_limit: Positive | None = Field(default=None, description="seconds")


class ManifestDocument(Model):
    """The releases of a batch."""

    releases: list[EntryDocument] = Field(min_length=1)


@dataclass(frozen=True)
class Listed:
    """One release of a batch: its file, and what goes before the options of the batch (None: nothing).

    policy: name of a policy file. time_limit: seconds.
    """

    name: str
    policy: str | None = None
    bounds: Bounds | None = None
    time_limit: float | None = None


def read_manifest(content: bytes, source: str) -> list[Listed]:
    """The entries of a manifest; a CSV table has a column `file` and any of `policy`, `bounds`, `time_limit`.

    Raises
    ------
    InputError: not a manifest, unknown keys or columns, a path that leads out of its folder, a file listed twice.
    """
    text, _ = decode(content, source)
    entries: dict[str, Listed] = {}
    for number, document in enumerate(validate(ManifestDocument, _document(text, source), Place(source)).releases):
        where = Place(source, ("releases", number, "file"))
        refuse_outside(document.file, where)
        name = str(PurePosixPath(document.file))
        if name in entries:
            raise InputError(f"{quoted(name)} is listed twice.", at=where)
        limit = None if document.time_limit is None else float(document.time_limit)
        entries[name] = Listed(name, document.policy, document.bounds, limit)
    return list(entries.values())


def _document(text: str, source: str) -> Document:
    if source.lower().endswith(TEXT_FORMATS):
        columns = read_delimited(text, source)
        rows = zip(*columns.data.values(), strict=True)
        return {"releases": [{k: v for k, v in zip(columns.data, row, strict=True) if v} for row in rows]}
    document = parse_document(text, source, json_only=source.lower().endswith(".json"))
    if isinstance(document, dict) and "tableseal" in document:
        raise InputError(
            "is a release, expected a folder, a zip archive or a manifest (`releases: [{file: ...}]`); one release is "
            "audited with `tableseal audit`.",
            at=source,
        )
    return document
