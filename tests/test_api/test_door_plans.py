"""`ts.plan` and `ts.publish`: the answers of the command."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import run

import tableseal as ts

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Sales",
    "measures": {"sales": {"kind": "magnitude"}, "firms": {"kind": "count"}},
    "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
    "tables": [
        {"name": "sales", "measure": "sales", "by": ["region"]},
        {"name": "firms", "measure": "firms", "by": ["region"]},
    ],
    "microdata": {
        "cells": {"region": [*"NSSSWWWW"], "sales": [5, 7, 8, 9, 1, 2, 3, 4]}, "values": {"sales": "sales"},
    },
    "policy": {"primary": [{"threshold": 3}]},
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLESEAL_DATA", str(tmp_path / "data"))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    return tmp_path / "plan.json"


def test_a_plan_is_that_of_the_command(path: Path) -> None:
    found = ts.plan(path)
    assert found.text() == run("plan", path).stdout.rstrip()
    assert found.document == json.loads(run("plan", path, "--json", "-").stdout)
    assert ts.plan(PLAN).document == found.document
    assert found.to_frame("polars")["cluster"].to_list() == ["sales", "firms"]


def test_a_publication_is_that_of_the_command(path: Path) -> None:
    home = path.parent
    found = ts.publish(path, folder=home / "here", publication="sales")
    done = run("publish", path, "-o", home / "there", "--publication", "sales")
    assert done.exit_code == 0, done.output
    files = [{str(p.relative_to(home / f)): p.read_bytes() for p in (home / f).rglob("*") if p.is_file()}
             for f in ("here", "there")]  # fmt: skip
    assert files[0] == files[1], "the same publication is the same entry"
    assert found.verdict == "safe"
    assert found.together is not None
    assert found.together.entry == 1
    assert found.text() in done.stdout
    assert found.certificate.is_file()
    assert all(file.is_file() for file in found.public)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: ts.plan(3), "expected the path of a plan or of a list of tables, or a plan document"),
        (lambda path: ts.plan({"tableseal": 1}), "tableseal-plan: 1"),
        (lambda path: ts.plan(path.parent / "no.yaml"), "no such file"),
        (lambda path: ts.publish(path), "folder"),
        (lambda path: ts.publish(3, folder="x"), "expected the path of a plan, or a plan document"),
        (lambda path: ts.publish(path, folder=path.parent), "holds the plan"),
        (lambda path: ts.publish(path, folder=path.parent / "o", despite="x"), "despite: is for publication"),
        (lambda path: ts.publish(path, folder=path.parent / "o", method="x"), "method"),
    ],
)
def test_bad_input(path: Path, call: Any, message: str) -> None:
    with pytest.raises(ts.InputError) as caught:
        call(path)
    assert message in str(caught.value)
    assert not (path.parent / "o").exists()
