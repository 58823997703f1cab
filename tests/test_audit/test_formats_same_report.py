"""One table through every format that can hold it: the same report, byte for byte but for names of files."""

import json
from dataclasses import replace
from pathlib import Path

import polars
import pytest

from tableseal.audit.execution.writing import write_whole
from tableseal.audit.io import read_release, release_files, release_from_document
from tableseal.audit.io.formats.registry import ENDINGS as FORMAT_ENDINGS
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tableseal.audit.report import report_json

CELLS = {
    "region": ["North"] * 3 + ["South"] * 3 + ["Total"] * 3,
    "sex": ["F", "M", "Total"] * 3,
    "value": [12, None, None, 30, None, None, 42, 38, 80],
    "status": ["", "withheld", "withheld", "", "withheld", "withheld", "", "", ""],
}


def told(release: Release) -> str:
    """The report but for names of files and what was assumed of them."""
    # Whether totals were inferred, and so whether the verdict has that reservation, is what was assumed.
    table = replace(release.tables[0], name="t")
    report = json.loads(report_json(audit(replace(release, title="", tables=(table,))).report))
    for key in ("notes", "release", "release_sha256", "inputs", "digests", "called"):
        report.pop(key, None)
    return json.dumps(report)


OF_PROBLEMS = (".jj", ".cells.csv")
"""Formats of numbered cells: another release, whose cells have other names."""
SEARCHED = (".tab", ".sdctable.json")
"""Formats without a letter for what is withheld without a reason."""
ENDINGS = (".csv", ".yaml", ".json", *(ending for ending in FORMAT_ENDINGS if ending not in OF_PROBLEMS))


def release() -> Release:
    """A table that every format holds."""
    codes = {"region": ["North", "South"], "sex": ["F", "M"]}
    variables = {name: {"total": "Total", "codes": each} for name, each in codes.items()}
    tables = [{"name": "t", "cells": CELLS}]
    return release_from_document({"tableseal": 1, "kind": "count", "variables": variables, "tables": tables})


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_report(ending: str, tmp_path: Path) -> None:
    # CONVENTION 779
    path = tmp_path / f"t{ending}"
    for name, content in release_files(release(), path).items():
        write_whole(name, content)
    found = read_release(path, status_map={"U": "withheld", "u": "withheld"} if ending in SEARCHED else None)
    assert told(found) == told(release())


def test_the_same_report_through_parquet(tmp_path: Path) -> None:
    # CONVENTION 781
    # CONVENTION 779
    path = tmp_path / "t.parquet"
    polars.DataFrame(CELLS).write_parquet(path)
    assert told(read_release(path)) == told(release())
