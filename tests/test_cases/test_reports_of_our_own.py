"""Inputs that the product itself once answered wrongly or unclearly; the right answers are in expected.json (second
part), and the command that a user gives is what is run."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tableseal.api.cli.app import app

FOLDER = Path(__file__).parent.parent / "data" / "reports"
OURS = ("B42", "B43", "B52", "B54", "B55", "B56", "B72", "B73", "B74", "B75", "D1", "D2", "D3", "D4", "D5", "D6", "D7")
EXPECTED: list[dict[str, Any]] = [
    entry
    for entry in json.loads((FOLDER / "expected.json").read_text("utf-8"))
    if entry["id"].split(".")[0] in (*OURS, "D8")
]
OPEN: set[str] = set()
"""Not right yet."""


def run(arguments: list[str]) -> tuple[int, str, dict[str, Any] | None]:
    """(exit code, everything said, the JSON answer if there is one)."""
    result = CliRunner().invoke(app, [*arguments, "--json", "-"])
    try:
        answer = json.loads(result.stdout)
    except json.JSONDecodeError:
        answer = None
    return result.exit_code, result.output, answer


def arguments_of(entry: dict[str, Any], folder: Path) -> list[str]:
    """The command line of an entry; what it writes goes below folder."""
    verb, *options = entry["command"].split()
    release = str(FOLDER / entry["input"])
    more = {"suppress": ["-o", str(folder / "out.json")], "batch": ["-o", str(folder / "reports")]}.get(verb, [])
    if entry["id"] == "B74":
        more += ["--time-limit", "20"]
    if entry["id"] == "D8":
        more += ["--proof", str(folder / "proof.json")]
    return [verb, release, *options, *more]


@pytest.mark.parametrize(
    "entry",
    [pytest.param(e, id=e["id"], marks=[pytest.mark.xfail(strict=True)] if e["id"] in OPEN else []) for e in EXPECTED],
)
def test_answer(entry: dict[str, Any], tmp_path: Path) -> None:
    code, said, answer = run(arguments_of(entry, tmp_path))
    accepted = entry.get("accept", {})
    assert code in [entry["exit"], *accepted.get("exit", [])], said
    if code == 2:
        assert answer is None or "verdict" not in answer
        assert all(mention in said for mention in accepted.get("mentions", []))
        return
    assert answer is not None, said
    report = answer.get("audit") or answer
    if entry["verdict"] is not None and code == entry["exit"]:
        assert report["verdict"] == entry["verdict"]
    for kind in ("cells", "implied"):
        for expected in entry.get(kind, []):
            [cell] = [c for c in report[kind] if expected["cell"].items() <= c["cell"].items()]
            assert {key: cell[key] for key in expected if key != "cell"} == {
                key: value for key, value in expected.items() if key != "cell"
            }


def test_every_entry_is_here() -> None:
    assert len(EXPECTED) == 28
