"""The benchmark of small tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cases.benchmarks import small
from cases.benchmarks.process import Usage


def test_audits_in_a_loop_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "WARM", 1)
    count, wall, cpu = small.in_a_loop(0.05)
    assert count >= 1
    assert wall >= 0.05
    assert cpu > 0


def test_what_a_batch_takes_to_start_is_not_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(command: Sequence[str], **_: Any) -> Usage:
        files = len(list(Path(command[command.index("batch") + 1]).glob("*.json")))
        return Usage(0, cpu=2 + 0.01 * files, wall=1 + 0.02 * files, errors="")

    monkeypatch.setattr(small, "run", run)
    said = {figure.what: figure.value for figure in small.as_batch(40, 2, tmp_path)}
    assert said["releases a second, 2 processes"] == "50.0"
    assert said["processor time of a release"] == "10.0 ms"
    assert said["all were audited"] == "43"
