"""Limits hold for every kind of work that there is, in requests that are answered at once and in jobs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient

from tableseal.api.jobs import worker
from tableseal.api.jobs.attempt import Limits

UNLIMITED = {"/v1/plans": "says how large tables are, and makes none"}
"""Routes without a limit on cells, and why."""

IN_ENTRIES = "/v1/published"
"""Says of each cluster what went wrong."""


def examples(client: TestClient) -> Iterator[tuple[str, Any]]:
    """Every route that takes work, with its example; a new one is in it at once."""
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" in content and "202" in methods["post"]["responses"]:
            yield path.replace("{name}", "x") + ("?base=3" if path == "/v1/protections" else ""), content["example"]


def problem(client: TestClient, path: str, example: Any, *, later: bool) -> dict[str, Any]:
    """What came of it, at once or as a job."""
    response = client.post(path, json=example, headers={} if later else WAIT)
    if response.status_code == 202:
        client.get(path_of(response), headers=WAIT)
        response = client.get(f"{path_of(response)}/result")
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.parametrize("later", [False, True])
def test_cells(tmp_path: Path, later: bool) -> None:
    """CONVENTION 933"""
    with asked(tmp_path, max_cells=3) as client:
        seen = 0
        for path, example in examples(client):
            found = problem(client, path, example, later=later)
            if path in UNLIMITED:
                continue
            if path == IN_ENTRIES:
                assert [c["failure"]["kind"] for c in found["clusters"]] == ["limit"]
            else:
                assert found["type"] == "urn:tableseal:problem:limit", (path, found)
            seen += 1
        assert seen > 8


def test_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 933: a job that reaches the limit of the service ends, and says so."""
    monkeypatch.setattr(worker, "TICK", 0.0)  # so that it is looked at before even a small one has ended
    with asked(tmp_path, job_seconds=1e-6) as client:
        seen = 0
        for path, example in examples(client):
            found = problem(client, path, example, later=True)
            assert (found["type"], found["status"]) == ("urn:tableseal:problem:time-limit", 422), (path, found)
            seen += 1
        assert seen > 9


def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 933"""
    monkeypatch.setattr(worker, "Limits", lambda _, *others: Limits(1, *others))  # no setting is as low
    with asked(tmp_path) as client:
        for path, example in examples(client):
            found = problem(client, path, example, later=True)
            assert found["type"] == "urn:tableseal:problem:memory-limit", (path, found)


def test_bodies(tmp_path: Path) -> None:
    """CONVENTION 933: also such as do not say how long they are."""
    with asked(tmp_path, worker=False, max_body=500) as client:
        for path, example in examples(client):
            body = json.dumps(example | {"title": "x" * 500}).encode()
            for content in (body, iter([body])):
                response = client.post(path, content=content, headers={"Content-Type": "application/json"})
                assert response.status_code == 413, path
