"""What has been published under one name, and what a new release does to it. Pure: no database, no clock."""

from tableseal.audit.publications.assess import Assessment, Fallen, assess
from tableseal.audit.publications.publication import (
    Entry,
    Publication,
    Revision,
    TableName,
    Withdrawal,
    publication_from_document,
    withdraw,
)
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
    "publication_from_document",
    "publish",
    "withdraw",
]
