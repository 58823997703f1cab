"""The ledger in the database of a service, or of the command alone."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tableseal.api.jobs.kinds import OutdatedError
from tableseal.api.jobs.ledger import before_document, enter, entry_document
from tableseal.audit.publications import Entry, Publication, publication_from_document

if TYPE_CHECKING:
    from tableseal.api.store.engine import Store


@dataclass
class KeptLedger:
    """What an owner published under a name. by: through whom it is published. version: that was looked at."""

    store: "Store"
    owner: str
    name: str
    by: str
    version: int = 0

    def before(self) -> Publication:
        """All of it, as it is now."""
        with self.store.reading() as connection:
            given = json.loads(before_document(connection, self.owner, self.name).read())
        self.version = given["version"]
        return publication_from_document(given["publication"])

    def append(self, entry: Entry) -> bool:
        """Add an entry. False: it has changed since `before` was asked, and nothing is added."""
        try:
            with self.store.writing() as connection:
                enter(connection, self.owner, self.name, self.by, entry_document(self.version, entry))
        except OutdatedError:
            return False
        return True
