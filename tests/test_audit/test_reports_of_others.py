"""Faults that were reported in public about other tools, rebuilt small; the right answers are in expected.json."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tableseal.audit.errors import InputError
from tableseal.audit.io import read_release
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report import ReportCell

FOLDER = Path(__file__).parent.parent / "data" / "reports"
EXIT = {"safe": 0, "unsafe": 1, "undecided": 3}
OUR_OWN = "B42"
"""From here on, entries are run in test_cases/test_reports_of_our_own."""

EXPECTED: list[dict[str, Any]] = [
    entry
    for entry in json.loads((FOLDER / "expected.json").read_text("utf-8"))
    if entry["command"] == "audit" and entry["input"].endswith(".yaml") and entry["id"] < OUR_OWN
]


def named(condition: bool) -> pytest.MarkDecorator:
    """Reports that end with an answer, or with an error."""
    chosen = [entry for entry in EXPECTED if (entry["exit"] == 2) == condition]
    return pytest.mark.parametrize("entry", chosen, ids=lambda e: e["id"])


@named(True)
def test_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(InputError) as error:
        audit(read_release(FOLDER / entry["input"]))
    for mention in entry["error_mentions"]:
        assert mention in str(error.value)


@named(False)
def test_answered(entry: dict[str, Any]) -> None:
    release = read_release(FOLDER / entry["input"])
    report = audit(release).report
    assert report.judged == says_what_is_sensitive(release)
    if report.judged:
        assert EXIT[report.verdict] == entry["exit"]
        assert report.verdict == entry["verdict"]
    else:
        assert (report.verdict, entry["verdict"]) == ("undecided", "safe")
    if "cells" not in entry:
        return
    assert len(report.cells) == len(entry["cells"])
    found = {(cell.measure, frozenset(cell.cell)): cell for cell in report.cells}
    for expected in entry["cells"]:
        cell = found[expected["measure"], frozenset(expected["cell"].items())]
        assert_cell(cell, expected)
        if cell.verdict == "exposed" and cell.reason is None:
            assert cell.reveals is not None
    if "reveals_kind" in entry:
        kinds = {cell.reveals.kind for cell in report.cells if cell.reveals is not None}
        assert kinds == {entry["reveals_kind"]}


@pytest.mark.parametrize("entry", [e for e in EXPECTED if "outsider_verdict" in e], ids=lambda e: e["id"])
def test_without_insiders(entry: dict[str, Any]) -> None:
    release = read_release(FOLDER / entry["input"])
    outsiders = replace(release, intruder=replace(release.intruder, insiders=()))
    verdicts = {cell.verdict for cell in audit(outsiders).report.cells}
    assert verdicts == {entry["outsider_verdict"]}


def says_what_is_sensitive(release: Release) -> bool:
    """A rule, or a cell that is withheld for itself, rounded or an interval; where there is none the entries, which
    are older than that verdict, call the release safe."""
    return bool(release.policy and release.policy.primary) or any(
        table.rounding is not None or table.lower.known.any() or bool((table.status >= Status.WITHHELD).any())
        for table in release.tables
    )


def assert_cell(cell: ReportCell, expected: dict[str, Any]) -> None:
    for name in ("table", "status", "verdict", "reason"):
        assert getattr(cell, name) == expected.get(name, getattr(cell, name))
    for name in ("lower", "upper"):
        assert same(getattr(cell, name), expected[name])
    assert cell.lp is not None
    assert all(same(a, b) for a, b in zip(cell.lp, expected["lp"], strict=True))
    if expected.get("insider"):
        assert cell.insider is not None
        assert cell.insider.who == expected["insider"]["who"]
        assert [*cell.insider.estimates] == expected["insider"]["estimates"]


def same(found: Fraction | None, expected: float | None) -> bool:
    """Equal up to the digits that JSON readers keep."""
    if found is None or expected is None:
        return found is expected
    return abs(float(found) - expected) < 1e-9


def test_all_readable_audits_are_here() -> None:
    assert len(EXPECTED) == 47
