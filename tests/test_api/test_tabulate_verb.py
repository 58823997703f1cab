"""`tableseal tabulate`: what it writes, and what it refuses."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from commands import run

import tableseal as ts

RELEASE: dict[str, Any] = {
    "tableseal": 1,
    "kind": "magnitude",
    "variables": {"region": {"total": "T", "codes": ["N", "S"]}},
    "tables": [{"name": "sales", "by": ["region"]}],
    "microdata": {
        "cells": {"region": ["N", "N", "S", "S"], "amount": [5, 7, 80, 3], "group": ["", "", "H", "H"]},
        "values": {"value": "amount"},
        "holding": "group",
    },
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "survey.json"
    path.write_text(json.dumps(RELEASE))
    return path


def test_tables_are_written_without_a_record(release: Path, tmp_path: Path) -> None:
    done = run("tabulate", str(release), "-o", str(tmp_path / "tables.yaml"))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader((tmp_path / "tables_sales.csv").read_text().splitlines()))
    assert [(r["region"], r["value"], r["frequency"], r["top1"], r["top2"]) for r in rows] == [
        ("T", "95", "3", "83", "7"),
        ("N", "12", "2", "7", "5"),
        ("S", "83", "1", "83", ""),
    ]
    assert "microdata" not in (tmp_path / "tables.yaml").read_text()
    assert "what a holding of several units knows" in done.stderr


def test_as_many_contributions_as_the_rules_look_at(release: Path) -> None:
    def ranks(**said: Any) -> int:
        return len(ts.tabulate(str(release), **said).release.tables[0].contributors)

    assert ranks() == 2
    assert ranks(dominance="4,80") == 4
    assert ranks(largest=1) == 1
    assert ranks(largest=0) == 0


def test_the_pattern_is_that_of_the_records(release: Path) -> None:
    """Where no holding has units in several cells."""
    made = ts.suppress(ts.tabulate(str(release), p_percent=10), p_percent=10)
    direct = ts.suppress(str(release), p_percent=10)
    assert made.pattern is not None
    assert direct.pattern is not None
    assert made.pattern.tolist() == direct.pattern.tolist()


def test_standard_output(release: Path) -> None:
    done = run("tabulate", str(release), "-o", "-")
    assert json.loads(done.stdout)["tables"][0]["frequency"] == "frequency"


def test_no_records_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    tables = [{"name": "t", "cells": {"region": ["T"], "value": [1]}}]
    path.write_text(json.dumps({**{k: v for k, v in RELEASE.items() if k != "microdata"}, "tables": tables}))
    done = run("tabulate", str(path), "-o", str(tmp_path / "out.yaml"))
    assert done.exit_code == 2
    assert "has no `microdata`" in done.output
    assert not (tmp_path / "out.yaml").exists()


def test_an_input_is_never_overwritten(release: Path) -> None:
    done = run("tabulate", str(release), "-o", str(release))
    assert done.exit_code == 2
    assert json.loads(release.read_text()) == RELEASE
