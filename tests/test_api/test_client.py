"""The Python client, asking a service that listens; what it says without a network is tested as a conversation."""

import asyncio
import json
import re
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from cases.service.orders import report_of_the_command
from tableseal.api.cases import cases_folder
from tableseal.api.client import AsyncClient, Client, Job, ServiceError, UnreachableError, verbs
from tableseal.api.client.talk import NOTHING, TRIES, Answer, Call, Pause, Talk, asked, submitted
from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.worker import Worker
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store

CASE = cases_folder() / "o03_table1"
PAGE = Path(__file__).parents[2] / "docs" / "developer" / "service.md"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that listens, with a worker, in this process."""
    settings = Settings(data=tmp_path_factory.mktemp("service"), poll_seconds=0.05, inline_workers=0)
    stop, listening = threading.Event(), socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="error", lifespan="on"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    serving.start()
    while not server.started:
        time.sleep(0.02)
    store = Store(settings.database_url, settings.keys)
    working = threading.Thread(target=Worker(settings, store, stop).run)
    working.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    stop.set()
    working.join()
    server.should_exit = True
    serving.join()
    store.close()
    listening.close()


def test_an_audit_from_question_to_report(url: str, tmp_path: Path) -> None:
    expected = json.loads(report_of_the_command(EXAMPLE, tmp_path))
    seen: list[Job] = []
    with Client(url) as client:
        job = client.audit(EXAMPLE, html=True)
        assert client.result(job, progress=seen.append) == expected
        assert (seen[-1].state, seen[-1].outcome) == ("succeeded", "safe")
        assert client.job(job.id) == seen[-1]
        assert client.rows(job).startswith(b"table,")
        assert b"<html" in client.file(job, "report.html")
        assert client.jobs(limit=1) == (seen[-1],)
        assert client.cancel(job) is None  # it had ended, and is erased
        with pytest.raises(ServiceError, match="no job") as refused:
            client.job(job.id)
        assert refused.value.failure.status == 404


def test_files_policy_batch_and_measures(url: str, tmp_path: Path) -> None:
    policy, matrix, packed = tmp_path / "policy.yaml", tmp_path / "counts.csv", tmp_path / "all.zip"
    policy.write_text("require: {risk: 0.2}\n", "utf-8")
    matrix.write_text("3,17\n23,0\n", "utf-8")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.json", json.dumps(EXAMPLE))
        archive.writestr("two.json", json.dumps(EXAMPLE))
    manifest = tmp_path / "which.csv"
    manifest.write_text("file\none.json\n", "utf-8")
    with Client(url) as client:
        jobs = [
            client.audit(CASE / "release.yaml", files=[CASE / "table1.csv"], policy=policy),
            client.batch(packed, manifest=manifest),
            client.risk(matrix, rounding=3),
            client.sap(matrix, rounding=3),
            client.suppress(UNPROTECTED),
            client.compare(UNPROTECTED, methods="optimal,heuristic"),
        ]
        audit, batch, risk, sap, suppression, comparison = (client.result(job) for job in jobs)
        assert json.loads(client.file(jobs[4], "protected"))["tables"]
    assert audit["policy"] is not None
    assert batch["schema"].startswith("tableseal/batch")
    assert [entry["name"] for entry in batch["releases"]] == ["one.json"]
    assert risk["schema"].startswith("tableseal/risk")
    assert sap["schema"].startswith("tableseal/sap")
    assert (suppression["audit"]["verdict"], suppression["primary"]) == ("safe", 1)
    assert [found["method"] for found in comparison["methods"]] == ["optimal", "heuristic"]


def test_refusals_say_where_and_keys_are_honoured(url: str) -> None:
    with Client(url) as client:
        first, again = (client.audit(EXAMPLE, key="one key") for _ in range(2))
        assert first.id == again.id
        with pytest.raises(ServiceError) as refused:
            client.audit({**EXAMPLE, "title": "another"}, key="one key")
        assert refused.value.failure.type == "idempotency-key-reused"
        table = EXAMPLE["tables"][0]
        wrong = {**EXAMPLE, "tables": [{**table, "cells": {**table["cells"], "value": ["x"] * 9}}]}
        with pytest.raises(ServiceError) as refused:
            client.result(client.audit(wrong))
        assert refused.value.failure.pointer == "/tables/0/cells/value/0"
        with pytest.raises(ValueError, match="expected a file that ends in"):
            client.audit(Path("release.docx"))


def test_the_same_while_other_things_are_done(url: str, tmp_path: Path) -> None:
    expected = json.loads(report_of_the_command(EXAMPLE, tmp_path))

    async def ask() -> list[dict[str, Any]]:
        async with AsyncClient(url) as client:
            jobs = [await client.audit(EXAMPLE) for _ in range(3)]
            return list(await asyncio.gather(*(client.result(job) for job in jobs)))

    assert asyncio.run(ask()) == [expected] * 3


def test_every_verb_of_one_client_is_one_of_the_other() -> None:
    assert {name for name in dir(Client) if name[0] != "_"} == {name for name in dir(AsyncClient) if name[0] != "_"}


def test_examples_of_the_documentation_run(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text("utf-8")
    examples = re.findall(r"```python client\n(.*?)```", text, re.DOTALL)
    assert examples
    for name in ("firms.yaml", "firms.csv"):
        found = re.search(rf"```\w+ file={name}\n(.*?)```", text, re.DOTALL)
        assert found is not None
        (tmp_path / name).write_text(found.group(1), "utf-8")
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(compile(example.replace("http://localhost:8000", url), PAGE.name, "exec"), {"__name__": "example"})


def spoken(talk: Talk[Any], *answers: Answer) -> tuple[Any, list[Call], list[float]]:
    """A conversation with these answers: what came of it, what was sent, and the pauses."""
    calls: list[Call] = []
    pauses: list[float] = []
    left = iter(answers)
    answer: Answer | None = None
    while True:
        try:
            said = talk.send(answer)
        except StopIteration as end:
            return end.value, calls, pauses
        if isinstance(said, Pause):
            pauses.append(said.seconds)
            answer = None
        else:
            calls.append(said)
            answer = next(left)


JOB = {"id": "a", "kind": "audit", "state": "running", "attempts": 1}


def said(status: int, document: object, **headers: str) -> Answer:
    return Answer(status, headers, json.dumps(document).encode())


def test_what_may_pass_is_tried_again_with_the_same_key() -> None:
    broken = [NOTHING, said(503, {}, **{"retry-after": "5"}), Answer(502, {}, b"<html>")]
    talk = submitted("audits", ("release", EXAMPLE), (), {"proof": True, "seed": None}, None)
    job, calls, pauses = spoken(talk, *broken, said(202, JOB))
    assert job.state == "running"
    assert pauses == [0.5, 5.0, 2.0]
    assert len({call.headers["Idempotency-Key"] for call in calls}) == 1
    assert calls[0].params == {"proof": "true"}


def test_what_does_not_pass_is_an_error() -> None:
    with pytest.raises(UnreachableError, match="did not answer GET /healthz"):
        spoken(asked(Call("GET", "/healthz")), *[NOTHING] * TRIES)
    with pytest.raises(ServiceError) as refused:
        spoken(asked(Call("GET", "/healthz")), *[Answer(502, {}, b"<html>")] * TRIES)
    assert refused.value.failure.status == 502


def test_waiting_ends() -> None:
    with pytest.raises(TimeoutError, match="running after 2 seconds"):
        spoken(verbs.wait(Job.of(JOB), seconds=2.0), *[said(200, JOB)] * 3)
