"""The classes that a result is made of."""

from typing import Any

from tableseal.audit.codec.declared import PUBLIC, declared, is_record
from tableseal.audit.codec.kinds import Kind


def records(document: Any) -> list[type]:
    """All classes of records that a class of documents holds, itself included; none of what is written in a way of its
    own."""
    found: dict[type, None] = {}

    def look(hint: Any) -> None:
        if any(isinstance(mark, Kind) for mark in getattr(hint, "__metadata__", ())):
            return
        if is_record(hint) and hint not in found:
            found[hint] = None
            for field in declared(hint):
                look(field.hint)
        for inner in getattr(hint, "__args__", ()):
            look(inner)

    look(document)
    return list(found)


def public_fields(record: type) -> set[str]:
    """Names of the fields that a class calls public."""
    return {field.name for field in declared(record) if PUBLIC in field.marks}
