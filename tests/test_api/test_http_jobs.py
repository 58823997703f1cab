"""Jobs over HTTP: lists, waiting, events, cancelling, erasing (CONVENTION 367), keys of clients."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.schema import chunks, events, files, idempotency


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


def test_lists_have_pages(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        made = [path_of(client.post("/v1/audits", json={**EXAMPLE, "title": str(k)})) for k in range(5)]
        assert client.delete(made[1]).json()["state"] == "cancelled"
        url, found, pages = "/v1/jobs?limit=2", [], 0
        while True:
            response = client.get(url)
            found += [job["links"]["self"] for job in response.json()]
            pages += 1
            if "next" not in response.links:
                break
            url = response.links["next"]["url"]
        assert found == made[::-1]
        assert pages == 3
        chosen = client.get("/v1/jobs?state=queued&kind=audit&limit=3")
        assert [job["links"]["self"] for job in chosen.json()] == [made[4], made[3], made[2]]
        assert [j["links"]["self"] for j in client.get(chosen.links["next"]["url"]).json()] == [made[0]]
        assert client.get("/v1/jobs?kind=risk").json() == []
        for query in ("after=nobody", "limit=0", "limit=1001", "state=done"):
            problem = client.get(f"/v1/jobs?{query}")
            assert problem.status_code == 422
            assert problem.json()["parameter"] == query.partition("=")[0]


def test_what_is_erased_is_gone(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False) as client:
        response = client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, "Idempotency-Key": "k"})
        job = path_of(response)
        assert client.delete(job).status_code == 204
        for path in (job, f"{job}/result", f"{job}/report.html", f"{job}/events"):
            assert client.get(path).status_code == 404
        assert client.delete(job).status_code == 404
        store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
        with store.reading() as connection:
            for table in (files, chunks, events, idempotency):
                assert connection.execute(table.select()).all() == []
        store.close()
        again = client.post("/v1/audits", json=EXAMPLE, headers={**WAIT, "Idempotency-Key": "k"})
        assert path_of(again) != job


def test_waiting_for_a_job(client: TestClient) -> None:
    job = path_of(client.post("/v1/audits", json=EXAMPLE))
    waited = client.get(job, headers=WAIT)
    assert waited.json()["state"] == "succeeded"
    assert waited.headers["preference-applied"] == "wait=60"
    assert "retry-after" not in waited.headers
    assert "preference-applied" not in client.get(job).headers


def test_events_go_on_behind_the_last(client: TestClient) -> None:
    job = path_of(client.post("/v1/audits", json=EXAMPLE))
    client.get(job, headers=WAIT)

    def ids(**headers: str) -> list[int]:
        with client.stream("GET", f"{job}/events", headers=headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            return [int(line.removeprefix("id: ")) for line in stream.iter_lines() if line.startswith("id:")]

    every = ids()
    assert every == sorted(set(every))
    assert ids(**{"Last-Event-ID": str(every[0])}) == every[1:]
    assert ids(**{"Last-Event-ID": str(every[-1])}) == []
    for wrong in ("x", "-1", "9" * 30):
        response = client.get(f"{job}/events", headers={"Last-Event-ID": wrong})
        assert response.status_code == 422
        assert response.json()["parameter"] == "last-event-id"


def test_a_key_stands_for_one_request(client: TestClient) -> None:
    headers = {**WAIT, "Idempotency-Key": "mine"}
    first = client.post("/v1/audits", json=EXAMPLE, headers=headers)
    again = client.post("/v1/audits", json=EXAMPLE, headers=headers)
    assert path_of(first) == path_of(again)
    assert first.content == again.content
    other_options = client.post("/v1/audits?bounds=lp", json=EXAMPLE, headers=headers)
    other_kind = client.post("/v1/risk", content="1,2\n3,5\n", headers={**headers, "Content-Type": "text/csv"})
    for response in (other_options, other_kind):
        assert response.status_code == 422
        assert response.json()["type"].endswith("idempotency-key-reused")
        assert response.json()["parameter"] == "Idempotency-Key"
    assert client.post("/v1/audits", json=EXAMPLE, headers={"Idempotency-Key": "x" * 256}).status_code == 422


def test_uploads_are_in_no_file_afterwards(tmp_path: Path) -> None:
    with asked(tmp_path, inline_bytes=0) as client:
        padded = {**EXAMPLE, "title": "MARKED" * 400_000}
        job = path_of(client.post("/v1/audits", json=padded))
        assert client.get(job, headers=WAIT).json()["state"] == "succeeded"
    work = tmp_path / "work"
    assert [path for path in work.rglob("*") if path.is_file()] == []


def test_a_quiet_stream_beats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing happens to a job comments come, so that nobody in between takes the connection for dead."""
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.1)
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        job = path_of(client.post("/v1/audits", json=EXAMPLE))
        ending = threading.Timer(1.0, lambda: client.delete(job))
        ending.start()
        text = client.get(f"{job}/events").text
        ending.join()
    assert text.count(": ping") >= 2
    assert '"cancelled"' in text


def test_a_stream_ends_with_its_job_whatever_was_seen_before(tmp_path: Path) -> None:
    """CONVENTION 950: also behind events that are not there yet, and where the job is erased meanwhile."""
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        job = path_of(client.post("/v1/audits", json=EXAMPLE))

        def gone() -> None:
            for _ in range(2):  # ended, then erased
                client.delete(job)

        ending = threading.Timer(0.6, gone)
        ending.start()
        assert "data:" not in client.get(f"{job}/events", headers={"Last-Event-ID": str(2**62)}).text
        ending.join()
        assert client.get(job).status_code == 404
