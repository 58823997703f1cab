"""Syntax errors are told before anything is a job, and all errors of a document at once with their places.

CONVENTION 730.
"""

import json
from pathlib import Path

import pytest
from asking import WAIT, asked

from tableseal.api.http.audits import EXAMPLE


@pytest.mark.parametrize(
    ("content", "media_type", "line"),
    [
        (json.dumps(EXAMPLE, indent=1)[:-2] + ",", "application/json", 79),
        ("tableseal: 1\ntables: [\nkind: {count\n", "application/yaml", 4),
        ("a: *b", "application/yaml", 1),
        ('{"tableseal": 1, "tableseal": 2}', "application/json", None),
    ],
)
def test_a_syntax_error_is_told_before_there_is_a_job(
    tmp_path: Path, content: str, media_type: str, line: int | None
) -> None:
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        refused = client.post("/v1/audits", content=content, headers={"Content-Type": media_type})
        assert refused.status_code == 422
        assert refused.json()["type"].endswith(":invalid-release")
        assert refused.json().get("line") == line
        assert client.get("/v1/jobs").json() == []
        for body in (json.dumps(EXAMPLE), "\ufeff" + json.dumps(EXAMPLE)):
            taken = client.post("/v1/audits", content=body.encode(), headers={"Content-Type": "application/json"})
            assert taken.status_code == 202


def test_what_is_large_is_left_to_the_job(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, inline_bytes=10) as client:
        sent = client.post("/v1/audits", content="{" * 11, headers={"Content-Type": "application/json"})
        assert sent.status_code == 202


def test_all_errors_of_a_document_are_told_at_once(tmp_path: Path) -> None:
    table = {**EXAMPLE["tables"][0], "titel": "x"}
    wrong = {**EXAMPLE, "kind": "cuont", "tables": [table], "policy": {"primary": [{"threshold": "many"}]}}
    with asked(tmp_path, worker=False) as client:
        problem = client.post("/v1/audits", json=wrong, headers=WAIT).json()
        found = {one["pointer"]: one["detail"] for one in problem["errors"]}
        assert len(problem["errors"]) == 3
        assert {"/kind", "/tables/0/titel"} < set(found)
        assert any(pointer.startswith("/policy/primary/0") for pointer in found)
        assert problem["detail"].startswith(problem["errors"][0]["detail"])
        assert problem["detail"].endswith("(And 2 more errors in this document.)")
        assert problem["pointer"] == problem["errors"][0]["pointer"]
        assert all("more error" not in detail for detail in found.values())
        alone = client.post("/v1/audits", json={**EXAMPLE, "kind": "cuont"}, headers=WAIT).json()
        assert "errors" not in alone
        page = client.post("/releases", files={"files": ("a.json", json.dumps(wrong))}, headers={"Accept": "text/html"})
        assert page.text.count("<li>") >= 3
        assert "titel" in page.text


def test_what_is_not_ready_says_what_to_do(tmp_path: Path) -> None:
    """A table whose columns are not marked, and a choice that is none (it was 500)."""
    table = {"files": ("t.csv", b"region,size,value\nN,small,3\nN,large,17\nT,small,3\n")}
    with asked(tmp_path, worker=False) as client:
        page = client.post("/releases", files=table)
        draft = page.url.path
        for path, form in (
            (f"{draft}/audits", {}),
            (f"{draft}/suppressions", {"method": "heuristic"}),
            (f"{draft}/comparisons", {"method": "heuristic"}),
            ("/publications", {"name": "x", "draft": draft.rpartition("/")[2]}),
            (f"{draft}/choice", {"release": "t.csv"}),
            (f"{draft}/choice", {}),
        ):
            refused = client.post(path, data=form)
            assert refused.status_code == 409, path
            assert refused.json()["detail"].endswith(f": mark what its columns are at {draft}.")
        assert [job["kind"] for job in client.get("/v1/jobs").json()] == ["draft"]
