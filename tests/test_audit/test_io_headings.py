"""Written tables keep the names and the mark of the user's files (CONVENTION 591)."""

import csv
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_releases import Maker

from tableseal.audit.errors import InputError
from tableseal.audit.io import (
    canonical_document,
    canonical_json,
    check_symbol,
    read_release,
    release_files,
    release_from_document,
)
from tableseal.audit.model import Release, Status
from tableseal.suppression.protections.public import public_release


def written(release: Release, target: Path, symbol: str | None = None) -> Release:
    """The release after it was written and read again."""
    for path, text in release_files(release, target, symbol=symbol).items():
        path.write_text(text, encoding="utf-8")
    return read_release(target)


def renamed(document: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The same release with columns called otherwise, names of variables and of other columns among them."""
    tables = []
    for table in document["tables"]:
        cells = dict(table["cells"])
        pool = ["Persons", "status", "truth", "value", "n", "Wert in EUR", *document["variables"]]
        dice.shuffle(pool)
        fixed = {k: v for k, v in table.items() if k != "cells"}
        pool = [name for name in pool if name not in cells]
        columns: dict[str, str] = dict(fixed.get("columns", {}))
        for name in [c for c in cells if c in document["variables"]]:
            if pool and dice.random() < 0.5 and name not in columns.values():
                columns[pool[0]] = name
                cells[pool.pop(0)] = cells.pop(name)
        if pool and "value" in cells and "value" not in fixed:
            fixed["value"] = pool[0]
            cells[pool.pop(0)] = cells.pop("value")
        tables.append({**fixed, "cells": cells} | ({"columns": columns} if columns else {}))
    return {**document, "tables": tables}


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([None, "*", "x y", "c"]))
def test_names_and_marks_change_nothing_that_is_read(tmp_path_factory: Any, seed: int, symbol: str | None) -> None:
    folder = tmp_path_factory.mktemp("headings")
    release = release_from_document(renamed(Maker(random.Random(seed)).document(), random.Random(seed)))
    for public in (release, public_release(release), public_release(release, tell_statuses=True)):
        again = written(public, folder / "out.yaml", symbol)
        assert canonical_json(again) == canonical_json(release_from_document(canonical_document(public)))
        for before, after in zip(public.tables, again.tables, strict=True):
            assert before.headings is not None
            assert after.headings is not None
            assert after.headings.value == before.headings.value
            assert dict(after.headings.variables) == dict(before.headings.variables)


RELEASE: dict[str, Any] = {
    "tableseal": 1,
    "kind": "count",
    "variables": {"region": {"total": "T", "codes": ["N", "S"]}, "sex": {"codes": ["f", "m"]}},
    "tables": [
        {
            "name": "persons",
            "columns": {"Region (2026)": "region", "Sex": "sex"},
            "value": "Persons",
            "truth": "Real",
            "marks": {"<n>": "withheld"},
            "cells": {
                "Region (2026)": ["N", "S", "T", "N", "S", "T"],
                "Sex": ["f", "f", "f", "m", "m", "m"],
                "Persons": ["<n>", "<n>", "9", "1", "0", "1"],
                "Real": ["2", "7", None, None, None, None],
            },
        }
    ],
}


def rows(release: Release, target: Path, symbol: str | None = None) -> list[dict[str, str]]:
    files = release_files(release, target, symbol=symbol)
    text = next(text for path, text in files.items() if path.suffix == ".csv")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize(("symbol", "mark"), [(None, "<n>"), ("*", "*")])
def test_a_table_goes_out_as_it_came_in(tmp_path: Path, symbol: str | None, mark: str) -> None:
    release = release_from_document(RELEASE)
    found = rows(public_release(release), tmp_path / "out.yaml", symbol)
    assert [list(row) for row in found] == [["Region (2026)", "Sex", "Persons", "status"]] * 6
    assert [row["Persons"] for row in found] == [mark, mark, "9", "1", "0", "1"]
    confidential = rows(release, tmp_path / "own.yaml", symbol)
    assert [row["truth"] for row in confidential] == ["2", "7", "9", "1", "0", "1"]


def test_a_bare_file_has_only_marks_that_explain_themselves(tmp_path: Path) -> None:
    release = public_release(release_from_document(RELEASE))
    assert [row["Persons"] for row in rows(release, tmp_path / "out.csv")][:2] == ["", ""]
    assert [row["Persons"] for row in rows(release, tmp_path / "out.csv", "*")][:2] == ["*", "*"]
    again = written(release, tmp_path / "out.csv", "*").tables[0]
    assert [Status(code) for code in again.status.tolist()] == [Status.WITHHELD] * 2 + [Status.PUBLISHED] * 4


@pytest.mark.parametrize("symbol", ["", " ", "5", "1,000", "1.000,5", "nan", "1e3", "inf", "-7", " *"])
def test_a_symbol_is_no_number(tmp_path: Path, symbol: str) -> None:
    with pytest.raises(InputError, match="symbol"):
        check_symbol(symbol, tmp_path / "out.yaml")


@pytest.mark.parametrize("symbol", ["@", "..", "<5", "[x]", "-"])
def test_a_bare_file_cannot_explain_every_symbol(tmp_path: Path, symbol: str) -> None:
    check_symbol(symbol, tmp_path / "out.yaml")
    with pytest.raises(InputError, match="bare CSV file"):
        check_symbol(symbol, tmp_path / "out.csv")
