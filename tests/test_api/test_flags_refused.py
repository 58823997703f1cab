"""Flags that nobody has explained end every verb with what to write, and never with a verdict."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tableseal.api.cli.app import app

FLAGS = "a,n,suppressed\nT,90,FALSE\nk,40,TRUE\nl,50,FALSE\n"
RELEASE = """\
tableseal: 1
kind: count
variables: {a: {total: T, codes: [k, l]}}
tables: [{name: t, file: t.csv, value: n}]
"""


@pytest.mark.parametrize(
    "verb",
    [
        ["audit", "t.csv", "--threshold", "3"],
        ["audit", "r.yaml", "--threshold", "3"],
        ["init", "t.csv"],
        ["suppress", "r.yaml", "--threshold", "3"],
        ["batch", ".", "--threshold", "3", "-o", "out"],
        ["batch", ".", "--together", "--threshold", "3", "-o", "out"],
        ["publication", "audit", "p", "r.yaml", "--threshold", "3"],
    ],
)
def test_every_verb_says_what_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str]) -> None:
    # CONVENTION 626
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(FLAGS, "utf-8")
    Path("r.yaml").write_text(RELEASE, "utf-8")
    result = CliRunner().invoke(app, verb)
    assert result.exit_code == 2
    assert '"suppressed"' in result.output
    assert 'map: {"FALSE": published, "TRUE": withheld}' in result.output
