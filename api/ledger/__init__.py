"""What has been published under one name, and what a new release does to it. Pure: no database, no clock."""

from tableseal.api.ledger.assess import Assessment, Fallen, assess
from tableseal.api.ledger.document import (
    assessment_document,
    entry_document,
    publication_document,
    publication_from_document,
    publication_schema,
)
from tableseal.api.ledger.publication import Entry, Publication, Revision, TableName, Withdrawal, withdraw
from tableseal.api.ledger.revise import publish

__all__ = [
    "Assessment",
    "Entry",
    "Fallen",
    "Publication",
    "Revision",
    "TableName",
    "Withdrawal",
    "assess",
    "assessment_document",
    "entry_document",
    "publication_document",
    "publication_from_document",
    "publication_schema",
    "publish",
    "withdraw",
]
