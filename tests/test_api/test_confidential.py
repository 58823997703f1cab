"""What the agency keeps of a protected release: enough to judge its cells beside what goes out later."""

import csv
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient
from full_releases import full_release
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from paging import BROWSER, until_done
from typer.testing import CliRunner, Result

from tableseal.api.cli.app import app
from tableseal.api.problems import problem_of
from tableseal.audit.batch.summary import Batch
from tableseal.audit.codec.documents import schema_of
from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import canonical_json, read_release, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.suppression.suppress import suppress

RULE = {"primary": [{"threshold": 5}]}
DISTRICTS: dict[str, Any] = {
    "tableseal": 1,
    "title": "Patients by district",
    "kind": "count",
    "variables": {"district": {"total": "Total", "codes": ["a", "b"]}},
    "tables": [{"name": "districts", "cells": {"district": ["Total", "a", "b"], "value": [12, 2, 10]}}],
    "policy": RULE,
}
AGES: dict[str, Any] = {
    "tableseal": 1,
    "title": "Patients of district b by age",
    "kind": "count",
    "variables": {**DISTRICTS["variables"], "age": {"total": "all", "codes": ["young", "old"]}},
    "tables": [
        {"name": "ages", "where": {"district": "b"}, "cells": {"age": ["all", "young", "old"], "value": [10, 8, 2]}}
    ],
    "policy": RULE,
}
"""Beside DISTRICTS: young patients of b are 8, so that b is at least 8 and a at most 12 - 8 = 4, not 5."""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, document in (("districts", DISTRICTS), ("ages", AGES)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document), "utf-8")
    for name in ("out", "kept"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def protect() -> None:
    """Both releases, protected: what goes out in `out`, what the agency keeps in `kept`."""
    for name, more in (("districts", []), ("ages", ["--avoid", "age=young"])):
        files = ["-o", f"out/{name}.yaml", "--tell-statuses", "--confidential", f"kept/{name}.yaml"]
        assert run("suppress", f"{name}.json", *files, *more).exit_code == 0


def test_two_protected_files_that_together_give_more_than_the_rule_allows(folder: Path) -> None:
    """CONVENTION 620: the fault that this is for."""
    protect()
    together = run("batch", "kept", "--together", "-o", "results", "--json", "-")
    assert together.exit_code == 1
    report = json.loads((folder / "results/reports/together.json").read_text("utf-8"))
    [a] = [cell for cell in report["cells"] if cell["cell"]["district"] == "a"]
    assert (a["verdict"], a["lower"], a["upper"], a["required"]) == ("underprotected", 0, 4, [0, 5])


def test_what_goes_out_holds_nothing_of_it(folder: Path) -> None:
    """CONVENTION 620: and what is kept holds the statuses even where what goes out does not."""
    assert run("suppress", "districts.json", "-o", "out.json", "--confidential", "kept.yaml").exit_code == 0
    out, kept = json.loads((folder / "out.json").read_text("utf-8")), read_release(folder / "kept.yaml")
    assert "policy" not in out
    assert "truth" not in out["tables"][0]
    assert out["tables"][0]["cells"]["status"] == ["published", "withheld", "withheld"]
    with (folder / "kept_districts.csv").open(encoding="utf-8") as opened:
        rows = [(row["district"], row["value"], row["status"], row["truth"]) for row in csv.DictReader(opened)]
    assert rows == [("Total", "12", "published", "12"), ("a", "", "primary", "2"), ("b", "", "secondary", "10")]
    assert kept.policy is not None
    assert len(kept.policy.primary) == 1


@settings(deadline=None, max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_what_is_kept_is_audited_as_the_search_audited_it(seed: int) -> None:
    """CONVENTION 620: of any release."""
    release = release_from_document({**full_release(Random(seed)), "policy": RULE})
    try:
        result = suppress(release, method="heuristic", explain=False)
    except InputError:
        assume(False)
        raise
    assume(result.release is not None and result.report is not None)
    assert result.release is not None
    assert result.report is not None
    again = audit(release_from_document(json.loads(canonical_json(result.release)))).report
    assert (again.verdict, again.release_sha256) == (result.report.verdict, result.report.release_sha256)
    assert again.cells == result.report.cells


def test_it_is_written_only_if_it_is_safe_and_not_as_one_table(folder: Path) -> None:
    """CONVENTION 620."""
    decisions = {
        "decisions": [
            {
                "decision": "keep_published",
                "cell": {"district": district},
                "reason": "r",
                "name": "n",
                "date": "2026-11-28",
            }
            for district in ("b", "Total")
        ]
    }
    (folder / "decisions.json").write_text(json.dumps(decisions), "utf-8")
    refused = run("suppress", "districts.json", "--decisions", "decisions.json", "--confidential", "kept.json")
    assert refused.exit_code == 1
    assert "kept.json was not written" in refused.output
    assert not (folder / "kept.json").exists()
    assert "no place for the policy" in run("suppress", "districts.json", "--confidential", "kept.csv").output
    over = run("suppress", "districts.json", "--confidential", "districts.json")
    assert over.exit_code == 2
    assert read_release(folder / "districts.json").title == DISTRICTS["title"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


def test_the_service_gives_the_same(client: TestClient, folder: Path) -> None:
    """CONVENTION 620."""
    done = client.post("/v1/suppressions", json=DISTRICTS, headers=WAIT)
    assert done.status_code == 200, done.text
    assert run("suppress", "districts.json", "--confidential", "kept.json").exit_code == 0
    found = client.get(f"{path_of(done)}/confidential")
    assert found.content == (folder / "kept.json").read_bytes()


def test_the_page_of_the_pattern_offers_it(client: TestClient, folder: Path) -> None:
    """CONVENTION 620."""
    found = client.post("/releases", files=[("files", ("r.json", json.dumps(DISTRICTS)))], headers=BROWSER)
    page = until_done(
        client, client.post(f"{found.url.path}/suppressions", data={"method": "optimal"}, headers=BROWSER)
    )
    assert "for the agency only" in page.text
    kept = client.get(f"{page.url.path}/files/confidential.json")
    assert kept.json()["policy"]["primary"] == [{"threshold": 5, "zeros": False}]
    assert kept.json()["tables"][0]["cells"]["truth"] == [12, 2, 10]


def test_together_says_what_no_rule_could_judge(folder: Path) -> None:
    """CONVENTION 621: of what went out nothing says how wide the intervals must stay."""
    protect()
    alone = json.loads(run("audit", "out/districts.yaml", "--json", "-").stdout)
    assert [note["count"] for note in alone["notes"] if note["code"] == "required_unknown"] == [1]
    said = run("batch", "out", "--together", "-o", "results")
    assert said.exit_code == 0
    assert "2 releases together: safe as far as could be judged" in said.output
    assert "How wide the interval must stay of 2 withheld cells no rule could judge" in said.output
    document = json.loads((folder / "results/summary.json").read_text("utf-8"))
    jsonschema.validate(document, schema_of(Batch))
    assert [entry["required_unknown"] for entry in document["releases"]] == [2]
    assert "of 2 withheld cells no rule" in (folder / "results/summary.html").read_text("utf-8")
    assert "no rule could judge" not in run("batch", "kept", "--together", "-o", "judged").output


def magnitudes(policy: dict[str, Any] | None, **columns: Any) -> dict[str, Any]:
    """North is withheld, for itself; as many columns of the agency as are given."""
    cells = {"region": ["Total", "North", "South"], "value": [100, 60, 40], "s": ["", "primary", "secondary"]}
    table = {"name": "t", "status": "s", "cells": {**cells, **columns}}
    named = {key: key for key in ("frequency",) if key in columns}
    if "top1" in columns:
        named["contributors"] = ["top1", "top2"]
    if "up" in columns:
        named["protection"] = {"upper": "up"}
    document = {
        "tableseal": 1,
        "kind": "magnitude",
        "variables": {"region": {"total": "Total", "codes": ["North", "South"]}},
    }
    return {**document, "tables": [{**table, **named}], **({} if policy is None else {"policy": policy})}


FEW = {"primary": [{"threshold": 3}]}
P = {"primary": [{"p_percent": 10}]}
SHARES = {"top1": [40, 40, 20], "top2": [20, 15, 10]}


@pytest.mark.parametrize(
    ("document", "unknown"),
    [
        (magnitudes(None), 1),
        (magnitudes(None, up=[None, 5, None]), 0),
        (magnitudes(FEW, frequency=[9, 5, 4]), 0),  # judged, and found to be none
        (magnitudes(FEW, frequency=[9, None, 4]), 1),
        (magnitudes(P, **SHARES), 0),
        (magnitudes(P, top1=[40, None, 20], top2=[20, None, 10]), 1),
        (magnitudes({"primary": [*FEW["primary"], *P["primary"]]}, frequency=[9, None, 4], **SHARES), 1),
        (magnitudes({"require": {"protection": False}}), 0),
        (magnitudes({"require": {"risk": 1}}), 0),
    ],
)
def test_a_cell_counts_as_judged_if_every_rule_that_concerns_it_has_its_data(document: Any, unknown: int) -> None:
    """CONVENTION 621."""
    assert audit(release_from_document(document)).report.required_unknown == unknown


def publication(name: str, release: str, *more: str) -> Result:
    return run("publication", "audit", name, release, "--database", "sqlite:///ledger.sqlite3", *more)


def test_a_publication_does_not_publish_what_no_rule_could_judge(folder: Path) -> None:
    """CONVENTION 622: but for a reason, which is kept."""
    protect()
    refused = publication("p", "out/districts.yaml", "--publish", "--json", "answer.json")
    assert refused.exit_code == 3
    assert "UNDECIDED" in refused.output
    assert "of 1 withheld cell no rule could judge" in refused.output
    assert "Not published." in refused.output
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    assert (answer["verdict"], answer["report"]["verdict"], answer["required_unknown"]) == ("undecided", "safe", 1)
    out = publication("p", "out/districts.yaml", "--publish", "--despite", "statuses are another agency's")
    assert "Published as entry 1." in out.output
    shown = run("publication", "show", "p", "--database", "sqlite:///ledger.sqlite3").output
    assert "out because: statuses are another agency's" in shown


def test_a_ledger_of_files_with_policy_finds_what_two_tables_give_away(folder: Path) -> None:
    """CONVENTION 622."""
    protect()
    assert publication("p", "kept/districts.yaml", "--publish").exit_code == 0
    found = publication("p", "kept/ages.yaml", "--publish")
    assert found.exit_code == 1
    assert "district=a, age=all: underprotected, through entry 1, districts" in found.output


def test_an_entry_without_true_values_is_told_how_to_be_replaced(folder: Path) -> None:
    """CONVENTION 622."""
    protect()
    publication("p", "out/districts.yaml", "--publish", "--despite", "before files were kept")
    total = {**DISTRICTS, "tables": [{"name": "t", "cells": {"district": ["Total"], "value": [12]}}]}
    (folder / "total.json").write_text(json.dumps(total), "utf-8")
    refused = publication("p", "total.json")
    assert refused.exit_code == 2
    assert "suppress --confidential" in refused.output
    replaced = publication("p", "kept/districts.yaml", "--revises", "1:districts", "--publish")
    assert "Published as entry 2." in replaced.output
    assert publication("p", "total.json").exit_code == 0


def test_the_page_of_a_publication_says_so(client: TestClient, folder: Path) -> None:
    """CONVENTION 622."""
    protect()
    files = [("files", (p.name, p.read_bytes())) for p in sorted((folder / "out").glob("districts*"))]
    draft = client.post("/releases", files=files, headers=BROWSER)
    asked_for = {"name": "p", "draft": draft.url.path.split("/")[-1]}
    page = until_done(client, client.post("/publications", data=asked_for, headers=BROWSER))
    assert "of 1 withheld cell no rule could judge" in page.text
    assert 'name="despite"' in page.text


def test_contributors_who_know_each_other_fall_through_no_table(folder: Path) -> None:
    """CONVENTION 623: and what is accepted of an entry stays accepted beside the next one."""
    firms = magnitudes(P, frequency=[20, 2, 9], top1=[60, 31, 20], top2=[31, 29, 10])
    firms["tables"][0]["cells"] |= {"value": [600, 60, 540]}
    accept = {"cell": {"region": "North"}, "reason": "both wrote so", "by": "A. Officer"}
    for name, document in (("known", firms), ("accepted", {**firms, "accept": [accept]})):
        (folder / f"{name}.json").write_text(json.dumps(document), "utf-8")
    refused = publication("ranks", "known.json", "--publish")
    assert refused.exit_code == 1
    assert "region=North: underprotected, its contributors know each other whatever is withheld" in refused.output
    assert publication("ranks", "accepted.json", "--publish").exit_code == 0
    total = {
        **firms,
        "tables": [{"name": "u", "cells": {"region": ["Total"], "value": [600], "n": [20], "a": [60], "b": [31]}}],
    }
    total["tables"][0] |= {"frequency": "n", "contributors": ["a", "b"], "absent": {"leaves": "not_released"}}
    (folder / "total.json").write_text(json.dumps(total), "utf-8")
    assert publication("ranks", "total.json").exit_code == 0


SECRET = "731973"
"""Digits of what only the agency knows; nothing else in the release has them."""

WRONG = ("{}x", "-{}", "{},5", "{},731,5", "{}.5", "{}e30", "1/{}", "{} to {}", "{}", "<{}")
AGENCY: dict[str, Any] = {
    "value": {},
    "truth": {"truth": "x"},
    "frequency": {"frequency": "x"},
    "weighted": {"weighted": "x"},
    "largest": {"contributors": ["x"]},
    "second": {"contributors": ["first", "x"]},
    "cost": {"cost": "x"},
    "below": {"protection": {"lower": "x"}},
    "sliding": {"protection": {"sliding": "x"}},
}


@pytest.mark.parametrize("role", AGENCY)
def test_no_field_of_an_error_holds_what_only_the_agency_knows(role: str) -> None:
    """CONVENTION 365: whatever is wrong with it, or does not fit; neither in words nor as data."""
    told: list[str] = []
    for wrong, count, again in itertools.product(WRONG, (True, False), (True, False)):
        entry = wrong.format(SECRET, SECRET)
        document = magnitudes(P if role == "frequency" else FEW, first=[50, 7, 20])
        table = document["tables"][0]
        table["cells"]["value" if role == "value" else "x"] = [100, entry, 40] if role == "value" else [9, entry, 9]
        table |= AGENCY[role]
        document |= {"kind": "count" if count else "magnitude"}
        if again:  # another table knows other values of the same cells
            other = json.loads(json.dumps(table).replace(SECRET, "41")) | {"name": "u"}
            document["tables"] = [table, other]
        try:
            suppress(release_from_document(document, source="r.json"), method="heuristic", explain=False)
        except TablesealError as error:
            told.append(repr((error.words(), vars(error), problem_of(error).document())))
    assert len(told) > 10
    assert not [text for text in told if SECRET in text]
