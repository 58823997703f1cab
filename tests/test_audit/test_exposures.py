"""Arithmetic of exposures where there is too much of it for a report."""

from typing import Any

import pytest

from tableseal.audit import exposures
from tableseal.audit.exposures import LEFT_OUT
from tableseal.audit.io import release_from_document
from tableseal.audit.language import phrase, speaking
from tableseal.audit.pipeline import audit
from tableseal.audit.report import Report

ROWS = {"a": 5, "b": 6, "c": 7, "d": 8}
"""Rows of two columns of which one is withheld: four cells that anybody computes."""


def _report(sensitive: str, *, prove: bool = False) -> Report:
    cells: dict[str, list[Any]] = {"row": [], "column": [], "value": [], "status": []}
    for row, value in {**ROWS, "T": sum(ROWS.values())}.items():
        for column, number in (("x", value), ("y", 1), ("T", value + 1)):
            hidden = column == "x" and row != "T"
            cells["row"].append(row)
            cells["column"].append(column)
            cells["value"].append(number if row != "T" else sum(ROWS.values()) if column == "x" else None)
            cells["status"].append(("primary" if row == sensitive else "secondary") if hidden else "")
    keep = [at for at, value in enumerate(cells["value"]) if value is not None]
    cells = {name: [column[at] for at in keep] for name, column in cells.items()}
    variables = {"row": {"total": "T", "codes": [*ROWS]}, "column": {"total": "T", "codes": ["x", "y"]}}
    table = {"name": "t", "status": "status", "cells": cells}
    document = {"tableseal": 1, "kind": "count", "variables": variables, "tables": [table]}
    return audit(release_from_document(document), prove=prove).report


def _told(report: Report) -> list[str]:
    return [dict(cell.cell)["row"] for cell in report.cells if cell.verdict == "exposed" and cell.reveals is not None]


def test_all_is_told_where_there_is_room() -> None:
    report = _report("d")
    assert _told(report) == [*ROWS]
    assert LEFT_OUT not in {note.code for note in report.notes}


@pytest.mark.parametrize("sensitive", ["a", "c", "d"])
def test_sensitive_cells_come_first_where_there_is_too_much(sensitive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 764: whole runs of exposed cells, until there are so many terms; the rest is counted."""
    monkeypatch.setattr(exposures, "AT_ONCE", 1)
    monkeypatch.setattr(exposures, "MOST_TERMS", 3)
    report = _report(sensitive)
    first, second = sorted(ROWS, key=lambda row: (row != sensitive, row))[:2]
    assert _told(report) == sorted([first, second])
    (note,) = (note for note in report.notes if note.code == LEFT_OUT)
    assert note.count == 2
    assert {cell.verdict for cell in report.cells} == {"exposed"}
    with speaking("fr"):
        assert phrase(note.text).startswith("Les calculs de 2 cases exposées")


def test_for_a_proof_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 764: a proof rests on it."""
    monkeypatch.setattr(exposures, "AT_ONCE", 1)
    monkeypatch.setattr(exposures, "MOST_TERMS", 1)
    assert _told(_report("a", prove=True)) == [*ROWS]
