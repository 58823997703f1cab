"""Errors of a document are told before anything is a job, and all of a document at once with their places.

CONVENTION 730, 947, 948, 949.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import WAIT, asked
from fastapi.testclient import TestClient

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.plans import EXAMPLE as PLAN
from tableseal.audit.io.agency_document import MicrodataDocument
from tableseal.audit.io.document import ReleaseDocument, TableDocument, VariableDocument
from tableseal.audit.plans.document import PlanDocument

WRONG = [{"x": [1]}]
"""What no field of a document may be."""

TABLE = EXAMPLE["tables"][0]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False, inline_workers=0) as opened:
        yield opened


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


FIELDS = [
    *((f"/{key}", {**EXAMPLE, key: WRONG}) for key in ReleaseDocument.model_fields),
    *((f"/tables/0/{key}", {**EXAMPLE, "tables": [{**TABLE, key: WRONG}]}) for key in TableDocument.model_fields),
    *(
        (f"/variables/size/{key}", {**EXAMPLE, "variables": {"size": {"codes": ["a"], key: WRONG}}})
        for key in VariableDocument.model_fields
        if key not in ("tree", "trees")
    ),
    *((f"/microdata/{key}", {**EXAMPLE, "microdata": {key: WRONG}}) for key in MicrodataDocument.model_fields),
    ("/variables/size/tree", {**EXAMPLE, "variables": {"size": {"tree": {"N": "a"}}}}),
    ("/variables/size/trees/0", {**EXAMPLE, "variables": {"size": {"trees": [["a", None]]}}}),
    ("/tables/0/cells/size/1", {**EXAMPLE, "tables": [{**TABLE, "cells": {"size": ["small", {}]}}]}),
    ("/tables/0/cells/value", {**EXAMPLE, "tables": [{**TABLE, "cells": {"size": ["a", "b"], "value": [1]}}]}),
    ("/tables/0/rounding/ranges", {**EXAMPLE, "tables": [{**TABLE, "rounding": {"ranges": {"5": 1}}}]}),
]


def test_every_field_of_the_wrong_type_is_told_before_there_is_a_job(tmp_path: Path) -> None:
    """CONVENTION 947: with its place, whatever else is right."""
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        for pointer, document in FIELDS:
            problem = client.post("/v1/audits", json=document)
            assert problem.status_code == 422, pointer
            several = problem.json().get("errors", [problem.json()])
            assert any(one.get("pointer", "").startswith(pointer) for one in several), (pointer, several)
        for key in PlanDocument.model_fields:
            assert client.post("/v1/plans", json={**PLAN, key: WRONG}).json()["pointer"].startswith(f"/{key}"), key
        assert client.get("/v1/jobs").json() == []
        assert client.post("/v1/audits", json=EXAMPLE).status_code == 202
        assert client.post("/v1/plans", json=PLAN).status_code == 202


def test_documents_beside_the_main_one_are_told_of_too(tmp_path: Path) -> None:
    """CONVENTION 947: by the role that they have in the form."""
    release = ("r.json", json.dumps(EXAMPLE))
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        for path, role, content, source in (
            ("/v1/audits", "policy", "primary: [{threshold: [3]}]", "p.yaml"),
            ("/v1/audits", "policy", "primary: [", "p.yaml"),
            ("/v1/suppressions", "decisions", "decisions: [{decision: keep}]", "d.yaml"),
            ("/v1/suppressions", "last_period", "tableseal: 1", "l.yaml"),
            ("/v1/risk", "protected", "[]", "q.json"),
        ):
            main = "original" if path == "/v1/risk" else "release"
            refused = client.post(path, files={main: release, role: (source, content)})
            assert refused.status_code == 422, (path, role)
            assert refused.json()["source"] == source
        assert client.get("/v1/jobs").json() == []


def test_what_is_no_text_and_rows_of_another_length_are_told_before_there_is_a_job(tmp_path: Path) -> None:
    """CONVENTION 947: JSON that is no text in any encoding, and delimited text."""
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        for content, media_type in (
            (b"_\x90G\x00!#&", "application/json"),
            (b'{"a": "\x81"}', "application/json"),
            (b"region,value\nN,1,2\n", "text/csv"),
        ):
            refused = client.post("/v1/audits", content=content, headers={"Content-Type": media_type})
            assert refused.status_code == 422, content
            assert refused.json()["source"].startswith("release.")
        assert client.get("/v1/jobs").json() == []


def test_unknown_keys_hide_no_other_error(tmp_path: Path) -> None:
    """CONVENTION 948."""
    table = {**TABLE, "titel": "x", "sorce": "y", "truth": {}, "cells": {"size": {}, "value": [[]]}}
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        problem = client.post("/v1/audits", json={**EXAMPLE, "knid": 1, "tables": [table]}).json()
    assert [one["pointer"] for one in problem["errors"]] == [
        "/knid",
        "/tables/0/titel",
        "/tables/0/sorce",
        "/tables/0/cells/size",
        "/tables/0/cells/value/0",
        "/tables/0/truth",
    ]
    assert problem["errors"][3]["table"] == "by_region_and_size"


@pytest.mark.parametrize(
    ("path", "query", "parameter"),
    [
        ("suppressions", "method=none", "method"),
        ("suppressions", "method=", "method"),
        ("suppressions", "pure=true", "method"),
        ("suppressions", "method=rank&budget=x", "budget"),
        ("suppressions", "table_weight=t", "table_weight"),
        ("suppressions", "symbol=5", "symbol"),
        ("comparisons", "methods=", "methods"),
        ("comparisons", "methods=optimal,best", "methods"),
        ("comparisons", "methods=optimal,optimal", "methods"),
        ("comparisons", "methods=rounding:x", "methods"),
        ("comparisons", "methods=cell-key:span=3", "methods"),
        ("comparisons", "budget=x", "budget"),
        ("protections", "method=none", "method"),
        ("protections", "method=random-rounding&base=x", "base"),
        ("attacks", "attacks=none", "attacks"),
        ("attacks", "tolerate=2", "tolerate"),
        ("risk", "smoothing=x", "smoothing"),
        ("sap", "target=x", "target"),
        ("audits", "public=true&proof=true", "proof"),
        ("audits", "threshold=many", "threshold"),
        ("audits", "status_map=c", "status_map"),
        ("publications/p/releases", "despite=x", "despite"),
        ("publications/p/releases", "revises=x", "revises"),
        ("published", "method=none", "method"),
    ],
)
def test_options_that_no_files_make_good_are_told_before_there_is_a_job(
    client: TestClient, path: str, query: str, parameter: str
) -> None:
    """CONVENTION 949."""
    refused = client.post(f"/v1/{path}?{query}", json=PLAN if path == "published" else EXAMPLE)
    assert refused.status_code == 422, refused.text
    assert refused.json()["type"].endswith(":invalid-parameter")
    assert refused.json()["parameter"] == parameter
    assert client.get("/v1/jobs").json() == []


def test_all_parameters_that_are_wrong_are_told_at_once(client: TestClient) -> None:
    """CONVENTION 949."""
    problem = client.post("/v1/suppressions?methods=x&seed=-1&cost=much", json=EXAMPLE).json()
    assert {one["parameter"] for one in problem["errors"]} == {"methods", "seed", "cost"}
    assert "there is no such parameter here" in str(problem["errors"])


def test_pages_refuse_such_options_too(tmp_path: Path) -> None:
    """CONVENTION 949: a method that is none, and none to compare, were jobs that failed."""
    with asked(tmp_path) as client:
        sent = client.post("/releases", files={"files": ("a.json", json.dumps(EXAMPLE))})
        draft = sent.url.path if sent.url.path.startswith("/releases/") else None
        assert draft is not None, sent.url
        for path, form in (("suppressions", {"method": "none"}), ("comparisons", {})):
            assert client.post(f"{draft}/{path}", data=form).status_code == 422, path
        assert [job["kind"] for job in client.get("/v1/jobs").json()] == ["draft"]


@pytest.mark.parametrize(
    ("path", "parameter", "words"),
    [
        ("/v1/jobs?limit=1&limit=2", "limit", "is given 2 times"),
        ("/v1/jobs?stat=failed", "stat", 'did you mean "state"?'),
        ("/v1/jobs/none?x=1", "x", "it takes none"),
        ("/v1/publications?x=1", "x", "it takes none"),
        ("/v1/publications/p?release=true", "release", 'did you mean "releases"?'),
        ("/v1/audit-log?befor=3", "befor", 'did you mean "before"?'),
    ],
)
def test_parameters_that_are_not_there_or_come_twice_are_refused_everywhere(
    client: TestClient, path: str, parameter: str, words: str
) -> None:
    """CONVENTION 952: nobody gets another list than he asked for; who watches may add what he likes."""
    refused = client.get(path)
    assert refused.status_code == 422
    assert refused.json()["parameter"] == parameter
    assert words in refused.json()["detail"]
    assert client.get("/healthz?x=1").status_code == client.get("/metrics?x=1").status_code == 200


def test_what_the_schema_allows_for_texts_is_taken(client: TestClient) -> None:
    """CONVENTION 947: texts may be written as numbers, true and false; they are read as written."""
    schema = client.get("/openapi.json").json()["components"]["schemas"]["Release"]["properties"]["title"]
    assert set(schema["type"]) == {"string", "number", "boolean"}
    with_job = [client.post("/v1/audits", json={**EXAMPLE, "title": title}) for title in ("a", 5, True)]
    assert [one.status_code for one in with_job] == [202] * 3
    for wrong in (None, [], {}):
        assert client.post("/v1/audits", json={**EXAMPLE, "title": wrong}).json()["pointer"] == "/title"
    for one in with_job:
        for _ in range(2):
            client.delete(one.headers["location"])
