"""`tableseal protect` and its doors: what is written, what is not, exit codes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result
from fastapi.testclient import TestClient
from typer.testing import CliRunner

import tableseal as ts
from tableseal.api.cli.app import app
from tableseal.api.cli.exit_codes import Code
from tableseal.api.http.protections import UNPROTECTED
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.io import read_release
from tableseal.suppression.protections.document import ProtectionReport
from tableseal.suppression.protections.names import WORDS
from tests.support.asking import WAIT, asked, path_of
from tests.support.methods_said import OF_RECORDS, OTHERS, flags, records_of

CELLS = {
    "district": ["North"] * 3 + ["South"] * 3 + ["Total"] * 3,
    "sex": ["F", "M", "T"] * 3,
    "value": [1, 17, 18, 14, 22, 36, 15, 39, 54],
}

RECORDS = records_of("district", "sex", {("North", "F"): 1, ("North", "M"): 17, ("South", "F"): 14, ("South", "M"): 22})


def document(**policy: Any) -> dict[str, Any]:
    return {
        "tableseal": 1,
        "title": "Patients",
        "kind": "count",
        "variables": {
            "district": {"total": "Total", "codes": ["North", "South"]},
            "sex": {"total": "T", "codes": ["F", "M"]},
        },
        "tables": [{"name": "patients", "cells": CELLS}],
        "policy": policy or {"primary": [{"threshold": 2}], "require": {"protection": False}},
    }


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "release.json"
    path.write_text(json.dumps(document()), "utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["protect", *map(str, words)])


@pytest.mark.parametrize("option", ["--html", "--json", "--confidential"])
def test_nothing_is_written_where_one_file_cannot_be(release: Path, tmp_path: Path, option: str) -> None:
    """CONVENTION 1017."""
    before = set(tmp_path.iterdir())
    target = tmp_path / ("a" * 300)
    made = run(release, "--method", "conventional-rounding", "--base", 5, "-o", tmp_path / "out.yaml", option, target)
    assert made.exit_code == Code.BAD_INPUT
    assert f"{option} {target}: cannot be written: File name too long." in made.stderr
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("method", [method for method in WORDS if method.endswith("rounding") or method in OTHERS])
def test_what_goes_out_is_safe_by_itself_and_holds_no_true_value(release: Path, tmp_path: Path, method: str) -> None:
    """CONVENTION 710."""
    out, kept, page = (tmp_path / name for name in ("out.yaml", "kept.json", "page.html"))
    files = ("-o", out, "--confidential", kept, "--html", page, "--json", tmp_path / "result.json")
    if method in OF_RECORDS:
        release.write_text(json.dumps(document() | {"microdata": {"cells": RECORDS}}), "utf-8")
    result = run(release, "--method", method, *flags(method), "--seed", 8, *files)
    assert result.exit_code == Code.DONE, result.output
    assert result.stdout.startswith("SAFE")
    assert f"\n{method}" in result.stdout
    found = json.loads((tmp_path / "result.json").read_text("utf-8"))
    jsonschema.validate(found, schema_of(ProtectionReport))
    protected = read_release(out)
    assert not any(table.truth.known.any() for table in protected.tables if table.rounding is not None)
    assert protected.policy is None
    assert CliRunner().invoke(app, ["audit", str(kept)]).exit_code == Code.DONE
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_an_unsafe_release_is_not_written(tmp_path: Path) -> None:
    path, out = tmp_path / "release.json", tmp_path / "out.yaml"
    path.write_text(json.dumps(document(primary=[{"threshold": 6}])), "utf-8")
    result = run(path, "--method", "random-rounding", "--base", 3, "-o", out)
    assert result.exit_code == Code.UNSAFE
    assert f"{out} was not written" in result.stdout
    assert not out.exists()


def test_what_a_time_limit_left_undecided_is_not_to_be_written(release: Path) -> None:
    result = run(release, "--method", "controlled-rounding", "--base", 3, "--time-limit", 0)
    assert result.exit_code == Code.UNDECIDED
    assert "Next: decide more with a longer --time-limit, or none." in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--base", "1"), "--base"),
        (("--base", "2.5"), "a multiple of the unit"),
        (("--base", "x"), "expected a number"),
        ((), "needs --base"),
        (("--method", "rounding", "--base", "3"), "no such method"),
        (
            ("--method", "random-rounding", "--base", "3", "--by", "sex"),
            "is for ",
        ),
        (("--method", "semi-controlled-rounding", "--base", "3", "--by", "gender"), "no such variable"),
    ],
)
def test_bad_use_is_refused_and_nothing_is_written(
    release: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    """CONVENTION 713."""
    out = tmp_path / "out.yaml"
    result = run(release, *words, "-o", out)
    assert result.exit_code == Code.BAD_INPUT
    assert message in result.stderr
    assert not out.exists()


def test_a_cell_without_a_true_value_is_named_and_nothing_is_written(release: Path, tmp_path: Path) -> None:
    """CONVENTION 713."""
    given = document()
    given["tables"][0]["cells"] = {**CELLS, "value": [None, *CELLS["value"][1:]]}
    release.write_text(json.dumps(given), "utf-8")
    result = run(release, "--base", 3, "-o", tmp_path / "out.yaml")
    assert result.exit_code == Code.BAD_INPUT
    assert "has no true value" in result.stderr
    assert "district=North, sex=F" in result.stderr
    assert not (tmp_path / "out.yaml").exists()


def test_public_copies_tell_neither_seed_nor_figures(release: Path) -> None:
    """CONVENTION 712."""
    options = ("--method", "random-rounding", "--base", 5, "--seed", 77123)
    result = run(release, *options, "--public", "--json", "-")
    found = json.loads(result.stdout)
    assert found["statement"] | {"words": ""} == {
        "method": "random-rounding",
        "words": "",
        "settings": {"base": "5"},
        "cells": 9,
        "additive": False,
        "details": [],
        "seed": None,
        "confidence": None,
        "optimum": None,
        "combined": [],
    }
    assert "77123" not in result.output
    assert "changed" not in result.stderr


def test_the_schema_is_printed() -> None:
    result = CliRunner().invoke(app, ["schema", "protection"])
    assert json.loads(result.stdout) == schema_of(ProtectionReport)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


def test_the_service_gives_what_the_command_gives(client: TestClient, release: Path, tmp_path: Path) -> None:
    query = "method=controlled-rounding&base=5"
    response = client.post(f"/v1/protections?{query}", json=document(), headers=WAIT)
    assert response.status_code == 200, response.text
    run(
        release,
        "--method",
        "controlled-rounding",
        "--base",
        5,
        "--json",
        tmp_path / "out.json",
        "-o",
        tmp_path / "p.json",
    )
    assert response.content == (tmp_path / "out.json").read_bytes()
    protected = client.get(f"{path_of(response)}/protected")
    assert protected.json() == json.loads((tmp_path / "p.json").read_text("utf-8"))
    for wrong, parameter in (("method=none&base=3", "method"), ("base=1", "base"), ("base=3&by=x", "by")):
        refused = client.post(f"/v1/protections?{wrong}", json=UNPROTECTED, headers=WAIT)
        assert refused.status_code == 422
        assert refused.json()["parameter"] == parameter


def test_the_door(tmp_path: Path) -> None:
    found = ts.protect(document(), method="controlled-rounding", base=5)
    assert repr(found) == (
        "ProtectResult(verdict='safe', method='controlled-rounding', cells=9, status='optimal', gap=0.0)"
    )
    frame = found.to_frame("polars")
    assert set(frame["value"] % 5) == {0}
    assert found.stopped_by is None
    assert [path.name for path in found.save(tmp_path / "p.yaml")] == ["p_patients.csv", "p.yaml"]
    assert json.loads(found.public_json())["confidential"] is False
    assert "iframe" in found._repr_html_()
    assert ts.audit(found.confidential).verdict == ts.audit(found).verdict == "safe"
    assert ts.attack(found, curve=False).to_json() == ts.attack(found.confidential, curve=False).to_json()
    unsafe = ts.protect(document(primary=[{"threshold": 6}]), base=3, method="random-rounding")
    with pytest.raises(ts.InputError, match="only a release whose audit says safe"):
        unsafe.to_frame()


def test_figures_in_words(release: Path) -> None:
    said: Mapping[str, str] = {
        "controlled-rounding": "Proved: no other choice is nearer",
        "random-rounding": "mean change",
    }
    for method, words in said.items():
        assert words in run(release, "--method", method, "--base", 5).stdout


def test_a_redesign_over_http_is_that_of_the_command(client: TestClient, tmp_path: Path) -> None:
    """CONVENTION 812 and 815."""
    document = {
        "tableseal": 1,
        "kind": "count",
        "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}},
        "tables": [{"name": "t", "cells": {"a": ["T", "k", "l", "m"], "value": [12, 1, 4, 7]}}],
        "policy": {"primary": [{"threshold": 3}]},
    }
    (tmp_path / "few.json").write_text(json.dumps(document), "utf-8")
    response = client.post("/v1/protections?method=redesign&neighbours=false", json=document, headers=WAIT)
    assert response.status_code == 200, response.text
    result = run(tmp_path / "few.json", "--method", "redesign", "--no-neighbours", "--json", "-")
    assert json.loads(result.stdout) == response.json()
    (one,) = response.json()["statement"]["combined"]
    assert one == {"variable": "a", "code": "k+l", "parts": ["k", "l"]}
    readers = client.get(f"{path_of(response)}/protected").json()
    assert readers["variables"]["a"]["codes"] == ["k+l", "m"]
