"""Batches over HTTP say what the command says: CONVENTION 368."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, archive, asked, path_of
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.http.audits import EXAMPLE

BROKEN = {**EXAMPLE, "kind": "cuont"}
UNSAFE: dict[str, Any] = json.loads(json.dumps(EXAMPLE))
UNSAFE["tables"][0]["cells"]["value"][4] = 13
UNSAFE["tables"][0]["cells"]["status"][4] = ""
RELEASES = {"good.json": EXAMPLE, "sub/bad.json": BROKEN, "sub/open.json": UNSAFE}
ZIP = {**WAIT, "Content-Type": "application/zip"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.fixture(scope="module")
def packed() -> bytes:
    return archive(*((name, json.dumps(release).encode()) for name, release in RELEASES.items()))


def test_every_release_has_its_entry_and_its_report(client: TestClient, packed: bytes, tmp_path: Path) -> None:
    response = client.post("/v1/batches?html=true", content=packed, headers=ZIP)
    assert response.status_code == 200, response.text
    (tmp_path / "releases.zip").write_bytes(packed)
    out = tmp_path / "out"
    line = ["batch", str(tmp_path / "releases.zip"), "-o", str(out), "--html", "--json", str(tmp_path / "cli.json")]
    assert CliRunner().invoke(command, line).exit_code == 1
    assert response.content == (tmp_path / "cli.json").read_bytes()
    verdicts = {entry["name"]: entry["verdict"] for entry in response.json()["releases"]}
    assert verdicts == {"good.json": "safe", "sub/bad.json": "failed", "sub/open.json": "unsafe"}
    job = path_of(response)
    assert client.get(job).json()["outcome"] == "unsafe"
    reports = [entry[kind] for entry in response.json()["releases"] for kind in ("report", "html") if entry[kind]]
    assert len(reports) == 4
    for name in reports:
        assert client.get(f"{job}/{name}").content == (out / name).read_bytes()
    page = client.get(f"{job}/report.html")
    assert all(f'href="{name}"' in page.text for name in reports if name.endswith(".html"))
    assert client.get(f"{job}/reports/sub/bad.json.json").status_code == 404
    assert client.get(f"{job}/reports/../batch.json").status_code == 404
    rows = list(csv.DictReader(io.StringIO(client.get(f"{job}/result?format=csv").text, newline="")))
    assert [row["verdict"] for row in rows] == ["safe", "failed", "unsafe"]
    assert json.loads(rows[0]["counts"])["cells"] == 9


def test_together_and_with_a_policy(client: TestClient) -> None:
    other = json.loads(json.dumps(EXAMPLE).replace("by_region_and_size", "again"))
    both = archive(("one.json", json.dumps(EXAMPLE).encode()), ("two.json", json.dumps(other).encode()))
    files = {"releases": ("all.zip", both), "policy": ("policy.yaml", b"require: {risk: 0.01}\n")}
    response = client.post("/v1/batches?together=true", files=files, headers=WAIT)
    assert response.status_code == 200, response.text
    assert response.json()["together"] == ["one.json", "two.json"]
    (entry,) = response.json()["releases"]
    assert (entry["verdict"], entry["counts"]["cells"]) == ("unsafe", 9)
    assert entry["policy_sha256"] is not None


def test_a_manifest_lists_those_that_are_wanted(client: TestClient, packed: bytes) -> None:
    files = {"releases": ("all.zip", packed), "manifest": ("which.csv", b"file\ngood.json\nnone.json\n")}
    response = client.post("/v1/batches", files=files, headers=WAIT)
    assert response.status_code == 200, response.text
    verdicts = {entry["name"]: entry["verdict"] for entry in response.json()["releases"]}
    assert verdicts == {"good.json": "safe", "none.json": "failed"}
    files["manifest"] = ("which.csv", b"name\ngood.json\n")
    assert client.post("/v1/batches", files=files, headers=WAIT).status_code == 422


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (archive(("readme.txt", b"x")), "invalid-release"),
        (archive(("../up.json", b"{}")), "invalid-release"),
        (archive(("x" * 201 + ".json", json.dumps(EXAMPLE).encode())), "invalid-release"),
        (b"PK\x03\x04", "invalid-release"),
        (b"no archive", "invalid-release"),
    ],
)
def test_archives_that_cannot_be_used(client: TestClient, content: bytes, slug: str) -> None:
    response = client.post("/v1/batches", content=content, headers=ZIP)
    assert response.status_code == 422, response.text
    assert response.json()["type"].endswith(slug)


def test_only_archives_are_taken(client: TestClient) -> None:
    assert client.post("/v1/batches", json=EXAMPLE, headers=WAIT).status_code == 415
    form = client.post("/v1/batches", files={"releases": ("a.json", b"{}"), "x": ("b.json", b"{}")}, headers=WAIT)
    assert form.status_code == 422
