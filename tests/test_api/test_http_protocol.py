"""What HTTP asks of every address: HEAD, Allow, compression, and where an answer is kept (CONVENTION 731)."""

import gzip
from collections.abc import Iterator

import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient

from tableseal.api.http.audits import EXAMPLE

HEADERS = ("content-type", "content-length", "content-encoding", "vary", "link", "cache-control", "retry-after")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.fixture(scope="module")
def job(client: TestClient) -> str:
    return path_of(client.post("/v1/audits?html=true", json=EXAMPLE, headers=WAIT))


def test_head_says_what_get_says(client: TestClient, job: str) -> None:
    """RFC 9110, 9.3.2: on documents, pages, files, streams and errors."""
    paths = ["/", "/jobs", "/healthz", "/readyz", "/openapi.json", "/static/web.css", "/v1/jobs", "/v1/jobs/nobody"]
    paths += [job, f"{job}/result", f"{job}/result?format=csv", f"{job}/report.html", f"{job}/events", "/nowhere"]
    for path in paths:
        for encoding in ("gzip", "identity"):
            sent = {"Accept-Encoding": encoding}
            full, head = client.get(path, headers=sent), client.head(path, headers=sent)
            assert head.status_code == full.status_code, path
            assert head.content == b"", path
            said = [{name: found.headers.get(name) for name in HEADERS} for found in (full, head)]
            assert said[0] == said[1], path
    assert client.head("/v1/audits").status_code == 405


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/jobs", "GET, HEAD"),
        ("/v1/jobs/nobody", "GET, HEAD, DELETE"),
        ("/v1/audits", "POST"),
        ("/v1/publications/x/releases", "POST"),
        ("/releases", "GET, HEAD, POST"),
        ("/healthz", "GET, HEAD"),
    ],
)
def test_allow_says_all_methods_of_an_address(client: TestClient, path: str, methods: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - set(methods.split(", ")):
        refused = client.request(method, path)
        assert refused.status_code == 405, method
        assert refused.headers["allow"] == methods


def test_answers_are_compressed_for_who_can_read_it(client: TestClient, job: str) -> None:
    for path in (f"{job}/result", f"{job}/report.html", "/static/report.css", "/openapi.json"):
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert "Accept-Encoding" in plain.headers["vary"]
        with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as packed:
            assert packed.headers["content-encoding"] == "gzip", path
            raw = b"".join(packed.iter_raw())
        assert gzip.decompress(raw) == plain.content
        assert len(raw) < len(plain.content) / 2
    events = client.get(f"{job}/events", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in events.headers


def test_an_answer_says_where_it_is_kept(client: TestClient) -> None:
    """RFC 9110, 8.7: at once, waited for, in another form, and found by its key again."""
    for number, accept in enumerate(("application/json", "text/csv")):
        headers = {**WAIT, "Accept": accept, "Idempotency-Key": f"k{number}"}
        for _ in range(2):
            answer = client.post("/v1/audits", json=EXAMPLE, headers=headers)
            assert answer.status_code == 200
            kept = client.get(answer.headers["content-location"], headers={"Accept": accept})
            assert kept.content == answer.content
            assert "content-location" not in kept.headers
    waits = client.post("/v1/audits", json=EXAMPLE)
    assert "content-location" not in waits.headers
