"""Large tables asked of a hypercube: jobs, judged with all answers before, and kept once whatever becomes of
workers."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked
from databases import KEYS
from fastapi.testclient import TestClient
from paging import BROWSER, log, until_done
from serving import started
from towns import MEASURES, built

from tableseal.api.generating.again import told_again
from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.api.generating.memories import Memories
from tableseal.api.jobs import table_kind
from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.folder import lay_out
from tableseal.api.jobs.kinds import OutdatedError, Result
from tableseal.api.jobs.table_kind import KIND, TableJob
from tableseal.api.jobs.worker import Worker
from tableseal.api.problems import Problem
from tableseal.api.settings import Settings
from tableseal.api.store.answers import answers_since, audiences_of
from tableseal.api.store.engine import Store
from tableseal.api.store.job import State
from tableseal.api.store.jobs import job_by_id, submit
from tableseal.api.store.migrate import migrate
from tableseal.api.store.tokens import Role, create_token
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.public import public_part
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.progress import silent

VERSION = {"tableseal-request": 1}
LARGE = {**VERSION, "by": ["sex", "age"]}
SMALL = {**VERSION, "by": ["sex"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("cubes")
    built(found)
    built(found, "firms", MEASURES, income=True)
    return found


@pytest.fixture(scope="module")
def client(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), hypercubes=folder, table_cells=10) as opened:
        yield opened


def counter_in(folder: Path, name: str = "town") -> Counter:
    return opened_counter(folder / f"{name}.cube", folder / f"{name}.yaml", folder / f"{name}.secret")


def post(client: TestClient, request: dict[str, Any], name: str = "town", **more: Any) -> Any:
    return client.post("/v1/tables", json={"hypercube": name, "request": request}, **more)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("town", LARGE),
        ("town", {**VERSION, "by": ["job", "age"], "share": {"sex": "F"}, "title": "Women"}),
        ("firms", {**LARGE, "mean": "income"}),
        ("firms", {**VERSION, "by": ["job", "age"], "measure": "income"}),
        ("firms", {**VERSION, "areas": "district", "by": ["sex", "age@1"], "measure": "income"}),
    ],
)
def test_a_large_table_is_a_job_with_the_same_answer(
    client: TestClient, folder: Path, name: str, request_: dict[str, Any]
) -> None:
    """CONVENTION 1115. What is told is what would be told at once; read back from its JSON it is the same."""
    response = post(client, request_, name)
    assert response.status_code == 202, response.text
    job = client.get(response.headers["Location"], headers=WAIT).json()
    assert (job["kind"], job["state"]) == ("table", "succeeded"), job
    counter = counter_in(folder, name)
    memory = client.app.state.service.memories.held(counter, "user local local")  # type: ignore[attr-defined]
    expected = public_part(counter.judged(request_of(request_, counter.cells), None).answer)
    got = client.get(job["links"]["result"])
    assert json.loads(got.text) == json.loads(json_of(expected))
    again = told_again(got.text)
    assert json_of(again) == json_of(expected)
    assert job["outcome"] == expected.outcome
    assert (len(memory.answers) > 0) or expected.answer is None
    for form in ("csv", "jsonl", "parquet"):
        file = client.get(f"/v1/jobs/{job['id']}/table", params={"format": form})
        assert file.status_code == (200 if expected.answer is not None else 422)
    waited = post(client, request_, name, headers={**WAIT, "Accept": "text/csv"})
    assert (waited.status_code, waited.json()["outcome"]) == (200, expected.outcome)


def test_small_tables_and_what_may_not_be_asked_are_answered_at_once(client: TestClient) -> None:
    """CONVENTION 1115."""
    assert post(client, SMALL).json()["outcome"] == "answered"
    refused = post(client, {**VERSION, "by": ["sex", "age", "job", "district"]})
    assert (refused.status_code, refused.json()["refusal"]["reason"]) == (200, "asked")
    assert post(client, {**VERSION, "by": ["nobody", "age"]}).status_code == 422
    assert client.get("/v1/jobs/none/table").status_code == 404


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path / 'x.db'}", KEYS)
    migrate(opened)
    yield opened
    opened.close()


def job_for(counter: Counter, document: dict[str, Any], **more: str) -> TableJob:
    said = {"identity": counter.identity, "scope": "user", "audience": "user a", "who": "a", **more}
    return TableJob(hypercube=counter.name, request=document, **said)


def tried(store: Store, folder: Path, job: TableJob, at: Path) -> Result | Problem:
    """An attempt with what the database gives."""
    with store.reading() as connection:
        for document in table_kind.answered_before(connection, "o", job):
            lay_out(at, document.name, document.pieces())
    return attempt(KIND, job.model_dump_json(), at, Limits(None, 10**6, hypercubes=folder), silent)


def test_what_was_answered_meanwhile_is_judged_with_it(store: Store, folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1116. A job that was judged without an answer is judged again, and nothing of it is kept."""
    counter, memories = counter_in(folder), Memories(store)
    memories.told(counter, request_of(SMALL, counter.cells), "user a", "a")
    job = job_for(counter, LARGE)
    found = tried(store, folder, job, tmp_path)
    assert isinstance(found, Result)
    memories.told(counter, request_of({**VERSION, "by": ["job"]}, counter.cells), "user a", "a")
    with pytest.raises(OutdatedError), store.writing() as connection:
        table_kind.kept(connection, "o", job, found)
    with store.reading() as connection:
        assert len(answers_since(connection, counter.identity, "user a")) == 2
    found = tried(store, folder, job, tmp_path)
    assert isinstance(found, Result)
    with store.writing() as connection:
        done = table_kind.kept(connection, "o", job, found)
    assert [document.name for document in done.documents] == ["table.json"]
    held = Memories(store).held(counter, "user a")
    assert len(held.answers) == 3
    assert len(Memories(store).held(counter, "user b").answers) == 0
    third = memories.told(counter, request_of(LARGE, counter.cells), "user a", "a")
    assert third.answer is not None
    assert tuple(held.answers[-1].shown.tolist()) == third.answer.values
    assert len(memories.held(counter, "user a").answers) == 3  # it was answered before


