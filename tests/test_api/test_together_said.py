"""Releases put together by a batch or a publication that have nothing in common, or nearly the same names."""

import json
from pathlib import Path
from typing import Any

import pytest
from small import document, table
from typer.testing import CliRunner

from tableseal.api.cli.app import app

ONE = document(table(["T", "k", "l", "m"], [90, 30, 28, 32]), policy={"primary": [{"threshold": 3}]})
SAYS = "hese releases share no measure by name: nothing can be computed from one about the other"


def named(measure: str, variable: str) -> dict[str, Any]:
    """The same with other names."""
    found = json.loads(json.dumps(ONE).replace('"a"', json.dumps(variable)))
    kind = found.pop("kind")
    return {**found, "measures": {measure: {"kind": kind}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.json").write_text(json.dumps(named("firms", "region")), "utf-8")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def publish(file: str) -> tuple[int, str]:
    where = ("--database", "sqlite:///p.db", "--data", "data")
    return run("publication", "audit", "p", file, "--publish", "--json", "found.json", *where)


@pytest.mark.parametrize(("measure", "variable"), [("Firms", "region"), ("firms", "Region "), ("firms", "re_gion")])
def test_nearly_the_same_names_are_refused(measure: str, variable: str) -> None:
    # CONVENTION 629
    Path("in/b.json").write_text(json.dumps(named(measure, variable)), "utf-8")
    code, output = run("batch", "in", "--together", "-o", "out")
    assert code == 2
    assert "a.json and b.json" in output
    assert "differ in nothing but case or blanks" in output
    assert publish("in/a.json")[0] == 0
    code, output = publish("in/b.json")
    assert code == 2
    assert "entry 1 and new release" in output


def test_that_nothing_is_shared_is_said() -> None:
    # CONVENTION 629
    Path("in/b.json").write_text(json.dumps(named("staff", "region")), "utf-8")
    code, _ = run("batch", "in", "--together", "-o", "out", "--json", "batch.json")
    (entry,) = json.loads(Path("batch.json").read_text("utf-8"))["releases"]
    assert (code, entry["verdict"]) == (0, "safe")
    assert f"{SAYS} (a.json | b.json)." in entry["headline"]
    assert publish("in/a.json")[0] == 0
    assert publish("in/b.json")[0] == 0
    found = json.loads(Path("found.json").read_text("utf-8"))
    assert f"{SAYS} (entry 1 | new release)." in found["headline"]
    assert "nothing_shared" in {note["code"] for note in found["report"]["notes"]}
