"""What has been published under one name, and what a new release does to it. Pure: no database, no clock."""

from tableseal.audit.publications.assess import Assessment, Fallen, assess
from tableseal.audit.publications.document import (
    assessment_document,
    entry_document,
    publication_document,
    publication_from_document,
    publication_schema,
)
from tableseal.audit.publications.publication import Entry, Publication, Revision, TableName, Withdrawal, withdraw
from tableseal.audit.publications.revise import publish

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
