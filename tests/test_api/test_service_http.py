"""The HTTP interface, asked in this process; the command line gives the same reports."""

import io
import json
import threading
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from serving import patiently
from typer.testing import CliRunner

from tableseal.api.cases import cases_folder
from tableseal.api.cli.app import app as command
from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.jobs.worker import Worker
from tableseal.api.settings import Settings, load_settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role, create_token
from tableseal.audit.errors import InputError

WAIT = {"Prefer": "wait=60"}
CASE = cases_folder() / "o03_table1"


def settings_in(folder: Path, **more: Any) -> Settings:
    return Settings(**{"data": folder, "inline_seconds": 30.0, "poll_seconds": 0.05, **more})


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One service for all tests of this file, with a worker."""
    settings = settings_in(tmp_path_factory.mktemp("service"), max_body=1_000_000, max_unpacked=2_000_000)
    stop = threading.Event()
    with TestClient(create_app(settings), base_url="http://localhost") as opened:
        store = Store(settings.database_url, settings.keys)
        thread = threading.Thread(target=Worker(settings, store, stop).run)
        thread.start()
        yield opened
        stop.set()
        thread.join()
        store.close()


def cli_report(release: Path, folder: Path, *options: str) -> bytes:
    target = folder / "cli.json"
    result = CliRunner().invoke(command, ["audit", str(release), "--json", str(target), *options])
    assert result.exit_code in (0, 1, 3), result.output
    return target.read_bytes()


def changed(**table: Any) -> dict[str, Any]:
    """The example with other columns."""
    first = EXAMPLE["tables"][0]
    return {**EXAMPLE, "tables": [{**first, "cells": {**first["cells"], **table}}]}


def archive(*files: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files:
            opened.writestr(name, content)
    return target.getvalue()


def test_the_answer_at_once_is_the_report_of_the_command(client: TestClient, tmp_path: Path) -> None:
    """CONVENTION 360 and 361: equal files give equal reports, and the answer is kept as a finished job."""
    path = tmp_path / "release.json"
    path.write_text(json.dumps(EXAMPLE), "utf-8")
    response = client.post("/v1/audits", json=EXAMPLE, headers=WAIT)
    assert response.status_code == 200
    assert response.content == cli_report(path, tmp_path)
    assert response.headers["cache-control"] == "no-store"
    job = response.headers["link"].partition(">")[0].removeprefix("<")
    kept = client.get(job).json()
    assert (kept["state"], kept["timings"]["queued"]) == ("succeeded", 0)
    assert kept["timings"]["running"] > 0
    assert client.get(f"{job}/result").content == response.content


def test_a_job_gives_report_page_and_proof(client: TestClient, tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_text(json.dumps(EXAMPLE), "utf-8")
    response = client.post("/v1/audits", params={"proof": True, "html": True}, json=EXAMPLE)
    assert response.status_code == 202
    at = response.headers["location"]
    assert response.json()["links"]["self"] == at
    with client.stream("GET", f"{at}/events") as events:
        lines = [line for line in events.iter_lines() if line.startswith(("event:", "data:"))]
    assert lines[-1] == 'data: {"state": "succeeded"}'
    job = client.get(at).json()
    assert (job["state"], job["outcome"], job["attempts"]) == ("succeeded", "safe", 1)
    assert job["timings"]["queued"] >= 0
    assert job["timings"]["running"] > 0
    proof, page = tmp_path / "proof.json", tmp_path / "page.html"
    expected = cli_report(path, tmp_path, "--proof", str(proof), "--html", str(page))
    assert client.get(f"{at}/result").content == expected
    assert client.get(f"{at}/proof").content == proof.read_bytes()
    html = client.get(f"{at}/report.html")
    assert html.content == page.read_bytes()
    assert "sandbox" in html.headers["content-security-policy"]
    assert at in [job["links"]["self"] for job in client.get("/v1/jobs").json()]


@pytest.mark.parametrize("way", ["form", "zip", "zip in a form"])
def test_files_are_read_as_the_command_reads_them(client: TestClient, tmp_path: Path, way: str) -> None:
    names = ("release.yaml", "table1.csv")
    packed = archive(*((name, (CASE / name).read_bytes()) for name in names))
    if way == "form":
        files = [("release" if "yaml" in name else "file", (name, (CASE / name).read_bytes())) for name in names]
        response = client.post("/v1/audits", files=files, headers=WAIT)
    elif way == "zip":
        response = client.post("/v1/audits", content=packed, headers={**WAIT, "Content-Type": "application/zip"})
    else:
        response = client.post("/v1/audits", files={"file": ("all.zip", packed)}, headers=WAIT)
    assert response.status_code == 200, response.text
    assert response.content == cli_report(CASE / "release.yaml", tmp_path)


def test_a_policy_of_its_own_goes_before_that_of_the_release(client: TestClient, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("require: {risk: 0.2}\n", "utf-8")
    files = [("release", CASE / "release.yaml"), ("file", CASE / "table1.csv"), ("policy", policy)]
    sent = [(field, (path.name, path.read_bytes())) for field, path in files]
    response = client.post("/v1/audits", files=sent, headers=WAIT)
    assert response.json()["policy"] is not None
    assert response.content == cli_report(CASE / "release.yaml", tmp_path, "--policy", str(policy))


@pytest.mark.parametrize("wait", [True, False])
def test_problems_point_into_the_request(client: TestClient, wait: bool) -> None:
    release = changed(value=[None, None, "x20", None, None, 30, 26, 24, 50])
    response = client.post("/v1/audits", json=release, headers=WAIT if wait else {})
    if not wait:
        at = response.headers["location"]
        client.get(f"{at}/events")
        assert client.get(at).json()["problem"]["pointer"] == "/tables/0/cells/value/2"
        response = client.get(f"{at}/result")
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["type"] == "urn:tableseal:problem:invalid-release"
    assert problem["pointer"] == "/tables/0/cells/value/2"
    assert "found" in problem["detail"]


@pytest.mark.parametrize(
    ("body", "problem", "pointer"),
    [
        (changed(value=[2, 18, 21, 24, 6, 30, 26, 24, 50]), "not-additive", "/tables/0/cells/value/8"),
        ({**EXAMPLE, "kind": "cuont"}, "invalid-release", "/kind"),
        ({**EXAMPLE, "policy": {"primary": [{"threshold": "no"}]}}, "invalid-release", "/policy/primary/0/threshold"),
        ({**EXAMPLE, "tabels": []}, "invalid-release", "/tabels"),
        ([1], "invalid-release", None),
    ],
)
def test_every_wrong_release_is_a_problem(client: TestClient, body: Any, problem: str, pointer: str | None) -> None:
    response = client.post("/v1/audits", json=body, headers=WAIT)
    assert response.status_code == 422
    assert response.json()["type"].endswith(problem)
    assert response.json().get("pointer") == pointer


@pytest.mark.parametrize(
    ("content", "media_type", "status", "problem"),
    [
        (b'{"tableseal": NaN}', "application/json", 422, "invalid-release"),
        (b'{"tableseal": 1, "tableseal": 1}', "application/json", 422, "invalid-release"),
        (b"{", "application/json", 422, "invalid-release"),
        (b"", "application/json", 422, "invalid-upload"),
        (b"x", "text/plain", 415, "unsupported-media-type"),
        (b"x", "", 415, "unsupported-media-type"),
        (b"no zip", "application/zip", 422, "invalid-upload"),
        (archive(("../release.json", b"{}")), "application/zip", 422, "invalid-file-name"),
        (archive(("/etc/release.json", b"{}")), "application/zip", 422, "invalid-file-name"),
        (archive(("C:\\release.json", b"{}")), "application/zip", 422, "invalid-file-name"),
        (archive(("release.json", b" " * 2_000_001)), "application/zip", 413, "archive-too-large"),
        (archive(*((f"{k}.csv", b"x") for k in range(201))), "application/zip", 413, "too-many-files"),
        (archive(("a.csv", b"x"), ("b.csv", b"x")), "application/zip", 422, "invalid-upload"),
        (archive(("a.bin", b"x")), "application/zip", 422, "invalid-upload"),
        (b" " * 1_000_001, "application/json", 413, "body-too-large"),
    ],
)
def test_what_cannot_be_read_is_a_problem(
    client: TestClient, content: bytes, media_type: str, status: int, problem: str
) -> None:
    response = client.post("/v1/audits", content=content, headers={**WAIT, "Content-Type": media_type})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["type"] == f"urn:tableseal:problem:{problem}"


def test_a_body_without_stated_size_is_limited_too(client: TestClient) -> None:
    pieces = (b" " * 100_000 for _ in range(20))
    response = client.post("/v1/audits", content=pieces, headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert response.json()["type"].endswith("body-too-large")


@pytest.mark.parametrize("query", ["bounds=best", "samples=1", "seed=-1", "unknown=1", "time_limit=x"])
def test_wrong_parameters_are_named(client: TestClient, query: str) -> None:
    response = client.post(f"/v1/audits?{query}", json=EXAMPLE)
    assert response.status_code == 422
    assert response.json()["parameter"] == query.partition("=")[0]


def test_the_same_key_is_the_same_job(client: TestClient) -> None:
    headers = {"Idempotency-Key": "one"}
    first = client.post("/v1/audits", json=EXAMPLE, headers=headers)
    second = client.post("/v1/audits", json=EXAMPLE, headers=headers)
    assert first.headers["location"] == second.headers["location"]
    waited = client.post("/v1/audits", json=EXAMPLE, headers={**headers, **WAIT})
    assert waited.status_code == 200
    other = client.post("/v1/audits", json={**EXAMPLE, "title": "other"}, headers=headers)
    assert other.status_code == 422
    assert other.json()["type"].endswith("idempotency-key-reused")


def test_no_such_thing(client: TestClient) -> None:
    for path in ("/v1/jobs/0", "/v1/jobs/0/result", "/v1/jobs/0/events", "/nothing"):
        response = client.get(path)
        assert response.status_code == 404
        assert response.json()["status"] == 404
    assert client.delete("/v1/jobs/0").status_code == 404
    assert client.get("/v1/audits").status_code == 405


def test_health_and_figures(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    for _ in patiently("no worker says that it is there"):
        if (found := client.get("/readyz").json())["live_workers"]:
            break
    assert found == {"status": "ok", "database": "ok", "workers": "ok", "live_workers": 1}
    text = client.get("/metrics").text
    assert 'tableseal_requests_total{method="GET",route="/readyz",status="200"}' in text
    assert 'tableseal_jobs{state="succeeded"}' in text


def test_pages_from_elsewhere_cannot_use_a_service_without_keys(client: TestClient) -> None:
    """CONVENTION 364: DNS rebinding, and forms of other pages."""
    foreign = ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"})
    for headers, problem in zip(foreign, ("not-local", "cross-site", "cross-site"), strict=True):
        response = client.post("/v1/audits", json=EXAMPLE, headers=headers)
        assert response.status_code == 403
        assert response.json()["type"].endswith(problem)
    assert client.get("/v1/jobs", headers={"Origin": "http://localhost"}).status_code == 200


@pytest.mark.parametrize(
    ("here", "hosts"),
    [
        (True, "localhost LOCALHOST localhost: localhost:8000 127.0.0.1:80 127.8.8.8 [::1] [::1]:8000"),
        (
            False,
            "evil.example evil.example:80 evil.example:x localhost@evil.example evil.example@localhost localhost:x "
            "localhost/evil.example evil.example#localhost evil.example,localhost localhost\\.evil.example [::1 ::1 "
            "[localhost] 0.0.0.0 localhost.evil.example \xff :8000",
        ),
    ],
)
def test_what_is_no_name_of_this_machine_is_refused(client: TestClient, here: bool, hosts: str) -> None:
    """CONVENTION 364: also what is no name at all, whatever part of it is a name of this machine."""
    for host in (*hosts.split(), *(() if here else ("", " ", "localhost localhost"))):
        response = client.get("/v1/jobs", headers={"Host": host.encode("latin-1")})
        assert response.status_code == (200 if here else 403), host


def test_keys_roles_and_owners(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, access="keys", inline_workers=0)
    with TestClient(create_app(settings)) as client:
        store = Store(settings.database_url, settings.keys)
        with store.writing() as connection:
            keys = {
                name: {"Authorization": f"Bearer {create_token(connection, name, role)}"}
                for name, role in (("ann", Role.ANALYST), ("eve", Role.OFFICER), ("bob", Role.READER))
            }
        store.close()
        for headers in ({}, {"Authorization": "Bearer tsk_wrong"}, {"Authorization": "Basic eA=="}):
            response = client.post("/v1/audits", json=EXAMPLE, headers=headers)
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"
            assert client.get("/v1/jobs", headers=headers).status_code == 401
        assert client.post("/v1/audits", json=EXAMPLE, headers=keys["bob"]).status_code == 403
        at = client.post("/v1/audits", json=EXAMPLE, headers=keys["ann"]).headers["location"]
        assert client.get(at, headers=keys["ann"]).status_code == 200
        for path in (at, f"{at}/result", f"{at}/events", f"{at}/report.html", f"{at}/proof"):
            assert client.get(path, headers=keys["eve"]).status_code == 404
        assert client.delete(at, headers=keys["eve"]).status_code == 404
        assert client.get("/v1/jobs", headers=keys["eve"]).json() == []
        assert client.get(f"{at}/result", headers=keys["ann"]).status_code == 409
        assert client.delete(at, headers=keys["ann"]).json()["state"] == "cancelled"
        assert client.get("/healthz").status_code == 200


def test_nobody_listens_to_others_without_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        result = CliRunner().invoke(command, ["serve", "--host", host, "--data", str(tmp_path)])
        assert result.exit_code == 2
        assert "access=keys" in result.output
    assert load_settings(host="0.0.0.0", access="keys").access == "keys"
    monkeypatch.setenv("TABLESEAL_WORKERS", "-1")
    with pytest.raises(InputError, match="workers"):
        load_settings()


def test_secrets_come_from_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tableseal_database").write_text("postgresql://user:s3cr3t@host/name\n", "utf-8")
    monkeypatch.setenv("TABLESEAL_SECRETS_DIR", str(tmp_path))
    settings = load_settings()
    assert settings.database_url == "postgresql://user:s3cr3t@host/name"
    assert "s3cr3t" not in repr(settings)


def test_a_folder_of_secrets_that_is_not_there_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TABLESEAL_SECRETS_DIR", str(tmp_path / "none"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_settings().key_secret is None
    assert capsys.readouterr().err.splitlines() == [
        f"note: TABLESEAL_SECRETS_DIR: there is no folder {tmp_path / 'none'}; no secret is read from files"
    ]


def test_limits_have_problems_of_their_own(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, max_cells=5)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        response = client.post("/v1/audits", json=EXAMPLE, headers=WAIT)
        assert response.status_code == 422
        assert response.json()["type"].endswith("limit")
        assert "9 rows" in response.json()["detail"]
