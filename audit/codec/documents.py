"""Results as JSON documents: each class that says its `schema` is one."""

from typing import Any, TypeVar, get_args

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import declared, paragraph
from tableseal.audit.codec.exact_json import Json, dumps, loads
from tableseal.audit.codec.kinds import Parts, Schema
from tableseal.audit.codec.records import described, record_kind

Record = TypeVar("Record")


def document_of(record: Any) -> dict[str, Json]:
    """A record as dicts and sequences, numbers still exact."""
    kind: Any = type(record)
    written: dict[str, Json] = record_kind(kind).write(record)  # type: ignore[misc,assignment]
    return written


def json_of(record: Any, *, indent: int | None = 1) -> str:
    """A record as JSON text: keys in the order of its class, numbers as exact decimals; what has no finite decimal
    (1/3) as the nearest float. Same record, same text, byte for byte."""
    return dumps(document_of(record), indent=indent)


def read_record(record: type[Record], document: Json, *, what: str) -> Record:
    """The record that a document was made from; equal to it where all its numbers have finite decimals.

    Raises
    ------
    InputError: a key or value that does not belong; the place is named, beginning with `what`.
    """
    kind: Any = record
    found: Record = record_kind(kind).read(At(document, what))
    return found


def record_from_json(record: type[Record], text: str, *, what: str) -> Record:
    """The same from JSON text. InputError, too: it is not JSON."""
    return read_record(record, loads(text, what=f"The {what}"), what=what)


def schema_of(document: type, *others: type) -> Schema:
    """JSON Schema (2020-12) of a class of documents, whose first sentence is the title; others: further forms of it."""
    parts: Parts = {}
    title, _, text = paragraph(document).partition(". ")
    forms = [described(form, parts) for form in (document, *others)]
    whole = {"oneOf": forms} if others else {key: value for key, value in forms[0].items() if key != "description"}
    name = next(get_args(field.hint)[0] for field in declared(document) if field.name == "schema")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": name,
        "title": title.removesuffix("."),
        **({"description": text} if text and not others else {}),
        **whole,
        **({"$defs": parts} if parts else {}),
    }
