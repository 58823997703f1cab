"""Headers of every answer, and requests that pages of other sites send."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import asked
from fastapi.testclient import TestClient

from tableseal.api.access.browser import DEFAULTS
from tableseal.api.http.audits import EXAMPLE


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False, inline_workers=0) as opened:
        yield opened


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/jobs/none", "/nothing", "/healthz", "/openapi.json"])
def test_every_answer_says_what_browsers_must_not_do(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert {name: headers.get(name) for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 202),
        ({"Sec-Fetch-Site": "none"}, 202),
        ({"Origin": "http://localhost"}, 202),
        ({}, 202),
    ],
)
def test_pages_of_other_sites_change_nothing(client: TestClient, headers: dict[str, str], status: int) -> None:
    """CONVENTION 400"""
    before = len(client.get("/v1/jobs").json())
    response = client.post("/v1/audits", json=EXAMPLE, headers=headers)
    assert response.status_code == status
    assert len(client.get("/v1/jobs").json()) - before == (status == 202)
    assert response.headers["x-frame-options"] == "DENY"


def test_headers_are_there_when_the_body_is_too_large(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, inline_workers=0, max_body=10) as client:
        response = client.post("/v1/audits", json=EXAMPLE)
    assert response.status_code == 413
    assert response.headers["x-frame-options"] == "DENY"
