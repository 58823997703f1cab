"""What jobs do with the ledger: what was published before comes as a file, and an entry goes back when the job ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tableseal.api.jobs.kinds import OutdatedError
from tableseal.api.store.job import Document

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tableseal.audit.publications import Entry, Publication

BEFORE = ".publication.json"
"""What was published before; no file of a request can have this name."""

ENTRY = "entry.json"
"""The entry that is made, and the version of the publication that it belongs to."""


def before_document(connection: "Connection", owner: str, name: str) -> Document:
    """The publication as it is now, with its version."""
    from tableseal.api.store.publications import publication

    kept = publication(connection, owner, name, releases=True)
    document = {"schema": "tableseal/publication/1", "name": kept.name, "entries": kept.entries}
    content = json.dumps({"version": kept.version, "publication": document}, ensure_ascii=False).encode()
    return Document(BEFORE, "application/json", content)


def entry_document(version: int, entry: "Entry") -> Document:
    """An entry that goes into the ledger if the publication still has this version then."""
    from tableseal.audit.codec.documents import document_of
    from tableseal.audit.codec.exact_json import dumps

    return Document(ENTRY, "application/json", dumps({"version": version, "entry": document_of(entry)}).encode())


def enter(connection: "Connection", owner: str, name: str, by: str, made: Document) -> Mapping[str, Any]:
    """The entry as it is kept from now on. by: through whom.

    Raises
    ------
    OutdatedError: something else was published, or withdrawn, since.
    """
    from tableseal.api.store.log import note
    from tableseal.api.store.publications import append
    from tableseal.api.store.tokens import Principal, Role

    document = json.loads(made.read())
    entry = append(connection, owner, name, document["version"], document["entry"])
    if entry is None:
        raise OutdatedError
    note(connection, Principal(owner, Role.OFFICER, by), "publication.publish", f"{name}: {entry['number']}")
    return entry


@dataclass
class HandedLedger:
    """The ledger as an attempt has it (see `api.publishing.together.Ledger`). entry: that was made; it is in the ledger
    once the job has ended."""

    version: int
    publication: "Publication"
    entry: "Entry | None" = None

    @staticmethod
    def in_folder(folder: Path) -> "HandedLedger":
        """What the database gave an attempt."""
        from tableseal.audit.publications import publication_from_document

        given = json.loads((folder / BEFORE).read_bytes())
        return HandedLedger(given["version"], publication_from_document(given["publication"]))

    def before(self) -> "Publication":
        """All that was published before."""
        return self.publication

    def append(self, entry: "Entry") -> bool:
        """Keep the entry until the job ends."""
        self.entry = entry
        return True

    @property
    def documents(self) -> tuple[Document, ...]:
        """The entry that was made, if one was."""
        return () if self.entry is None else (entry_document(self.version, self.entry),)
