"""Publications and assessments as JSON: schemas tableseal/publication/1 and tableseal/publication-audit/1."""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any, Literal

from tableseal.audit.codec.documents import document_of
from tableseal.audit.codec.exact_json import Json
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, release_digest, release_from_document
from tableseal.audit.publications.assess import Assessment, Fallen
from tableseal.audit.publications.publication import Entry, Publication, Revision, TableName, Withdrawal

PUBLICATION = "tableseal/publication/1"
ASSESSMENT = "tableseal/publication-audit/1"


def publication_document(publication: Publication, *, releases: bool = True) -> dict[str, Json]:
    """A publication as nested dicts and lists.

    releases: with the releases themselves, from which it can be read back; else their digests only.
    """
    return {
        "schema": PUBLICATION,
        "name": publication.name,
        "entries": [entry_document(entry, releases=releases) for entry in publication.entries],
    }


def publication_from_document(document: Mapping[str, Any]) -> Publication:
    """The publication that `publication_document` wrote with its releases.

    Raises
    ------
    InputError: it is something else, or a release in it has been changed.
    """
    try:
        if document["schema"] != PUBLICATION:
            raise InputError(f"publication: found the schema {document['schema']}, expected {PUBLICATION}.")
        entries = tuple(_read_entry(entry) for entry in document["entries"])
        return Publication(document["name"], entries)
    except (KeyError, TypeError) as error:
        raise InputError(f"publication: not a document of schema {PUBLICATION} ({error}).") from None


def assessment_document(found: Assessment, *, published: int | None = None) -> dict[str, Json]:
    """An assessment as nested dicts and lists; confidential as the report in it.

    published: number of the entry that the new release became; None: it was not published.
    """
    return {
        "schema": ASSESSMENT,
        "publication": found.name,
        "verdict": found.verdict,
        "called": found.called,
        "judged": found.report.judged,
        "rules": list(found.report.rules),
        "headline": found.headline,
        "published": published,
        "required_unknown": found.required_unknown,
        "supersedes": _tables(found.supersedes),
        "audited": _tables(found.audited),
        "fallen": [_fallen(cell) for cell in found.fallen],
        "older": [_fallen(cell) for cell in found.older],
        "report": document_of(found.report),
    }


def publication_schema(which: Literal["publication", "publication-audit"] = "publication") -> dict[str, object]:
    """JSON Schema (2020-12) of a publication, or of what a new release does to one."""
    text = files("tableseal.audit.publications").joinpath(f"schemas/{which}.json").read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def entry_document(entry: Entry, *, releases: bool = True) -> dict[str, Json]:
    """One entry as nested dicts and lists, as in `publication_document`."""
    gone = entry.withdrawn
    return {
        "number": entry.number,
        "title": entry.release.title,
        "sha256": release_digest(entry.release),
        "at": entry.at,
        "by": entry.by,
        "despite": entry.despite,
        "tables": [table.name for table in entry.release.tables],
        "revises": [{"entry": r.entry, "table": r.table} for r in entry.revises],
        "supersedes": _tables(entry.supersedes),
        "withdrawn": None
        if gone is None
        else {"reason": gone.reason, "by": gone.by, "was_out": gone.was_out, "at": gone.at},
        "release": canonical_document(entry.release) if releases else None,
    }


def _read_entry(document: Mapping[str, Any]) -> Entry:
    number = document["number"]
    release = release_from_document(document["release"], source=f"entry {number}")
    if release_digest(release) != document["sha256"]:
        raise InputError(f"publication: entry {number} is not the release that was published (its digest differs).")
    gone = document["withdrawn"]
    return Entry(
        number,
        release,
        tuple(Revision(r["entry"], r["table"]) for r in document["revises"]),
        tuple(TableName(t["entry"], t["table"]) for t in document["supersedes"]),
        document["at"],
        document["by"],
        document["despite"],
        None if gone is None else Withdrawal(**gone),
    )


def _tables(tables: Iterable[TableName]) -> list[Json]:
    return [{"entry": table.entry, "table": table.table} for table in tables]


def _fallen(found: Fallen) -> dict[str, Json]:
    cell = found.cell
    return {
        "measure": cell.measure,
        "cell": dict(cell.cell),
        "verdict": cell.verdict,
        "reason": cell.reason,
        "sensitive": cell.sensitive,
        "new": found.new,
        "culprits": [_tables(tables) for tables in found.culprits.sets],
        "certain": found.culprits.certain,
        "text": None if cell.reveals is None else cell.reveals.text,
    }
