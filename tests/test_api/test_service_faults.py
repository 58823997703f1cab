"""Cancelling, ending in good order, and limits, with real processes. Those that are killed: `test_service_load.py`."""

import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from databases import KEYS
from serving import address, ask, started, until_state

from cases.service.orders import report_of_the_command
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.service import LOCAL
from tableseal.api.jobs.attempt import Limits
from tableseal.api.jobs.audit_kind import AuditRequest
from tableseal.api.jobs.child import Child, Step
from tableseal.api.jobs.worker import Worker
from tableseal.api.options.audit import AuditOptions
from tableseal.api.problems import MEMORY_LIMIT, TIME_LIMIT, Problem
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Document, State
from tableseal.api.store.jobs import job_by_id, submit
from tableseal.api.store.migrate import migrate

QUICK = {"lease_seconds": "2", "poll_seconds": "0.05", "backoff_seconds": "0"}


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


@pytest.mark.slow
def test_serve_answers_cancels_and_ends_in_good_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    folder = tmp_path / "data"
    with started("serve", "--port", "0", "--data", str(folder), log=log, **QUICK) as server:
        at = address(server, log)
        status, body = ask(f"{at}/v1/audits", EXAMPLE, headers={"Prefer": "wait=60"})
        assert (status, body) == (200, report_of_the_command(EXAMPLE, tmp_path))
        query = "entropy=tables&samples=1000000"
        job = json.loads(ask(f"{at}/v1/audits?{query}", slow_release())[1])["links"]["self"]
        until_state(at + job, "running")
        assert json.loads(ask(at + job, method="DELETE")[1])["state"] in ("running", "cancelled")
        assert until_state(at + job, "cancelled")["attempts"] == 1
        job = json.loads(ask(f"{at}/v1/audits?{query}", slow_release())[1])["links"]["self"]
        until_state(at + job, "running")
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
    store = Store(f"sqlite:///{folder / 'tableseal.db'}", KEYS)
    with store.reading() as connection:
        given_back = job_by_id(connection, LOCAL.owner, job.rpartition("/")[2])
    store.close()
    assert given_back is not None
    assert (given_back.state, given_back.attempts) == (State.QUEUED, 0)
    assert list((folder / "work").glob("*-*")) == []


@pytest.mark.slow
def test_limits_are_kept_by_the_process(tmp_path: Path) -> None:
    request = AuditRequest(release="release.json", options=AuditOptions(entropy="tables", samples=10**6))
    files = (Document("release.json", "application/json", json.dumps(slow_release()).encode()),)
    settings = Settings(data=tmp_path, job_seconds=0.5)
    store = Store(settings.database_url, settings.keys)
    migrate(store)
    with store.writing() as connection:
        job = submit(connection, "ann", "audit", request.model_dump_json(), files).id
    assert Worker(settings, store, threading.Event()).step()
    with store.reading() as connection:
        failed = job_by_id(connection, "ann", job)
    store.close()
    assert failed is not None
    assert failed.problem == TIME_LIMIT.document()


@pytest.mark.slow
def test_too_much_memory_is_an_answer_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(json.dumps(slow_release(300)), "utf-8")
    request = AuditRequest(release="release.json").model_dump_json()
    with Child("audit", request, tmp_path, Limits(memory=256, cells=10**6)) as child:
        message = child.poll(60)
        while isinstance(message, Step):
            message = child.poll(60)
    assert isinstance(message, Problem)
    assert (message.slug, message.status) == (MEMORY_LIMIT.slug, 422)
    assert message.detail.endswith("256 MB.")
