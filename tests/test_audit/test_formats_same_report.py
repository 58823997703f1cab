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


ORDER = [8, 6, 7, 2, 0, 1, 5, 3, 4]
"""Rows in the order in which formats list them: totals first, the last variable fastest."""


def whole(release: Release) -> dict[str, object]:
    """All of the report but notes, which name files and say what was assumed of them."""
    named = replace(release, title="", tables=(replace(release.tables[0], name="t"),))
    report: dict[str, object] = json.loads(report_json(audit(named).report))
    report.pop("notes")
    return report


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_else_differs_where_rows_come_in_order(ending: str, tmp_path: Path) -> None:
    # CONVENTION 862: the digest of the release and what the headline says are the same, too
    cells = {name: [column[row] for row in ORDER] for name, column in CELLS.items()}
    codes = {"region": ["North", "South"], "sex": ["F", "M"]}
    absent = {"leaves": "not_released"} if ending.startswith(".sdmx") else {}  # what SDMX means, rule 684
    given = release_from_document(
        {
            "tableseal": 1,
            "kind": "count",
            "variables": {name: {"total": "Total", "codes": each} for name, each in codes.items()},
            "tables": [{"name": "t", "cells": cells, "absent": absent}],
        }
    )
    path = tmp_path / f"t{ending}"
    for name, content in release_files(given, path).items():
        write_whole(name, content)
    found = read_release(path, status_map={"U": "withheld", "u": "withheld"} if ending in SEARCHED else None)
    assert whole(found) == whole(given)


def test_the_same_report_through_parquet(tmp_path: Path) -> None:
    # CONVENTION 781
    # CONVENTION 779
    path = tmp_path / "t.parquet"
    polars.DataFrame(CELLS).write_parquet(path)
    assert told(read_release(path)) == told(release())
