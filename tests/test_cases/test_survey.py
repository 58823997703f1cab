"""The made-up survey: killed at random and begun again it gives the same files, all of them safe."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

from cases.survey.owed import plan_of
from cases.survey.records import drawn
from cases.survey.written import write
from tableseal.audit.plans.read import plan_from_document
from tableseal.audit.proof.certificate import check_certificate

ROOT = Path(__file__).parents[2]
FIRMS = 3_000
"""Of so few, contributors of some cells know each other whatever is withheld."""


def test_what_is_owed(tmp_path: Path) -> None:
    """Forty tables in eight clusters, and the same clusters of the small one."""
    write(tmp_path, 20, small=False)
    for small in (False, True):
        parsed = json.loads(json.dumps(plan_of(2024, small=small)), parse_int=str)
        plan = plan_from_document(parsed, tmp_path / "plan.json")
        assert len(plan.clusters) == 8
        assert small or len(plan.tables) == 40


def test_the_same_firms_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder, 50, small=True)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_concentrated_firms_leave_codes_with_few() -> None:
    """A large survey has sensitive cells, too, and the usual one stays as it is."""

    def rarest(concentration: float) -> int:
        return int(np.bincount(drawn(20_000, concentration=concentration).division).min())

    assert rarest(1.0) == int(np.bincount(drawn(20_000).division).min()) > 50
    assert rarest(3.0) < 3


def begun(home: Path) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TABLESEAL_DATA": str(home / "ledger")}
    command = [sys.executable, "-m", "cases.survey", str(home), "--firms", str(FIRMS), "--publish"]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)


def published(home: Path) -> dict[str, bytes]:
    folders = (home / "plan_2024", home / "plan_2025")
    return {str(p.relative_to(home)): p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_killed_at_random_and_begun_again(tmp_path: Path) -> None:
    """CONVENTION 919"""
    whole, again = tmp_path / "whole", tmp_path / "again"
    start = monotonic()
    assert begun(whole).wait() == 0
    took = monotonic() - start
    draw = random.Random(7)
    for _ in range(2):
        running = begun(again)
        sleep(draw.uniform(0.2, 0.9) * took)
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert begun(again).wait() == 0
    assert published(again) == published(whole)
    found = json.loads((whole / "figures.json").read_text())
    assert [year["accepted by name"] for year in found] == [4, 1]
    for year in found:
        assert year["verdict"] == "safe", year
        assert {one["verdict"] for one in year["clusters"].values()} == {"safe"}
        folder = whole / Path(year["plan"]).stem
        assert check_certificate((folder / "certificate.json").read_bytes(), folder, inputs=whole).files > 40
