"""One run of a benchmark on several cores, and what pages say of runs."""

from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import sleep

import pytest

from cases.benchmarks import adjustment, protect_run, protection
from cases.benchmarks.adjustment import Adjusted
from cases.benchmarks.protection import Rounded
from cases.benchmarks.runs import runs_said
from cases.benchmarks.spread import spread

ROW = Rounded("f3d_6", 3, "tableseal", "measured", 343, 252, 252.0, cpu=2.0, wall=2.5, run="today")


def test_a_core_has_one_job_at_a_time() -> None:
    busy, lock, seen = set[int | None](), Lock(), list[int | None]()

    def job(core: int | None) -> int:
        with lock:
            assert core not in busy
            busy.add(core)
            seen.append(core)
        sleep(0.01)
        with lock:
            busy.remove(core)
        return len(seen)

    assert len(list(spread([job] * 6, [0, 1]))) == 6
    assert set(seen) == {0, 1}


def test_what_is_said_of_runs() -> None:
    assert runs_said([ROW], {"today": 31.0}) == (
        "All rows are of one run (today, of 31 minutes with all of this page). Of its core every program that took a "
        "second had 80% or more."
    )
    other = replace(ROW, run="", wall=1.0, cpu=0.5)
    assert runs_said([ROW, other], {}).startswith("This is not one run: rows are 1 of earlier ones, 1 of today.")


def test_one_run_measures_all_and_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        protection, "one", lambda name, base, program, core: replace(ROW, table=name, base=base, program=program)
    )
    monkeypatch.setattr(
        adjustment, "one", lambda name, core: Adjusted(name, "measured", 10, 2, 5, 5.0, cpu=1.0, wall=1.0)
    )
    only = ["f3d_6", "counts_1024"]
    found = protect_run.measure(only, [None], tmp_path, fresh=False, tell=lambda said: None)
    assert [(r.table, r.base) for r in found] == [("f3d_6", base) for base in (3, 5) for _ in range(3)]
    text = (tmp_path / "PROTECTION_BENCHMARKS.md").read_text("utf-8")
    assert text.count("All rows are of one run") == 2
    assert "| counts | 1,024 | 2 | 5 |" in text
    assert not protect_run.jobs(only[1:], [f"counts_1024/{seed}" for seed in range(1, 6)])


def test_the_whole_page_is_one_run_of_half_an_hour() -> None:
    limits = [adjustment.TABLES[name.partition("/")[0]].limit for name in adjustment.names(())]
    long = sum(
        len(protection.BASES) * 2
        for name in {t for t, *_ in protection.jobs(())}
        if name.rpartition("/")[0] in protection.LONG
    )
    assert (sum(limits) + long * protection.LIMIT) / 2 < 30 * 60
