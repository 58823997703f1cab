"""Documents in Python may have DataFrames for columns: the same answers as from lists."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tableseal as ts
from tableseal.audit.io import release_digest

RECORDS: dict[str, list[Any]] = {
    "region": ["N", "S", "S", "S", "W", "W", "W", None],
    "firm": [1, 2, 3, 4, 5, 6, 7, 8],
    "sales": [10, 7, None, 9, 3, 4, 5, 2],
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def plan_of(cells: Any) -> dict[str, Any]:
    return {
        "tableseal-plan": 1,
        "measures": {"firms": {"kind": "count"}},
        "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
        "tables": [{"name": "firms", "measure": "firms", "by": ["region"]}],
        "microdata": {"cells": cells, "id": "firm"},
        "policy": {"primary": [{"threshold": 2}]},
    }


@pytest.mark.parametrize("kind", KINDS)
def test_records_of_a_plan(kind: str, tmp_path: Path) -> None:
    whole = {name: column[:-1] for name, column in RECORDS.items() if name != "sales"}
    expected = ts.publish(plan_of(whole), folder=tmp_path / "lists")
    found = ts.publish(plan_of(KINDS[kind](whole)), folder=tmp_path / "frame")
    assert found.verdict == expected.verdict == "safe"
    assert [one.sha256 for one in found.clusters] == [one.sha256 for one in expected.clusters]
    assert (tmp_path / "frame" / "public" / "firms_firms.csv").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_a_release(kind: str) -> None:
    """A missing value makes floats of whole numbers, and stays one."""
    cells = {"region": ["N", "S", "W", "T"], "value": [None, 8, None, 20], "true": [2, 8, 10, 20]}

    def release(cells: Any) -> dict[str, Any]:
        return {
            "tableseal": 1,
            "kind": "count",
            "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
            "tables": [{"name": "t", "cells": cells, "truth": "true"}],
        }

    assert release_digest(ts.read(release(KINDS[kind](cells)))) == release_digest(ts.read(release(cells)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_wrong_with_a_frame_is_said(kind: str, tmp_path: Path) -> None:
    found = ts.publish(plan_of(KINDS[kind](RECORDS)), folder=tmp_path / "out")
    assert found.verdict == "failed"
    assert found.clusters[0].failure is not None
    assert "row 8" in found.clusters[0].failure.message
