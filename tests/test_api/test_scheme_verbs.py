"""Every scheme of rounding with the commands: each ends with its exit code, and what one writes another one reads."""

import json
from pathlib import Path
from typing import Any

import pytest
from schemes import SCHEMES
from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app
from tableseal.api.cli.exit_codes import Code

TRUTH = {"T": {"x": 9, "y": 2, "z": 14, "T": 25}, "p": {"x": 4, "y": 1, "z": 8, "T": 13}}


def run(*words: object) -> Result:
    """A command that ends as it should: with an answer, or an error that needs no traceback."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def release(scheme: dict[str, Any] | None, of: str, statuses: dict[str, str], name: str) -> dict[str, Any]:
    """Counts by a, in all or of one value of b, rounded by a scheme or in full; what a status hides has no value."""
    shows = (lambda v: {v}) if scheme is None else next(s for d, s in SCHEMES.values() if d is scheme)
    true = TRUTH[of]
    value = [None if statuses.get(code) in ("primary", "secondary") else max(shows(v)) for code, v in true.items()]
    table = {
        "name": name,
        "where": {"b": of},
        "cells": {
            "a": list(true),
            "value": value,
            "status": [statuses.get(code, "") for code in true],
            "truth": list(true.values()),
        },
        "status": "status",
        "truth": "truth",
    }
    return {
        "tableseal": 1,
        "kind": "count",
        "variables": {
            "a": {"total": "T", "codes": ["x", "y", "z"]},
            "b": {"total": "T", "codes": ["p", "q"]},
        },
        "tables": [table if scheme is None else table | {"rounding": scheme}],
    }


@pytest.mark.parametrize("name", SCHEMES)
def test_every_command_reads_every_scheme(name: str, tmp_path: Path) -> None:
    """CONVENTION 571 and 610"""
    scheme = SCHEMES[name][0]
    rounded = release(scheme, "T", {"x": "secondary", "y": "primary"}, "rounded")
    exact = release(None, "p", {"y": "primary"}, "exact")
    both = rounded | {"tables": [*rounded["tables"], *exact["tables"]]}
    folder = tmp_path / "in"
    folder.mkdir()
    for file, document in (("rounded", rounded), ("exact", exact)):
        (folder / f"{file}.json").write_text(json.dumps(document), "utf-8")
    shown = rounded["tables"][0]["cells"]["value"]
    given = tmp_path / "both.json"
    given.write_text(json.dumps(both), "utf-8")

    assert run("audit", given).exit_code == Code.UNSAFE, "y of p is the total minus the others"
    for method in ("heuristic", "modular", "elimination", "network"):
        out = tmp_path / f"{method}.json"
        assert run("suppress", given, "--method", method, "-o", out).exit_code == Code.DONE
        written = {table["name"]: table["cells"] for table in json.loads(out.read_text("utf-8"))["tables"]}
        assert written["rounded"]["value"] == shown, "x would stand there with its true value"
        assert run("audit", out).exit_code == Code.DONE
    assert run("compare", given, "--methods", "heuristic,elimination,rounding:5").exit_code in (Code.DONE, Code.UNSAFE)
    together = run("batch", folder, "--together", "-o", tmp_path / "out")
    assert together.exit_code == Code.UNSAFE, together.output
