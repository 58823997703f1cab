"""A job that has an answer before it is done does not lose it, however it ends."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from databases import KEYS

from tableseal.api.jobs import worker
from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.child import Kept, Message
from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.jobs.suppression_kind import SuppressionRequest
from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.problems import MEMORY_LIMIT, Problem
from tableseal.api.settings import Settings
from tableseal.api.store import jobs, queue
from tableseal.api.store.engine import Store
from tableseal.api.store.files import files_of
from tableseal.api.store.job import Document, State
from tableseal.api.store.migrate import migrate
from tableseal.audit.progress import silent

EARLY = Result((Document("early.json", "application/json", b"{}"),), "safe")
LAST = Result((Document("last.json", "application/json", b"{}"),), "safe")


class Child:
    """A child that sends these messages, then nothing; or is gone."""

    def __init__(self, messages: list[Message], *, gone: bool) -> None:
        self._messages, self._gone = messages, gone

    def poll(self, seconds: float) -> Message | None:
        if self._messages:
            return self._messages.pop(0)
        if self._gone:
            raise EOFError
        return None


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("killed", "early.json"),
        ("cancelled", "early.json"),
        ("stopped", "early.json"),
        ("time limit", "early.json"),
        (MEMORY_LIMIT, "early.json"),
        (LAST, "last.json"),
    ],
    ids=str,
)
def test_the_answer_kept_is_the_jobs_if_no_better_one_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str | Result | Problem, expected: str
) -> None:
    # CONVENTION 608
    store = Store(f"sqlite:///{tmp_path / 'x.db'}", KEYS)
    migrate(store)
    with store.writing() as connection:
        jobs.submit(connection, "ann", "audit", '{"release": "r.json"}', ())
        lease = queue.claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={})
    assert lease is not None
    if then == "cancelled":
        monkeypatch.setattr(queue, "renew", lambda *_, **__: queue.Held.CANCEL)
        monkeypatch.setattr(worker, "min", lambda *_: 0.0, raising=False)
    messages: list[Message] = [Kept(EARLY)]
    if isinstance(then, Result | Problem):
        messages.append(then)
    stop = threading.Event()
    own = worker.Worker(Settings(data=tmp_path, job_seconds=0.01 if then == "time limit" else 3600), store, stop)
    if then == "stopped":
        stop.set()
    own._watch(lease, Child(messages, gone=then == "killed"))  # type: ignore[arg-type]
    with store.reading() as connection:
        job = jobs.job_by_id(connection, "ann", lease.job.id)
        names = [file.name for file in files_of(connection, lease.job.id, "result")]
    store.close()
    assert job is not None
    assert (job.state, job.outcome, names) == (State.SUCCEEDED, "safe", [expected])


@pytest.mark.parametrize("explain", [None, True, False])
def test_a_search_keeps_its_pattern_before_its_reasons(tmp_path: Path, explain: bool | None) -> None:
    # CONVENTION 608
    cells = {"a": ["x", "y", "z", "T"], "value": [2, 5, 9, 16], "status": ["primary", None, None, None]}
    document: dict[str, Any] = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["x", "y", "z"]}},
        "tables": [{"name": "t", "cells": cells, "status": "status", "value": "value"}],
    }
    (tmp_path / "release.json").write_text(json.dumps(document))
    request = SuppressionRequest(release="release.json", options=SuppressOptions(explain=explain))
    kept: list[Result] = []
    kind = all_kinds()["suppression"]
    answer = attempt(kind, request.model_dump_json(), tmp_path, Limits(None, 10**6), silent, kept.append)
    assert isinstance(answer, Result), answer
    assert len(kept) == (0 if explain is False else 1)
    for early in kept:
        assert early.outcome == answer.outcome == "safe"
        assert [d.name for d in early.documents] == [d.name for d in answer.documents]
        assert early.documents[-1].read() == answer.documents[-1].read()  # the same pattern
        assert b'"needed_by": null' in early.documents[0].read()
        assert b'"needed_by": null' not in answer.documents[0].read()
