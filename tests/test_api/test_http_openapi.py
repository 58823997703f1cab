"""The OpenAPI document is complete and true: it is valid, its examples run, and the service behaves as it says.

`SCHEMATHESIS_EXAMPLES=2000 pytest tests/test_api/test_http_openapi.py` looks longer for requests that break it;
`python3 do.py faults requests` sends sequences of them to a running service.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import jsonschema
import pytest
import schemathesis
from asking import WAIT, asked, path_of
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.python.asgi import shutdown_lifespans

from cases.service.explained import ELSEWHERE, explained
from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.jobs.kinds import all_kinds
from tableseal.api.settings import Settings

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "3"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_references_lead_somewhere_and_schemas_are_valid(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(document)):
        assert name in schemas
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert not {"HTTPValidationError", "ValidationError"} & set(schemas)


def test_every_route_is_described(client: TestClient, document: dict[str, Any]) -> None:
    app: Any = client.app
    routes = {
        (str(r.path).replace(":path", ""), method.lower())
        for r in iter_route_contexts(app.routes)
        for method in r.methods or ()
        if method != "HEAD" and str(r.path).startswith("/v1/")
    }
    assert len(routes) > 15
    assert {(path, method) for path, method, _ in operations(document)} >= routes
    for path, _, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                content = response["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
            elif status not in ("204",):
                for media_type, kind in response["content"].items():
                    # What events are, this version of OpenAPI has no words for.
                    assert "schema" in kind or media_type == "text/event-stream", (path, status)
        if path.startswith("/v1"):
            assert operation["security"]
        for parameter in operation.get("parameters", ()):
            assert parameter["name"] in ("job", "limit", "last-event-id") or parameter["description"], (path, parameter)


def test_every_kind_of_work_has_its_route(document: dict[str, Any]) -> None:
    work = [path for path, _, operation in operations(document) if "202" in operation["responses"]]
    assert len(work) == len(all_kinds().keys() - {"draft"})  # drafts are made by the pages only


def test_every_example_runs_and_its_result_is_as_described(client: TestClient, document: dict[str, Any]) -> None:
    ran = 0
    for path, method, operation in operations(document):
        contents = operation.get("requestBody", {}).get("content", {})
        for media_type, content in contents.items():
            if "example" not in content:
                continue
            example = content["example"]
            text = example if isinstance(example, str) else json.dumps(example)
            at = path.replace("{name}", "example") + ("?base=3" if path == "/v1/protections" else "")
            response = client.request(method, at, content=text, headers={**WAIT, "Content-Type": media_type})
            assert response.status_code == 200, f"{path} {media_type}: {response.text}"
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.validate(response.json(), {**schema, "components": document["components"]})
            if media_type == "application/json":
                body = {**content["schema"], "components": document["components"]}
                jsonschema.validate(example, body)
            job = client.get(path_of(response))
            described = document["components"]["schemas"]["JobResource"]
            jsonschema.validate(job.json(), {**described, "components": document["components"]})
            ran += 1
    assert ran >= 5


def test_problems_are_as_described(client: TestClient, document: dict[str, Any]) -> None:
    schema = document["components"]["schemas"]["Problem"]
    closed = {**schema, "additionalProperties": False}
    cells = {**EXAMPLE["tables"][0]["cells"], "value": [None, None, 20, None, None, 30, 26, 25, 51]}
    for response in (
        client.get("/v1/jobs/none"),
        client.get("/nothing"),
        client.put("/v1/jobs"),
        client.post("/v1/audits?bounds=x", json=EXAMPLE),
        client.post("/v1/audits", json={**EXAMPLE, "kind": "x"}, headers=WAIT),
        client.post("/v1/audits", json={**EXAMPLE, "tables": [{**EXAMPLE["tables"][0], "cells": cells}]}, headers=WAIT),
        client.post("/v1/audits", content="a\n1,2\n", headers={**WAIT, "Content-Type": "text/csv"}),
        client.post("/v1/audits", content="x", headers={"Content-Type": "x/y"}),
    ):
        assert response.status_code >= 400
        jsonschema.validate(response.json(), closed)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("fuzzed")
    app = create_app(Settings(data=folder, max_wait=0.2, inline_seconds=1.0, max_body=100_000))
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    shutdown_lifespans()


def test_nothing_that_is_sent_breaks_the_service(api: Any) -> None:
    """CONVENTION 873: requests that fit the document, and such as do not: never a fault (5xx), always an answer that it
    describes. All checks of schemathesis; what they find besides is explained."""
    load_all_checks()
    checks = [check for check in CHECKS.get_all() if check.__name__ not in ELSEWHERE]
    assert len(checks) > 8
    seen = 0
    jobs: list[str] = ["0" * 32]
    for listed in api.get_all_operations():
        operation = listed.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            strategy = operation.as_strategy(generation_mode=mode)

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=strategy, pick=st.integers(0, 10))
            def ask(case: Any, pick: int) -> None:
                nonlocal seen
                if "job" in (case.path_parameters or {}) and pick:
                    case.path_parameters["job"] = jobs[pick % len(jobs)]
                response = case.call(base_url="http://localhost")
                assert response.status_code < 500, response.content
                found: Sequence[Exception] = ()
                try:
                    case.validate_response(response, checks=checks)
                except FailureGroup as group:
                    found = group.exceptions
                assert [failure for failure in found if not explained(failure, response, case.media_type)] == []
                if response.status_code == 202:
                    jobs.append(response.json()["id"])
                seen += 1

            with suppress(Unsatisfiable):  # nothing about some routes can be wrong
                ask()
    assert seen > 10 * EXAMPLES
