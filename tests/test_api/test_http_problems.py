"""Problems say where in the request they lie, in documents and in data files: CONVENTION 365."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked
from fastapi.testclient import TestClient

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.problems import problem_of
from tableseal.audit.errors import TablesealError
from tableseal.audit.io import release_from_document


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


def table(**more: Any) -> dict[str, Any]:
    """The example with other columns."""
    first = EXAMPLE["tables"][0]
    return {**EXAMPLE, "tables": [{**first, "cells": {**first["cells"], **more}}]}


RICH: dict[str, Any] = copy.deepcopy(EXAMPLE)
RICH["policy"] = {"primary": [{"threshold": 3}, {"dominance": {"n": 1, "k": 80}}], "require": {"exposed": False}}
RICH["intruder"] = {"nonnegative": True, "insiders": ["largest"]}
RICH["links"] = [{"terms": [[1, {"region": "N", "size": "small"}]], "lower": 1, "upper": 50}]
RICH["tables"][0] |= {"where": {}, "columns": {"region": "region"}, "absent": {"leaves": "zero"}}


def paths(node: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


def test_whatever_is_wrong_in_a_document_has_a_pointer() -> None:
    """Every entry replaced in turn by what may not stand there: the pointer leads to it, above it or beside it."""
    seen = 0
    for path in paths(RICH):
        for wrong in (None, "zz", -5, [], {}, [1], {"a": 1}, True, ""):
            changed = copy.deepcopy(RICH)
            node: Any = changed
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = wrong
            try:
                release_from_document(changed, source="release.json")
            except TablesealError as error:
                problem = problem_of(error)
                if "say what is tabulated" in problem.detail:  # a key that is not there
                    continue
                assert problem.places, problem.detail
                assert problem.places[0].pointer, problem.detail
                if problem.places[0].pointer.split("/")[1] == path[0]:
                    seen += 1
    assert seen > 300


@pytest.mark.parametrize(
    ("body", "slug", "pointers"),
    [
        (table(value=[2, 18, 20, 24, 6, 30, 26, 24, 51]), "not-additive", ["/tables/0/cells/value/8"]),
        (table(value=[2, 18, 20, 24, 6, 30, 26, 25, 50]), "not-additive", ["/tables/0/cells/value/8"]),
        (table(region=["N"] * 4 + ["S"] * 2 + ["T"] * 3), "contradiction", None),
        ({**EXAMPLE, "policy": {"primary": [{"p_percent": 10}]}, "kind": "magnitude"}, "invalid-release", None),
        ({**EXAMPLE, "tabels": []}, "invalid-release", ["/tabels"]),
        ({**EXAMPLE, "intruder": {"nonegative": True}}, "invalid-release", ["/intruder/nonegative"]),
    ],
)
def test_the_rows_in_question_are_named(client: TestClient, body: Any, slug: str, pointers: list[str] | None) -> None:
    response = client.post("/v1/audits", json=body, headers=WAIT)
    problem = response.json()
    assert response.status_code == 422
    assert problem["type"] == f"urn:tableseal:problem:{slug}"
    found = [place["pointer"] for place in problem.get("places", [problem])]
    assert found == (pointers or found)
    assert all(pointer.startswith("/") for pointer in found)


def test_two_statements_that_contradict_each_other_are_two_places(client: TestClient) -> None:
    cells = EXAMPLE["tables"][0]["cells"]
    twice = {name: [*entries, entries[2]] for name, entries in cells.items()}
    twice["value"][-1] = 21
    problem = client.post("/v1/audits", json=table(**twice), headers=WAIT).json()
    assert problem["type"].endswith("contradiction")
    assert [place["pointer"] for place in problem["places"]] == ["/tables/0/cells/value/2", "/tables/0/cells/value/9"]
    assert problem["pointer"] == "/tables/0/cells/value/2"


DATA = "region,size,value,status\nN,small,,primary\nN,large,4,\nN,Total,7,\n"
FILES = {**EXAMPLE, "tables": [{"name": "t", "file": "by region.csv", "status": "status"}]}


def with_data(client: TestClient, data: str, name: str = "by region.csv") -> Any:
    files = [("release", ("release.json", json.dumps(FILES))), ("file", (name, data))]
    response = client.post("/v1/audits", files=files, headers=WAIT)
    assert response.status_code == 422, response.text
    return response.json()


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("N,large,4,", "N,large,4x,", {"row": 2, "line": 3, "column": "value"}),
        ("N,large,4,", "N,huge,4,", {"row": 2, "line": 3, "column": "size"}),
        ("N,Total,7,", "N,Total,7,stolen", {"row": 3, "line": 4, "column": "status"}),
        ("N,large,4,", "N,large,4", {"row": 2, "line": 3}),
        ("N,Total,7,", "N,Total,2,", {"row": 3}),
        ("region,size", "region,region", {}),
        ("N,small,", '"N,small,', {}),
    ],
)
def test_errors_in_data_files_name_row_and_column(
    client: TestClient, old: str, new: str, place: dict[str, Any]
) -> None:
    problem = with_data(client, DATA.replace(old, new))
    assert problem["source"] == "by region.csv"
    assert {key: problem.get(key) for key in place} == place


def test_a_bare_table_has_rows_too(client: TestClient) -> None:
    headers = {**WAIT, "Content-Type": "text/csv"}
    problem = client.post("/v1/audits", content="region,value\nN,1\nS,2,3\n", headers=headers).json()
    assert (problem["source"], problem["row"], problem["line"]) == ("release.csv", 2, 3)


def test_broken_documents_name_line_and_character(client: TestClient) -> None:
    headers = {**WAIT, "Content-Type": "application/json"}
    problem = client.post("/v1/audits", content='{"tableseal": 1,\n "tables": ]', headers=headers).json()
    assert (problem["source"], problem["line"], problem["character"]) == ("release.json", 2, 12)


def test_errors_in_a_policy_point_into_the_policy(client: TestClient) -> None:
    policy = "primary:\n  - threshold: few\n"
    files = [("release", ("release.json", json.dumps(EXAMPLE))), ("policy", ("policy.yaml", policy))]
    problem = client.post("/v1/audits", files=files, headers=WAIT).json()
    assert (problem["source"], problem["pointer"]) == ("policy.yaml", "/primary/0/threshold")


def test_every_type_of_problem_is_in_the_reference() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "reference" / "http.md").read_text("utf-8")
    slugs = {
        slug
        for path in (root / "api").rglob("*.py")
        for slug in re.findall(r'Problem\(\s*"([a-z-]+)"', path.read_text("utf-8"))
    }
    slugs |= {"limit", "not-additive", "contradiction", "invalid-release", "not-found", "method-not-allowed"}
    assert {"limit", "time-limit", "not-acceptable", "idempotency-key-reused"} < slugs
    assert [slug for slug in sorted(slugs) if f"`{slug}`" not in page] == []
