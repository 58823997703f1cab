"""A plan that is published over HTTP under a name: one entry of the ledger, and nothing public before all is safe."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient

from tableseal.api.settings import Settings
from tableseal.api.store import publications
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.api.store.tokens import Role, create_token

REGIONS = ["N1", *["S1"] * 4, *["S2"] * 5, *["S3"] * 6]
PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Sales",
    "measures": {"sales": {"kind": "magnitude"}, "firms": {"kind": "count"}},
    "variables": {"region": {"total": "T", "tree": {"North": ["N1", "N2"], "South": ["S1", "S2", "S3"]}}},
    "tables": [
        {"name": "sales", "measure": "sales", "by": ["region@1"]},
        {"name": "firms", "measure": "firms", "by": ["region@1"]},
    ],
    "microdata": {
        "cells": {"region": REGIONS, "sales": [10 + k for k in range(len(REGIONS))]},
        "values": {"sales": "sales"},
    },
    "policy": {"primary": [{"threshold": 3}]},
}
"""Both tables are safe: North has 1 firm, and so South is withheld, too."""

SOUTH = {**PLAN, "tables": [{**table, "where": {"region": "South"}, "by": []} for table in PLAN["tables"]]}
"""What gives away what PLAN withholds."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


def publish(client: TestClient, plan: dict[str, Any], query: str, **headers: str) -> Any:
    return client.post(f"/v1/published?{query}", json=plan, headers={**WAIT, **headers})


def names(client: TestClient, response: Any, part: str) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(client.get(f"{path_of(response)}/{part}.zip").content)) as packed:
        return set(packed.namelist())


def entries(client: TestClient, name: str) -> Any:
    return client.get(f"/v1/publications/{name}").json()["entries"]


def test_one_entry_and_done_again_the_same(client: TestClient) -> None:
    """CONVENTION 990, 915"""
    first = publish(client, PLAN, "publication=firms")
    assert first.status_code == 200, first.text
    together = first.json()["together"]
    assert (together["verdict"], together["entry"], together["tables"]) == ("safe", 1, 2)
    assert {"public/sales.yaml", "public/firms.yaml"} <= names(client, first, "public")
    assert "agency/together.json" in names(client, first, "agency")
    [entry] = entries(client, "firms")
    assert entry["tables"] == ["sales: sales", "firms: firms"]
    again = publish(client, PLAN, "publication=firms")
    assert again.json() == first.json()
    assert len(entries(client, "firms")) == 1
    noted = [(e["action"], e["object"]) for e in client.get("/v1/audit-log").json()]
    assert noted.count(("publication.publish", "firms: 1")) == 1
    assert client.get(f"{path_of(first)}/result").json() == first.json()


def test_nothing_goes_out_before_all_of_it_is_safe(client: TestClient) -> None:
    """CONVENTION 990, 916"""
    assert publish(client, SOUTH, "publication=beside").json()["together"]["entry"] == 1
    held = publish(client, PLAN, "publication=beside")
    assert (held.json()["verdict"], held.json()["together"]["entry"]) == ("unsafe", None)
    assert held.json()["together"]["fallen"] == 4
    assert names(client, held, "public") == set()
    assert "held/sales.yaml" in names(client, held, "agency")
    assert len(entries(client, "beside")) == 1
    out = publish(client, PLAN, "publication=beside&despite=both%20know%20it")
    assert out.json()["together"]["entry"] == 2
    assert "public/sales.yaml" in names(client, out, "public")
    assert entries(client, "beside")[1]["despite"] == "both know it"


def test_what_was_published_meanwhile_counts(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 990: the attempt is made again with it."""
    appended, late = publications.append, iter([True])

    def append(connection: Any, owner: str, name: str, version: int, entry: Any) -> Any:
        if next(late, False):
            return None
        return appended(connection, owner, name, version, entry)

    monkeypatch.setattr(publications, "append", append)
    found = publish(client, PLAN, "publication=meanwhile")
    assert found.status_code == 200, found.text
    assert found.json()["together"]["entry"] == 1
    assert len(entries(client, "meanwhile")) == 1


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("despite=x", "despite"),
        ("revises=1", "revises"),
        ("publication=a&revises=x", "revises"),
        ("publication=a&owner=other", "owner"),
    ],
)
def test_bad_input(client: TestClient, query: str, parameter: str) -> None:
    response = publish(client, PLAN, query)
    assert (response.status_code, response.json().get("parameter")) == (422, parameter), response.text


def test_a_name_that_is_none(client: TestClient) -> None:
    response = publish(client, PLAN, "publication=../x")
    assert response.status_code == 422
    assert "expected letters, digits" in response.json()["detail"]


def test_owners_and_roles(tmp_path: Path) -> None:
    """CONVENTION 990: an officer publishes; another owner has a ledger of its own, and sees nothing of this one."""
    store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    migrate(store)
    with store.writing() as connection:
        keys = {
            (owner, role): {"Authorization": f"Bearer {create_token(connection, owner, role)}"}
            for owner, role in (("anna", Role.OFFICER), ("anna", Role.ANALYST), ("bert", Role.OFFICER))
        }
    store.close()
    anna, bert = keys["anna", Role.OFFICER], keys["bert", Role.OFFICER]
    with asked(tmp_path, access="keys") as client:
        analyst = publish(client, PLAN, "publication=p", **keys["anna", Role.ANALYST])
        assert analyst.status_code == 403
        assert publish(client, PLAN, "", **keys["anna", Role.ANALYST]).status_code == 200
        first = publish(client, SOUTH, "publication=p", **anna)
        assert first.json()["together"]["entry"] == 1
        own = publish(client, PLAN, "publication=p", **bert)
        assert (own.json()["verdict"], own.json()["together"]["entry"]) == ("safe", 1)
        assert publish(client, PLAN, "publication=p", **anna).json()["verdict"] == "unsafe"
        for path in ("result", "public.zip", "agency.zip", "certificate"):
            there, gone = f"{path_of(first)}/{path}", f"/v1/jobs/{'0' * 32}/{path}"
            found = client.get(there, headers=bert)
            assert (found.status_code, found.content) == (404, client.get(gone, headers=bert).content)
        assert json.dumps(client.get("/v1/publications/p", headers=bert).json()).count('"number"') == 1
