"""The document of a protected release, for readers that share no code with the package."""

from typing import Any

from oracle import Document

from tableseal.audit.model import Release, Status


def as_document(document: Document, protected: Release) -> Document:
    """The document with the statuses of a protected release: values of withheld cells become the truth column."""
    tables: list[dict[str, Any]] = []
    for table, found in zip(document["tables"], protected.tables, strict=True):
        cells = dict(table["cells"])
        rows = len(cells["value"])
        statuses = [Status(s) for s in found.status[:rows].tolist()]
        cells["status"] = [s.word for s in statuses]
        cells["truth"] = list(cells["value"])
        cells["value"] = [None if s.withheld else v for s, v in zip(statuses, cells["value"], strict=True)]
        cells.pop("s", None)
        tables.append({**table, "cells": cells, "status": "status", "truth": "truth"})
    return {**document, "measures": {"n": {"kind": "count"}}, "tables": tables}
