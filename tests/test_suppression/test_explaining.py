"""What needs each cell: looked for when everything is written, and only as long as there is time."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_variable import POLICY, line
from ticking import Ticking
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.audit.bounds.component import Limits
from tableseal.audit.clock import now
from tableseal.suppression.answer import Suppression
from tableseal.suppression.reasons.explaining import explained
from tableseal.suppression.reasons.seen import SPELLED
from tableseal.suppression.report import suppression_report, suppression_text
from tableseal.suppression.suppress import suppress

VALUES = [1, 1, 5, 5, 6, 6, 7, 9]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 25))
def test_reasons_of_an_explanation_that_ends_early_are_the_same(looks: int) -> None:
    """CONVENTION 601: a cell that was not decided in time is left out."""
    found = suppress(line(VALUES), policy=POLICY, method="heuristic", explain=False)
    assert not found.explained
    whole, early = explained(found, Limits()), explained(found, Ticking(looks=looks))
    assert whole.explained
    assert early.needs.items() <= whole.needs.items()
    assert early.explained == (len(early.needs) == len(whole.needs))
    written = suppression_report(early).cells
    assert sum(cell.needed_by is None for cell in written) == len(whole.needs) - len(early.needs)


def test_nothing_is_looked_for_after_the_time_unless_asked() -> None:
    """CONVENTION 601."""
    found = suppress(line(VALUES), policy=POLICY, method="heuristic", time_limit=Ticking(looks=0))
    assert (found.explanation, found.needs) == ("no time", {})
    assert "the time was over" in suppression_text(found, limit=None)
    assert explained(found, Limits(), thorough=True).explained


@pytest.mark.parametrize(("spent", "limit", "most"), [(10.0, None, 5.0), (500.0, None, 100.0), (500.0, 40.0, 40.0)])
def test_it_takes_a_fifth_of_the_time_before_and_no_longer_than_there_is(
    spent: float, limit: float | None, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 899."""
    given: list[float] = []

    def needs(problem: Any, pattern: Any, failing: Any, method: Any, limits: Limits) -> dict[int, Any]:
        given.append(limits.seconds_left())
        return {}

    monkeypatch.setattr("tableseal.suppression.reasons.explaining.needs", needs)
    found = suppress(line(VALUES), policy=POLICY, method="heuristic", explain=False)
    limits = Limits() if limit is None else Limits(now() + limit)
    explained(replace(found, seconds=(("search", spent),), limits=limits))
    assert given == [pytest.approx(most, abs=most / 2)]
    assert given[0] <= most


@pytest.fixture
def release(tmp_path: Path) -> Path:
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["1", "2", "3"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "1", "2", "3"], "value": [45, 1, 30, 14]}}],
        "policy": {"primary": [{"threshold": 3}]},
        "intruder": {"insiders": []},
    }
    path = tmp_path / "release.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_all_files_are_there_before_it_is_looked_for_and_an_interrupt_loses_nothing(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 601."""
    names = ["out.json", "result.json", "page.html", "best.json"]
    there: list[bool] = []

    def interrupted(result: Suppression, *_: Any, **__: Any) -> Suppression:
        there.extend((release.parent / name).exists() for name in names)
        raise KeyboardInterrupt

    monkeypatch.setattr("tableseal.suppression.reasons.explaining.explained", interrupted)
    options = [
        f"{o}={release.parent / n}" for o, n in zip(("-o", "--json", "--html", "--best-so-far"), names, strict=True)
    ]
    words = [part for option in options for part in option.split("=")]
    result = CliRunner().invoke(app, ["suppress", str(release), *words])
    assert there == [True] * 4
    assert result.exit_code == 0
    assert "everything is written" in result.output
    assert json.loads((release.parent / "result.json").read_text("utf-8"))["explained"] is False


@pytest.mark.parametrize(("option", "explanation"), [("--no-explain", False), ("--explain", True)])
def test_on_demand(release: Path, option: str, explanation: bool) -> None:
    """CONVENTION 601: also if the time is over."""
    result = CliRunner().invoke(app, ["suppress", str(release), "--json", "-", "--time-limit", "0", option])
    answer = json.loads(result.stdout)
    assert (answer["verdict"], answer["last_resort"], answer["explained"]) == ("safe", False, explanation)
    assert [cell["needed_by"] is None for cell in answer["cells"]] == [not explanation]


@pytest.mark.parametrize("limit", ["nan", "-0.5"])
def test_limits_that_are_no_time_are_refused(release: Path, limit: str) -> None:
    """CONVENTION 657: before anything is read; limits of 0 and of parts of a second are kept."""
    result = CliRunner().invoke(app, ["suppress", str(release), "--time-limit", limit])
    assert result.exit_code == 2
    assert "--time-limit" in result.output
    assert limit in result.output


def test_long_sums_are_counted() -> None:
    """CONVENTION 602: in the text of a reason; its terms are all there."""
    found = suppress(line([1, *range(10, 50)]), policy=POLICY, method="heuristic")
    [(need,)] = found.needs.values()
    whole = max(need.equations, key=lambda e: len(e.terms))
    assert len(whole.terms) == 42
    assert whole.text.endswith(f" ... and {41 - SPELLED} more")
    assert whole.text.count(" + ") == SPELLED - 1


def test_everything_is_withheld_where_no_pattern_was_found_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 600: that is said, in words and in the document."""
    monkeypatch.setattr("tableseal.suppression.rounds.at_once", lambda *_: None)  # there are no boxes
    found = suppress(line([1, 30, 5, 9]), policy=POLICY, method="optimal", time_limit=Ticking(looks=0))
    problem = found.problem
    assert found.found.pattern is not None
    assert (found.found.pattern == problem.primary | problem.may).all()
    assert suppression_report(found).last_resort is True
    said = suppression_text(found, limit=None)
    assert "everything is withheld that may be" in said
    assert "withhold less with a longer --time-limit, or none" in said


def test_where_the_time_is_over_and_nothing_is_safe_that_is_said() -> None:
    """CONVENTION 600: everything was withheld, which proves it."""
    only = line([1, 30], ["", "must_publish"])
    found = suppress(only, policy=POLICY, time_limit=Ticking(looks=0))
    assert (found.found.status, found.verdict) == ("infeasible", "unsafe")
    assert found.conflict is not None
