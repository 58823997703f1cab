"""Suppressions and comparisons over HTTP are those of the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.http.protections import UNPROTECTED


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "release.json").write_text(json.dumps(UNPROTECTED), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(*arguments: str) -> bytes:
    result = CliRunner().invoke(command, [*arguments, "--json", "out.json"])
    assert result.exit_code == 0, result.output
    return Path("out.json").read_bytes()


def test_a_suppression_with_its_protected_release(client: TestClient, folder: Path) -> None:
    query = "cost=unit&table_weight=by_region_and_size%3D2&tell_statuses=true"
    response = client.post(f"/v1/suppressions?{query}", json=UNPROTECTED, headers=WAIT)
    assert response.status_code == 200, response.text
    options = ["--cost", "unit", "--table-weight", "by_region_and_size=2", "--tell-statuses", "-o", "protected.json"]
    assert response.content == printed("suppress", "release.json", *options, "--html", "page.html")
    job = path_of(response)
    assert client.get(f"{job}/protected").content == Path("protected.json").read_bytes()
    assert client.get(f"{job}/report.html").content == Path("page.html").read_bytes()
    assert client.get(job).json()["outcome"] == "safe"
    lines = client.get(f"{job}/result?format=jsonl").text.splitlines()
    assert [json.loads(line) for line in lines] == response.json()["cells"]
    audited = client.post("/v1/audits", content=Path("protected.json").read_bytes(),
                          headers={**WAIT, "Content-Type": "application/json"})  # fmt: skip
    assert audited.json()["verdict"] == "safe"


def test_decisions_and_the_last_period(client: TestClient, folder: Path) -> None:
    first = client.post("/v1/suppressions", json=UNPROTECTED, headers=WAIT)
    protected = client.get(f"{path_of(first)}/protected").content
    files = {"release": ("release.json", json.dumps(UNPROTECTED)), "last_period": ("last.json", protected)}
    response = client.post("/v1/suppressions", files=files, headers=WAIT)
    assert response.status_code == 200, response.text
    (folder / "last.json").write_bytes(protected)
    assert response.content == printed("suppress", "release.json", "--last-period", "last.json")
    files = {"release": ("release.json", json.dumps(UNPROTECTED)), "decisions": ("decisions.csv", "nonsense\n1\n")}
    wrong = client.post("/v1/suppressions", files=files, headers=WAIT)
    assert wrong.status_code == 422
    assert wrong.json()["source"] == "decisions.csv"


def test_a_comparison(client: TestClient, folder: Path) -> None:
    response = client.post("/v1/comparisons?methods=optimal,elimination,rounding:5", json=UNPROTECTED, headers=WAIT)
    assert response.status_code == 200, response.text
    line = ["compare", "release.json", "--methods", "optimal,elimination,rounding:5", "--html", "page.html"]
    assert response.content == printed(*line)
    assert client.get(f"{path_of(response)}/report.html").content == Path("page.html").read_bytes()
    assert client.get(f"{path_of(response)}/protected").status_code == 404
    text = client.get(f"{path_of(response)}/result?format=csv").text
    assert [row.partition(",")[0] for row in text.splitlines()] == ["method", "optimal", "elimination", "rounding:5"]


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("/v1/suppressions?method=best", "method"),
        ("/v1/suppressions?table_weight=x", "table_weight"),
        ("/v1/suppressions?solver=abacus", "solver"),
        ("/v1/comparisons?trade_off=-1", "trade_off"),
    ],
)
def test_options_that_cannot_be_used_are_named(client: TestClient, path: str, parameter: str) -> None:
    response = client.post(path, json=UNPROTECTED, headers=WAIT)
    assert response.status_code == 422
    assert response.json()["parameter"] == parameter


@pytest.mark.parametrize("said", ["range=3", "reach=2", "balanced=true", "rate=0.1&rate=0.2", "weights=1&weights=0.5"])
def test_an_option_of_another_method_is_an_error_of_the_request(client: TestClient, said: str) -> None:
    """CONVENTION 873: whatever kind its value is; a number here was answered with 500."""
    response = client.post(f"/v1/protections?method=synthetic&{said}", json=UNPROTECTED, headers=WAIT)
    assert response.status_code == 422, response.text
    assert response.json()["parameter"] == said.partition("=")[0]
    assert "is for" in response.json()["detail"]
