"""Sensitive cells that a table says are zero by having no row for them."""

from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report.next_step import LIST_AS_WITHHELD, next_step
from tableseal.audit.report.no_row import CODE
from tableseal.suppression.suppress import suppress


def release(leaves: str) -> Any:
    """y, a zero, is withheld in one table, and in another one that has its code there is no row for it."""
    status = ["", "primary", "", ""]
    first = {"a": ["x", "y", "z", "T"], "value": [5, None, 4, 9], "truth": [5, 0, 4, 9], "status": status}
    second = {"a": ["x", "z"], "value": [5, 4]}
    return release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}},
            "tables": [
                {"name": "first", "cells": first, "truth": "truth", "status": "status"},
                {"name": "second", "cells": second, "absent": {"leaves": leaves}},
            ],
        }
    )


def test_it_is_said_with_what_to_write() -> None:
    # CONVENTION 637
    report = audit(release("zero")).report
    assert report.verdict == "unsafe"
    (note,) = [note for note in report.notes if note.code == CODE]
    assert note.count == 1
    assert 'a=y in table "' in note.text
    assert next_step(report) == LIST_AS_WITHHELD
    with pytest.raises(InputError, match="that has its codes has no row for it"):
        suppress(release("zero"))


def test_a_table_that_leaves_rows_out_says_nothing() -> None:
    # CONVENTION 637
    report = audit(release("not_released")).report
    assert CODE not in {note.code for note in report.notes}
    assert next_step(report) != LIST_AS_WITHHELD
