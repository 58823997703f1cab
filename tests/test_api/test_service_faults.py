"""Real processes, killed without warning: every job is finished, once, with the report of the command."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import BACKENDS, new_database
from serving import address, ask, started, until_state

from api.auditing import AuditOptions, run_audit
from api.http.audits import EXAMPLE
from api.jobs.attempt import Limits
from api.jobs.audit_kind import AuditRequest
from api.jobs.child import Child, Step
from api.problems import MEMORY_LIMIT
from audit.io import read_release
from audit.report import report_json

QUICK = {"lease_seconds": "2", "poll_seconds": "0.05", "backoff_seconds": "0"}
SLOW = {"entropy": "tables", "samples": "256"}


def slow_release(size: int = 6) -> dict[str, Any]:
    """A table of which only margins are published: sampling its tables takes seconds."""
    codes = [str(k) for k in range(size)]
    pairs = [(a, b) for a in [*codes, "T"] for b in [*codes, "T"]]
    value = {0: None, 1: 10 * size, 2: 10 * size * size}
    cells = {
        "a": [a for a, _ in pairs],
        "b": [b for _, b in pairs],
        "value": [value[pair.count("T")] for pair in pairs],
    }
    variables = {name: {"total": "T", "codes": codes} for name in "ab"}
    return {
        "tableseal": 1,
        "title": "slow",
        "kind": "count",
        "variables": variables,
        "tables": [{"name": "t", "cells": cells}],
    }


def expected(release: dict[str, Any], folder: Path, options: AuditOptions) -> bytes:
    path = folder / "release.json"
    path.write_text(json.dumps(release), "utf-8")
    return report_json(run_audit(read_release(path), options).report).encode()


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as url:
        yield url


def gone(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def descendants(process: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == process:
            children.append(int(path.parent.name))
    return children + [further for child in children for further in descendants(child)]


@pytest.mark.slow
def test_a_job_survives_the_death_of_its_worker_and_of_the_server(database: str, tmp_path: Path) -> None:
    """CONVENTION 362: whoever works on a job dies; another does it again; it is finished once."""
    log = tmp_path / "log"
    options = ("--port", "0", "--data", str(tmp_path / "data"), "--database", database)
    query = "&".join(f"{name}={value}" for name, value in SLOW.items())
    release = slow_release()
    with started("serve", *options, "--workers", "1", log=log, **QUICK) as server:
        at = address(server, log)
        status, body = ask(f"{at}/v1/audits?{query}", release)
        assert status == 202
        job = json.loads(body)["links"]["self"]
        until_state(at + job, "running")
        processes = descendants(server.pid)
        assert len(processes) >= 3
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        until = time.monotonic() + 30
        while not all(gone(process) for process in processes):
            assert time.monotonic() < until, "processes of a dead server go on"
            time.sleep(0.1)
    with started("serve", *options, "--workers", "0", log=log, **QUICK) as server:
        at = address(server, log)
        before = json.loads(ask(at + job)[1])
        assert before["state"] in ("queued", "running")  # its worker gave it back, or died with it
        with started(
            "worker", "--database", database, "--data", str(tmp_path / "w1"), log=tmp_path / "l1", **QUICK
        ) as w:
            waited = time.monotonic() + 60
            while json.loads(ask(at + job)[1])["attempts"] == before["attempts"]:
                assert time.monotonic() < waited, (tmp_path / "l1").read_text("utf-8")
                time.sleep(0.05)
            os.kill(w.pid, signal.SIGKILL)
        worker = ("worker", "--database", database, "--data", str(tmp_path / "w2"))
        with started(*worker, log=tmp_path / "l2", **QUICK) as second:
            done = until_state(at + job, "succeeded", "failed")
            second.send_signal(signal.SIGTERM)
            assert second.wait(30) == 0
        assert (done["state"], done["attempts"]) == ("succeeded", before["attempts"] + 2)
        events = ask(f"{at}{job}/events")[1].decode()
        assert events.count('"state": "succeeded"') == 1
        wanted = AuditOptions(entropy="tables", samples=int(SLOW["samples"]))
        assert ask(f"{at}{job}/result")[1] == expected(release, tmp_path, wanted)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0


@pytest.mark.slow
def test_serve_answers_cancels_and_ends_in_good_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    folder = tmp_path / "data"
    with started("serve", "--port", "0", "--data", str(folder), log=log, **QUICK) as server:
        at = address(server, log)
        status, body = ask(f"{at}/v1/audits", EXAMPLE, headers={"Prefer": "wait=60"})
        assert (status, body) == (200, expected(EXAMPLE, tmp_path, AuditOptions()))
        query = "entropy=tables&samples=1000000"
        job = json.loads(ask(f"{at}/v1/audits?{query}", slow_release())[1])["links"]["self"]
        until_state(at + job, "running")
        assert json.loads(ask(at + job, method="DELETE")[1])["state"] in ("running", "cancelled")
        assert until_state(at + job, "cancelled")["attempts"] == 1
        job = json.loads(ask(f"{at}/v1/audits?{query}", slow_release())[1])["links"]["self"]
        until_state(at + job, "running")
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
    with started("serve", "--port", "0", "--data", str(folder), "--workers", "0", log=log, **QUICK) as server:
        given_back = json.loads(ask(address(server, log) + job)[1])
        assert (given_back["state"], given_back["attempts"]) == ("queued", 0)
    assert list((folder / "work").glob("*-*")) == []


@pytest.mark.slow
def test_limits_are_kept_by_the_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    environment = {**QUICK, "job_seconds": "1", "data": str(tmp_path / "data")}
    with started("serve", "--port", "0", log=log, **environment) as server:
        at = address(server, log)
        job = json.loads(ask(f"{at}/v1/audits?entropy=tables&samples=1000000", slow_release())[1])["links"]["self"]
        assert until_state(at + job, "failed")["problem"]["type"].endswith("time-limit")


@pytest.mark.slow
def test_too_much_memory_is_an_answer_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(json.dumps(slow_release(300)), "utf-8")
    request = AuditRequest(release="release.json").model_dump_json()
    with Child("audit", request, tmp_path, Limits(memory=256, cells=10**6)) as child:
        message = child.poll(60)
        while isinstance(message, Step):
            message = child.poll(60)
    assert message == MEMORY_LIMIT
