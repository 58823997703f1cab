"""The ledger in the database of a service, or of the command alone."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tableseal.api.store.log import note
from tableseal.api.store.publications import append, publication
from tableseal.api.store.tokens import Principal, Role
from tableseal.audit.codec.documents import json_of
from tableseal.audit.publications import Entry, Publication, publication_from_document

if TYPE_CHECKING:
    from tableseal.api.store.engine import Store


@dataclass
class KeptLedger:
    """What an owner published under a name."""

    store: "Store"
    owner: str
    name: str
    by: str
    version: int = 0

    def before(self) -> Publication:
        """All of it, as it is now."""
        with self.store.reading() as connection:
            kept = publication(connection, self.owner, self.name, releases=True)
        self.version = kept.version
        document = {"schema": "tableseal/publication/1", "name": kept.name, "entries": kept.entries}
        return publication_from_document(json.loads(json.dumps(document)))

    def append(self, entry: Entry) -> bool:
        """Add an entry. False: it has changed since `before` was asked, and nothing is added."""
        with self.store.writing() as connection:
            written = append(connection, self.owner, self.name, self.version, json.loads(json_of(entry)))
            if written is None:
                return False
            asking = Principal(self.owner, Role.OFFICER, self.by)
            note(connection, asking, "publication.publish", f"{self.name}: {written['number']}")
        return True
