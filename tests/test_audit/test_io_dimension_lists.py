"""Dimension lists of sdcTable and sdcHierarchies."""

import json
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_json, release_from_document

CELLS = {"region": ["Total", "A", "A1", "A2", "B"], "value": [30, 18, 11, 7, 12]}


def document(region: Any) -> dict[str, Any]:
    return {"tableseal": 1, "kind": "count", "variables": {"region": region}, "tables": [{"name": "t", "cells": CELLS}]}


@pytest.mark.parametrize("header", ["levels,codes", "level,name"])
def test_a_list_is_the_tree(header: str, tmp_path: Path) -> None:
    # CONVENTION 784; the shared notes on formats (R packages): total included, in the first row
    (tmp_path / "d.csv").write_text(f"{header}\n@,Total\n@@,A\n@@@,A1\n@@@,A2\n@@,B\n")
    found = release_from_document(document({"total": "Total", "file": "d.csv"}), folder=tmp_path)
    tree = {"A": ["A1", "A2"], "B": None}
    assert canonical_json(found) == canonical_json(release_from_document(document({"total": "Total", "tree": tree})))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("@,Total\n@@@,A\n", "is at level 3"),
        ("@,Total\n1,A\n", "expected @, @@"),
        ("@,Total\n@@,\n", "expected a code"),
    ],
)
def test_lists_that_are_none(rows: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(f"levels,codes\n{rows}")
    with pytest.raises(InputError, match=said):
        release_from_document(document({"total": "Total", "file": "d.csv"}), folder=tmp_path)


def nodes(*edges: tuple[str, str]) -> str:
    return json.dumps([{"id": code, "parent": above, "text": code, "state": {"opened": True}} for above, code in edges])


def test_a_json_export_is_the_tree(tmp_path: Path) -> None:
    # CONVENTION 848: as sdcHierarchies writes it, `#` above what lies below the total
    (tmp_path / "d.json").write_text(nodes(("#", "A"), ("#", "B"), ("A", "A1"), ("A", "A2")))
    found = release_from_document(document({"total": "Total", "file": "d.json"}), folder=tmp_path)
    order = ["A", "B", "A1", "A2"]
    expected = document({"total": "Total", "tree": {"A": ["A1", "A2"], "B": None}, "codes": order})
    assert canonical_json(found) == canonical_json(release_from_document(expected))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "A"}', "holds no code list and no hierarchy"),
        ('[{"id": "A"}]', "expected a node with the texts id and parent"),
        ("[1]", "expected a node"),
        ('[{"id": "A", "parent": "#"', "d.json"),
    ],
)
def test_exports_that_are_none(text: str, said: str, tmp_path: Path) -> None:
    # CONVENTION 848
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(InputError, match=said):
        release_from_document(document({"total": "Total", "file": "d.json"}), folder=tmp_path)