def test_a_hypercube_that_has_changed_is_asked_anew(store: Store, folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1116."""
    counter = counter_in(folder)
    for changed in ({"identity": "0" * 64}, {"scope": "public"}):
        found = tried(store, folder, job_for(counter, LARGE, **changed), tmp_path)
        assert isinstance(found, Problem)
        assert "ask again" in found.detail
    found = tried(store, tmp_path, job_for(counter, LARGE), tmp_path)
    assert isinstance(found, Problem)
    assert "not here any more" in found.detail


def test_tables_are_seen_by_who_asked_and_by_officers(folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1117. Another user of the owner would hold an answer that his memory does not know."""
    with asked(tmp_path, hypercubes=folder, table_cells=10, access="keys") as client:
        opened = Store(f"sqlite:///{tmp_path / 'tableseal.db'}", KEYS)
        people = (("ann", Role.ANALYST), ("bob", Role.ANALYST), ("eve", Role.OFFICER))
        with opened.writing() as connection:
            tokens = {name: create_token(connection, "office", role, name=name) for name, role in people}
        opened.close()
        headers = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
        job = post(client, LARGE, headers=headers["ann"]).headers["Location"]
        for name, status in (("ann", 200), ("bob", 404), ("eve", 200)):
            assert client.get(job, headers={**headers[name], **WAIT}).status_code == status
            for path in ("/result", "/table", "/events"):
                assert client.get(job + path, headers=headers[name]).status_code == status, (name, path)
        assert client.delete(job, headers=headers["bob"]).status_code == 404


def test_the_page_shows_the_job_and_then_the_table(client: TestClient) -> None:
    """CONVENTION 1115."""
    request = {**VERSION, "by": ["sex", {"age": ["0", "1", "2", "3", "4", "5"]}]}
    page = client.post("/tables/town", data={"request": json.dumps(request)}, headers=BROWSER)
    assert page.url.path.startswith("/jobs/")
    page = until_done(client, page)
    assert page.status_code == 200
    assert 'id="made-h"' in page.text
    link = f"{page.url.path.replace('/jobs', '/v1/jobs')}/table?format=csv"
    assert link in page.text
    rows = client.get(link).text.splitlines()
    assert rows[0] == "sex,age,value"
    assert len(rows) == 13
    assert [one["action"] for one in log(client)].count("table.ask") >= 1
    listed = client.get("/jobs", headers=BROWSER)
    assert "Table" in listed.text


@pytest.mark.slow
def test_workers_that_are_killed_lose_and_repeat_no_answer(folder: Path, tmp_path: Path) -> None:
    """CONVENTION 1116. kill -9 at any moment: every job ends, and each answer is kept once, in an unbroken order."""
    settings = Settings(data=tmp_path, hypercubes=folder, lease_seconds=1.0, backoff_seconds=0.0, attempts=50)
    store = Store(settings.database_url, settings.keys)
    migrate(store)
    counter = counter_in(folder)
    documents = [
        {**VERSION, "by": [name], "where": {"district": code}} for name in ("sex", "age") for code in ("North", "South")
    ]
    jobs = []
    for document in documents:
        with store.writing() as connection:
            request = job_for(counter, document).model_dump_json()
            jobs.append(submit(connection, "o", "table", request, ()).id)
    options = {"data": str(tmp_path), "hypercubes": str(folder), "lease_seconds": "1", "poll_seconds": "0.05"}
    options |= {"backoff_seconds": "0", "attempts": "50"}
    for pause in (0.0, 0.3):
        with started("worker", log=tmp_path / "log", **options) as process:
            running = 0.0
            until = time.monotonic() + 30
            while running == 0.0 and time.monotonic() < until and process.poll() is None:
                with store.reading() as connection:
                    states = [one.state for one in (job_by_id(connection, "o", job) for job in jobs) if one]
                running = time.monotonic() if State.RUNNING in states or set(states) == {State.SUCCEEDED} else 0.0
                time.sleep(0.02)
            time.sleep(pause)
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()
    worker = Worker(settings, store, threading.Event())
    until = time.monotonic() + 60
    states = []
    while set(states) != {State.SUCCEEDED} and time.monotonic() < until:
        worker.step()
        with store.reading() as connection:
            states = [one.state for one in (job_by_id(connection, "o", job) for job in jobs) if one]
        time.sleep(0.05)
    with store.reading() as connection:
        kept = answers_since(connection, counter.identity, "user a")
        outcomes = [one.outcome for one in (job_by_id(connection, "o", job) for job in jobs) if one]
        assert audiences_of(connection, counter.identity) == (("user a", len(kept)),)
    assert states == [State.SUCCEEDED] * len(jobs)
    assert [answer.number for answer in kept] == list(range(outcomes.count("answered")))
    assert len({answer.content for answer in kept}) == len(kept) > 0
    store.close()
