"""What is safe as listed only is called so wherever a verdict is said: audit, batches, publications; text, page, CSV,
JSON and HTTP."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asking import archive, asked
from paging import BROWSER, identity, until_done
from small import document, table
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.audit.batch import Batch
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.publications import Assessment
from tableseal.audit.report import Report

TURNOVER = {
    "measures": {"money": {"kind": "magnitude"}},
    "variables": {"d": {"total": "T", "codes": ["k", "l", "m"]}},
    "policy": {"primary": [{"p_percent": 10}]},
}
"""k is left out: it can be computed, and nobody can say whether the p% rule finds it sensitive."""


def turnover(**changes: Any) -> dict[str, Any]:
    cells = {"d": ["T", "l", "m"], "value": [90, 30, 40], "x1": [10, 9, 8], "x2": [9, 8, 7]}
    held = {"name": "t", "measure": "money", "cells": cells, "contributors": ["x1", "x2"], **changes}
    return {"tableseal": 1, **TURNOVER, "tables": [held | {"absent": {"leaves": "not_released"}}]}


def off() -> dict[str, Any]:
    policy = {"primary": [{"threshold": 3}], "implied": "off"}
    return document(table(["T", "k", "l", "m"], [30, 5, 12, 13]), policy=policy)


WHOLE = document(table(["T", "k", "l", "m"], [30, 5, 12, 13]), policy={"primary": [{"threshold": 3}]})
COMPUTED = "1 further cell can be computed that no rule could judge"
NOT_LOOKED = "cells that no row lists were not looked for (implied: off)"


@pytest.fixture(params=["computed", "off"])
def partly(request: pytest.FixtureRequest) -> tuple[dict[str, Any], str]:
    """A release that is safe as listed, and why."""
    return (turnover(), COMPUTED) if request.param == "computed" else (off(), NOT_LOOKED)


def run(*arguments: object) -> tuple[int, list[str], Any]:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json", "found.json"])
    return result.exit_code, result.output.splitlines(), json.loads(Path("found.json").read_text("utf-8"))


def put(name: str, release: dict[str, Any]) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(json.dumps(release), "utf-8")
    return name


def test_by_an_audit(partly: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CONVENTION 630
    monkeypatch.chdir(tmp_path)
    release, why = partly
    code, lines, found = run("audit", put("r.json", release))
    assert (code, found["verdict"], found["called"]) == (0, "safe", "safe as listed")
    assert lines[0] == lines[-1]
    assert lines[0].startswith(f"SAFE as listed; {why}.")
    jsonschema.validate(found, schema_of(Report))


def test_by_a_batch(partly: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CONVENTION 630
    monkeypatch.chdir(tmp_path)
    release, why = partly
    put("many/a.json", release)
    put("many/b.json", WHOLE)
    code, lines, found = run("batch", "many", "-o", "results")
    assert code == 0
    assert lines[0] == "2 releases: 2 safe (1 as listed), 0 unsafe, 0 undecided, 0 failed"
    assert any(line.startswith("  a.json: safe as listed: ") and why in line.lower() for line in lines), lines
    assert not any(line.startswith("  b.json") for line in lines)
    jsonschema.validate(found, schema_of(Batch))
    assert (found["verdict"], found["called"], found["counts"]["safe_as_listed"]) == ("safe", "safe as listed", 1)
    assert [entry["called"] for entry in found["releases"]] == ["safe as listed", "safe"]
    rows = csv.DictReader(io.StringIO(Path("results/summary.csv").read_text("utf-8")))
    assert [row["verdict"] for row in rows] == ["safe as listed", "safe"]
    page = Path("results/summary.html").read_text("utf-8")
    assert '<h1>Batch: <span class="safe">safe as listed</span></h1>' in page
    assert '<td class="safe">safe as listed</td>' in page
    assert run("batch", "many", "-o", "results") == (code, lines, found), "what was done is known again"


def test_by_releases_together(
    partly: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # CONVENTION 630
    monkeypatch.chdir(tmp_path)
    release, why = partly
    put("one/a.json", release)
    code, lines, found = run("batch", "one", "--together", "-o", "results")
    assert (code, lines[0]) == (0, "1 release together: safe as listed")
    assert any(why in line.lower() for line in lines)
    assert (found["verdict"], found["called"]) == ("safe", "safe as listed")
    assert "safe as listed" in Path("results/summary.html").read_text("utf-8")
    put("one/b.json", release)
    assert run("batch", "one", "--together", "-o", "results")[1][0] == "2 releases together: safe as listed"


def test_by_a_publication(partly: tuple[dict[str, Any], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CONVENTION 630
    monkeypatch.chdir(tmp_path)
    release, why = partly
    code, lines, found = run("publication", "audit", "p", put("r.json", release), "--data", "data", "--publish")
    assert (code, lines[0]) == (0, "SAFE as listed: 1 table audited together.")
    assert any(why in line.lower() for line in lines)
    jsonschema.validate(found, schema_of(Assessment))
    assert (found["verdict"], found["called"], found["published"]) == ("safe", "safe as listed", 1)
    assert found["report"]["called"] == "safe as listed"
    again = run("publication", "audit", "p", "r.json", "--data", "data")
    assert again[1][0] == "SAFE as listed: 2 tables audited together."


def test_by_the_service(partly: tuple[dict[str, Any], str], tmp_path: Path) -> None:
    # CONVENTION 630
    release, why = partly
    text = json.dumps(release)
    with asked(tmp_path) as client:
        wait = {"Prefer": "wait=60"}
        found = client.post("/v1/audits", content=text, headers={**wait, "content-type": "application/json"}).json()
        assert (found["verdict"], found["called"]) == ("safe", "safe as listed")
        packed = archive(("a.json", text.encode()))
        headers = {"content-type": "application/zip", **wait}
        found = client.post("/v1/batches", content=packed, headers=headers).json()
        assert (found["called"], found["releases"][0]["called"]) == ("safe as listed", "safe as listed")
        rows = client.post("/v1/batches", content=packed, headers={**headers, "accept": "text/csv"}).text
        assert next(csv.DictReader(io.StringIO(rows)))["called"] == "safe as listed"
        headers = {**wait, "content-type": "application/json"}
        found = client.post("/v1/publications/p/releases", content=text, headers=headers).json()
        assert (found["verdict"], found["called"]) == ("safe", "safe as listed")
        client.headers.update(BROWSER)
        page = until_done(client, client.post("/batches", files=[("files", ("a.json", text))])).text
        assert "<strong>Safe as listed</strong><p>1 safe (1 as listed), 0 unsafe" in page
        assert '<span class="state safe">safe as listed</span>' in page
        draft = identity(client.post("/releases", files={"files": ("release.json", text)}))
        page = until_done(client, client.post("/publications", data={"draft": draft, "name": "q"})).text
        assert "<strong>Safe as listed</strong>" in page
        assert why in page.lower()
        assert "1 table was audited together" in page
