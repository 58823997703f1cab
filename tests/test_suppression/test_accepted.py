"""A search beside contributors whom nothing helps: it says so, claims nothing, and goes on where they are accepted."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.errors import InputError
from tableseal.audit.io import release_from_document
from tableseal.suppression.problem.decisions import Decision
from tableseal.suppression.report.model import SuppressionReport
from tableseal.suppression.suppress import suppress

FIRMS: dict[str, Any] = {
    "tableseal": 1,
    "title": "Turnover",
    "kind": "magnitude",
    "variables": {"region": {"total": "Total", "codes": ["North", "South", "West", "East"]}},
    "policy": {"primary": [{"p_percent": 10}]},
    "tables": [
        {
            "name": "turnover",
            "frequency": "n",
            "contributors": ["first", "second"],
            "cells": {
                "region": ["Total", "North", "South", "West", "East"],
                "value": [1000, 104, 400, 346, 150],
                "n": [30, 2, 10, 12, 6],
                "first": [60, 53, 60, 50, 40],
                "second": [53, 51, 40, 45, 20],
            },
        }
    ],
}
"""The two firms of North are of nearly the same size."""

NORTH = (("region", "North"),)


def accepting(cell: tuple[tuple[str, str], ...]) -> Decision:
    return Decision("accept_ranks", cell, None, "both firms wrote so", "A. Officer", "2026-11-28")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "firms.json").write_text(json.dumps(FIRMS), "utf-8")
    decision = {"decision": "accept_ranks", "cell": dict(NORTH), "reason": "both firms wrote so", "name": "A. Officer"}
    (tmp_path / "decisions.json").write_text(json.dumps({"decisions": [{**decision, "date": "2026-11-28"}]}), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("method", ["optimal", "heuristic"])
def test_they_are_no_failure_of_the_pattern_and_nothing_is_claimed_of_it(folder: Path, method: str) -> None:
    """CONVENTION 625."""
    result = run("suppress", "firms.json", "--method", method, "-o", "out.json", "--json", "result.json")
    assert result.exit_code == 1
    assert "Proved" not in result.output
    assert "Contributors who know each other whatever is withheld:" in result.output
    assert "second largest of North can place the largest contribution to this cell" in result.output
    assert "accept_ranks" in result.output
    assert not (folder / "out.json").exists()
    document = json.loads((folder / "result.json").read_text("utf-8"))
    jsonschema.validate(document, schema_of(SuppressionReport))
    assert [(b["cell"], b["accepted"]) for b in document["beyond_help"]] == [({"region": "North"}, False)]
    assert {c["reason"] for c in document["audit"]["cells"]} == {"ranks", None}


def test_a_decision_accepts_them_and_the_release_goes_out(folder: Path) -> None:
    """CONVENTION 625: it stays in result, confidential release and report, and not in what goes out."""
    files = ["-o", "out.json", "--confidential", "kept.json", "--json", "result.json"]
    result = run("suppress", "firms.json", "--decisions", "decisions.json", *files)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("SAFE")
    assert "Proved: no safe pattern is cheaper." in result.output
    document = json.loads((folder / "result.json").read_text("utf-8"))
    jsonschema.validate(document, schema_of(SuppressionReport))
    assert [b["accepted"] for b in document["beyond_help"]] == [True]
    assert [d["decision"] for d in document["decisions"]] == ["accept_ranks"]
    [beyond] = document["audit"]["beyond_help"]
    accepted = {"reason": "both firms wrote so", "by": "A. Officer, 2026-11-28", "until": None}
    assert beyond["accepted"] == accepted
    assert "both firms" not in (folder / "out.json").read_text("utf-8")
    kept = json.loads((folder / "kept.json").read_text("utf-8"))
    assert [(a["cell"], a["reason"]) for a in kept["accept"]] == [({"region": "North"}, "both firms wrote so")]
    again = run("audit", "kept.json", "--json", "-")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["beyond_help"][0]["accepted"] == accepted


def test_settings_are_another_way_past_them() -> None:
    """CONVENTION 625."""
    for change in (
        {"intruder": {"insiders": ["singletons", "holdings"]}},
        {"policy": {**FIRMS["policy"], "insider": {"p_percent": 1}}},
    ):
        result = suppress(release_from_document({**FIRMS, **change}))
        assert result.report is not None
        assert (result.report.verdict, result.report.beyond_help) == ("safe", ())


def test_where_there_is_nothing_to_accept_that_is_said() -> None:
    """CONVENTION 625."""
    for cell in ((("region", "South"),), (("region", "East"),)):
        with pytest.raises(InputError, match="there is nothing to accept"):
            suppress(release_from_document(FIRMS), decisions=[accepting(cell)])


def test_a_decision_goes_before_what_the_release_says_of_the_cell() -> None:
    """CONVENTION 625."""
    old = {"cell": dict(NORTH), "reason": "old", "by": "somebody", "until": "2020-12-31"}
    release = release_from_document({**FIRMS, "date": "2026-11-28", "accept": [old]})
    assert suppress(release).verdict == "unsafe"
    result = suppress(release, decisions=[accepting(NORTH)])
    assert result.verdict == "safe"
    assert result.release is not None
    assert [accepted.reason for accepted in result.release.accepted] == ["both firms wrote so"]
