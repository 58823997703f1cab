"""Risk and SAP over HTTP are those of the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import WAIT, asked
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.http.measures import KNOWN, MATRIX

CSV = {**WAIT, "Content-Type": "text/csv"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "release.csv").write_text(MATRIX, "utf-8")
    (tmp_path / "release.json").write_text(json.dumps(KNOWN), "utf-8")
    (tmp_path / "protected.csv").write_text("3,18\n24,0\n", "utf-8")
    (tmp_path / "upper.csv").write_text("4,18\n24,3\n", "utf-8")
    (tmp_path / "matrix.csv").write_text("1,0,0\n0.25,0.5,0.25\n0,0,1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(*arguments: str) -> bytes:
    result = CliRunner().invoke(command, [*arguments, "--json", "out.json"])
    assert result.exit_code == 0, result.output
    return Path("out.json").read_bytes()


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", []),
        ("whole=true&norm=l2", ["--whole", "--norm", "l2"]),
        ("rounding=3&replicates=20&seed=4", ["--rounding", "3", "--replicates", "20", "--seed", "4"]),
        ("where=row%3D1&where=row%3D2&weights=0.2,0.3,0.5",
         ["--where", "row=1", "--where", "row=2", "--weights", "0.2,0.3,0.5"]),
        ("definition=s15&whole=true", ["--definition", "s15", "--whole"]),
        ("population=500&replicates=5&smoothing=add%3D0.5",
         ["--population", "500", "--replicates", "5", "--smoothing", "add=0.5"]),
    ],
)  # fmt: skip
def test_risk_of_a_matrix(client: TestClient, folder: Path, query: str, options: list[str]) -> None:
    response = client.post(f"/v1/risk?{query}", content=MATRIX, headers=CSV)
    assert response.status_code == 200, response.text
    assert response.content == printed("risk", "release.csv", *options)


def test_risk_after_protection(client: TestClient, folder: Path) -> None:
    names = {"original": "release.csv", "protected": "protected.csv"}
    response = client.post(
        "/v1/risk", files={f: (n, (folder / n).read_bytes()) for f, n in names.items()}, headers=WAIT
    )
    assert response.status_code == 200, response.text
    assert response.content == printed("risk", "release.csv", "protected.csv")


def test_risk_with_a_matrix_of_transitions(client: TestClient, folder: Path) -> None:
    small = {"original": ("small.csv", "1,2\n0,2\n"), "protected": ("after.csv", "1,2\n0,1\n")}
    files = {**small, "transition": ("matrix.csv", (folder / "matrix.csv").read_bytes())}
    response = client.post("/v1/risk?definition=s15", files=files, headers=WAIT)
    assert response.status_code == 200, response.text
    for name, text in small.values():
        (folder / name).write_text(text, "utf-8")
    options = ("--definition", "s15", "--transition", "matrix.csv")
    assert response.content == printed("risk", "small.csv", "after.csv", *options)


def test_risk_of_a_release(client: TestClient, folder: Path) -> None:
    response = client.post("/v1/risk", json=KNOWN, headers=WAIT)
    assert response.status_code == 200, response.text
    assert response.content == printed("risk", "release.json")


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", []),
        ("rounding=3&rounded_total=true&n=0-10", ["--rounding", "3", "--rounded-total", "--n", "0-10"]),
        ("definition=resolved&rounding=5&n=0-5&replicates=20&seed=2",
         ["--definition", "resolved", "--rounding", "5", "--n", "0-5", "--replicates", "20", "--seed", "2"]),
        ("schemes=conventional:3,random:3&n=0-6", ["--schemes", "conventional:3,random:3", "--n", "0-6"]),
        ("target=row%3D2,column%3D2&exact=true&n=3", ["--target", "row=2,column=2", "--exact", "--n", "3"]),
        ("given=row&n=0-4", ["--given", "row", "--n", "0-4"]),
    ],
)  # fmt: skip
def test_sap_of_a_matrix(client: TestClient, folder: Path, query: str, options: list[str]) -> None:
    response = client.post(f"/v1/sap?{query}", content=MATRIX, headers=CSV)
    assert response.status_code == 200, response.text
    assert response.content == printed("sap", "release.csv", *options)


def test_sap_with_upper_bounds_and_of_a_release(client: TestClient, folder: Path) -> None:
    files = {"table": ("release.csv", MATRIX), "upper": ("upper.csv", (folder / "upper.csv").read_bytes())}
    response = client.post("/v1/sap", files=files, headers=WAIT)
    assert response.content == printed("sap", "release.csv", "--upper", "upper.csv")
    response = client.post("/v1/sap", json=KNOWN, headers=WAIT)
    assert response.status_code == 200, response.text
    assert response.content == printed("sap", "release.json")


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("/v1/sap?rounded_total=true", "rounded_total"),
        ("/v1/sap?replicates=3", "replicates"),
        ("/v1/sap?n=x", "n"),
        ("/v1/sap?replicates=0", "replicates"),
        ("/v1/risk?weights=x", "weights"),
        ("/v1/risk?where=row", "where"),
        ("/v1/risk?swap_cap=3", "swap_cap"),
        ("/v1/risk?norm=l3", "norm"),
        ("/v1/risk?unknown=3", "unknown"),
    ],
)
def test_options_that_cannot_be_used_are_named_as_parameters(client: TestClient, path: str, parameter: str) -> None:
    response = client.post(path, content=MATRIX, headers=CSV)
    problem = response.json()
    assert response.status_code == 422
    assert problem["type"].endswith("invalid-parameter")
    assert problem["parameter"] == parameter
    assert "--" not in problem["detail"]


def test_too_large_tables_are_refused(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, max_cells=3) as client:
        for path in ("/v1/risk", "/v1/sap"):
            response = client.post(path, content=MATRIX, headers=CSV)
            assert response.status_code == 422
            assert response.json()["type"].endswith(":limit")
            assert "4 cells" in response.json()["detail"]
