"""The fault and load runs of `python3 do.py faults`, in short: whatever they check is as it has to be."""

import re
from pathlib import Path

import pytest

from cases.service.__main__ import PAGE, RUNS, main, with_figures
from cases.service.figures import Figure, SkippedError, table
from tableseal.api.http.metrics import Metrics
from tableseal.api.store.figures import QueueFigures

NOTHING = QueueFigures({}, 0.0, 0, 0, 0, ())


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_what_the_run_checks_is_as_it_has_to_be(name: str, tmp_path: Path) -> None:
    """CONVENTION 362: killed at random, without a database, without room, flooded: every job is finished once."""
    try:
        found = RUNS[name].short(tmp_path)
    except SkippedError as reason:
        pytest.skip(f"{name}: {reason}")
    assert any(figure.ok for figure in found)
    assert [figure for figure in found if figure.ok is False] == []


def test_figures_that_are_wrong_are_seen() -> None:
    lines = table("run", [Figure("seconds", "3"), Figure("lost", "0", True), Figure("twice", "1", False)])
    assert lines.splitlines()[1:] == ["| run | lost | 0 | as it has to be |", "| run | twice | 1 | **wrong** |"]


def test_the_page_has_room_for_figures() -> None:
    page = with_figures(with_figures(PAGE.read_text("utf-8"), "old\nfigures"), r"| \1 |")
    assert page.count(r"| \1 |") == 1
    assert "old" not in page.partition("## Figures")[2].partition("##")[0]
    assert [name for name in RUNS if f"`{name}`" not in page] == []


def test_every_figure_of_metrics_is_described() -> None:
    names = re.findall(r"^# HELP (tableseal_\w+?)(?:_created)? ", Metrics().text(NOTHING).decode(), re.MULTILINE)
    assert len(names) > 6
    assert [name for name in names if f"`{name}`" not in PAGE.read_text("utf-8")] == []


def test_a_run_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flood"]) == 2
    assert 'no run "flood"' in capsys.readouterr().err
