"""The rule that was applied, or that nothing was judged, stands in whatever is said of many releases, of publications
and of patterns."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asking import asked
from paging import BROWSER, identity, until_done
from small import document, table
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.audit.batch import Batch
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.publications import Assessment
from tableseal.suppression.comparison.document import ComparisonReport
from tableseal.suppression.report.model import SuppressionReport

COUNTS = document(table(["T", "k", "l", "m"], [30, 3, 12, 15]))
OTHER = document(table(["T", "k", "l", "m"], [30, 3, 12, 15]), policy={"primary": [{"threshold": 3}]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, release in (("many/a.json", COUNTS), ("many/b.json", OTHER), ("one/a.json", COUNTS)):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(json.dumps(release), "utf-8")
    return tmp_path


def run(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, [*arguments, "--json", "found.json"])
    return result.exit_code, result.output.splitlines()


def said() -> Any:
    return json.loads(Path("found.json").read_text("utf-8"))


def test_of_each_release_of_a_batch(folder: Path) -> None:
    # CONVENTION 590
    code, lines = run("batch", "many", "-o", "results")
    assert code == 3
    assert lines[0] == "2 releases: 1 safe, 0 unsafe, 1 undecided (1 not judged), 0 failed"
    assert lines[1:3] == ["1 release: No rule, and no status.", "1 release: Rule: threshold 3."]
    assert lines[3].startswith("Next: say what is sensitive")
    assert lines[4].startswith("  a.json: not judged: ")
    found = said()
    jsonschema.validate(found, schema_of(Batch))
    assert [(entry["judged"], entry["rules"]) for entry in found["releases"]] == [(False, []), (True, ["threshold 3"])]
    assert f"  a.json: not judged: {found['releases'][0]['headline']}" == lines[4]
    page = Path("results/summary.html").read_text("utf-8")
    assert '<td class="undecided">not judged</td>' in page
    assert "1 release: Rule: threshold 3." in page
    again = run("batch", "many", "-o", "results")
    assert again == (code, lines), "what was done is known again"
    code, lines = run("batch", "many", "--threshold", "3", "-o", "results")
    assert (code, lines[1]) == (0, "Rule: threshold 3.")


def test_of_releases_together(folder: Path) -> None:
    # CONVENTION 590
    code, lines = run("batch", "one", "--together", "-o", "results")
    assert (code, lines[:2]) == (3, ["1 release together: not judged", "No rule, and no status."])
    assert '<h1>Batch: <span class="undecided">not judged</span></h1>' in Path("results/summary.html").read_text()


def test_of_a_publication(folder: Path) -> None:
    # CONVENTION 590
    given = ["publication", "audit", "prices", "one/a.json", "--data", str(folder / "data")]
    code, lines = run(*given)
    assert (code, lines[:2]) == (3, ["NOT JUDGED: 1 table audited together.", "No rule, and no status."])
    assert lines[2].startswith("Next: say what is sensitive")
    found = said()
    jsonschema.validate(found, schema_of(Assessment))
    assert (found["judged"], found["rules"]) == (False, [])
    assert f"  {found['headline']}" == lines[3]
    code, lines = run(*given, "--threshold", "3")
    assert (code, lines[1]) == (0, "Rule: threshold 3.")
    assert said()["rules"] == ["threshold 3"]


def test_of_patterns(folder: Path) -> None:
    # CONVENTION 590
    assert run("suppress", "one/a.json", "--threshold", "4")[1][1] == "Rule: threshold 4."
    found = said()
    jsonschema.validate(found, schema_of(SuppressionReport))
    assert found["rules"] == ["threshold 4"]
    fixed = document(table(["T", "k", "l"], [15, 3, 12], status=["must_publish", "", "must_publish"]))
    Path("fixed.json").write_text(json.dumps(fixed), "utf-8")
    code, lines = run("suppress", "fixed.json", "--threshold", "4")
    assert (code, lines[:2]) == (1, ["IMPOSSIBLE: no pattern is safe.", "Rule: threshold 4."])
    assert said()["rules"] == ["threshold 4"]
    run("compare", "one/a.json", "--threshold", "4", "--methods", "heuristic", "--html", "page.html")
    jsonschema.validate(said(), schema_of(ComparisonReport))
    assert said()["rules"] == ["threshold 4"]
    assert '<p class="applied">Rule: threshold 4.</p>' in Path("page.html").read_text("utf-8")


def test_on_pages(tmp_path: Path) -> None:
    # CONVENTION 590
    with asked(tmp_path) as client:
        client.headers.update(BROWSER)
        sent = [("files", (f"{name}.json", json.dumps(release))) for name, release in (("a", COUNTS), ("b", OTHER))]
        page = until_done(client, client.post("/batches", files=sent)).text
        assert '<span class="state undecided">not judged</span>' in page
        assert '<p class="applied">1 release: Rule: threshold 3.</p>' in page
        for release, word, rule in ((COUNTS, "Not judged", "No rule, and no status."), (OTHER, "Safe", "threshold 3.")):
            draft = identity(client.post("/releases", files={"files": ("release.json", json.dumps(release))}))
            page = until_done(client, client.post("/publications", data={"draft": draft, "name": word})).text
            assert f"<strong>{word}</strong>" in page
            assert f"{rule}</p>" in page
            assert "Not everything could be decided" not in page
