"""The report as a workbench: what a page holds, what its address says, who may see it, and what a page costs."""

import json
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from databases import KEYS
from fastapi.testclient import TestClient
from large_report import large
from paging import BROWSER, log
from starlette.datastructures import QueryParams
from starlette.requests import Request

from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.jobs.pages import WORKBENCH, pages_of
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.files import files_of, part_of
from tableseal.api.store.job import CHUNK, Document
from tableseal.api.store.jobs import jobs_of, submit
from tableseal.api.store.migrate import migrate
from tableseal.api.store.tokens import Role, create_token
from tableseal.api.web.pages import page
from tableseal.api.web.workbench import shown
from tableseal.audit.report.workbench.opened import Workbench
from tableseal.audit.report.workbench.selection import PAGE

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data=tmp_path_factory.mktemp("workbench"), inline_seconds=60.0)


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://localhost", headers=BROWSER) as opened:
        yield opened


@pytest.fixture(scope="module")
def audited(client: TestClient) -> str:
    """A small audit that was answered at once; the address of its page."""
    answer = client.post("/v1/audits?html=true", json=EXAMPLE, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return str(answer.headers["content-location"]).removeprefix("/v1").removesuffix("/result")


def test_the_map_comes_first_and_every_cell_has_an_address(client: TestClient, audited: str) -> None:
    # CONVENTION 797
    page = client.get(audited).text
    assert page.index('id="map"') < page.index('id="cells"') < page.index('id="risk"')
    assert "1 to 4 of 4 cells; the release has 9." in page
    links = {unescape(link) for link in re.findall(r'href="(/jobs/[^"]*/cell[^"]*)"', page)}
    assert len(links) == 9
    for link in links:
        answer = client.get(link)
        assert answer.status_code == 200
        codes = re.findall(r"code=([^&]*)", link)
        named = [f"{v}={c}" for v, c, t in zip(("region", "size"), codes, ("T", "Total"), strict=True) if c != t]
        assert f'<h1 id="cell-h">{", ".join(named) or "grand total"}</h1>' in answer.text
        (there,) = re.findall(r'href="(/jobs/[^"]*#map)"', answer.text)
        assert client.get(unescape(there)).status_code == 200


def test_filters_are_in_the_address_and_what_is_unknown_is_refused_with_its_place(
    client: TestClient, audited: str
) -> None:
    # CONVENTION 797
    page = client.get(f"{audited}?show=every&at.region=N&sort=cell").text
    assert "1 to 3 of 3 cells; the release has 9." in page
    assert "<option selected>N</option>" in page
    assert "No cell of 9 fits." in client.get(f"{audited}?show=published&q=nowhere").text
    for wrong in (
        "show=x",
        "sort=x",
        "page=0",
        "page=2",
        "page=x",
        "table=x",
        "map=x",
        "at.region=x",
        "at.x=y",
        "line=-1",
    ):
        answer = client.get(f"{audited}?{wrong}")
        assert answer.status_code == 422, wrong
        assert "<h1>" in answer.text
    for wrong in ("code=N", "code=N&code=x", "number=0", "number=x", "measure=x&code=N&code=small"):
        assert client.get(f"{audited}/cell?{wrong}").status_code == 422, wrong
    assert client.get(f"{audited}/cell?number=10").status_code == 404
    assert client.get("/jobs/nowhere/cell?number=1").status_code == 404


def test_what_a_release_says_is_escaped(client: TestClient) -> None:
    evil = "<b>&\"'x"
    text = json.dumps({**EXAMPLE, "title": evil}).replace('"small"', json.dumps(evil))
    answer = client.post("/v1/audits?html=true", content=text, headers={"Prefer": "wait=60", **JSON})
    at = str(answer.headers["content-location"]).removeprefix("/v1").removesuffix("/result")
    page = client.get(f"{at}?at.size=%3Cb%3E%26%22%27x").text
    assert evil not in page
    assert "<b>&" not in page
    link = unescape(next(one for one in re.findall(r'href="(/jobs/[^"]*/cell[^"]*)"', page) if "%3Cb" in one))
    told = client.get(link)
    assert told.status_code == 200
    assert evil not in told.text


def test_an_audit_without_pages_leads_to_its_answer(client: TestClient) -> None:
    answer = client.post("/v1/audits", json=EXAMPLE, headers={"Prefer": "wait=60"})
    at = str(answer.headers["content-location"]).removeprefix("/v1").removesuffix("/result")
    page = client.get(at)
    assert page.status_code == 200
    assert f'href="/v1{at}/result"' in page.text
    assert client.get(f"{at}/cell?number=1").status_code == 409


def test_views_are_in_the_log(client: TestClient, audited: str) -> None:
    before = len(log(client))
    client.get(f"{audited}?show=every")
    client.get(f"{audited}/cell?code=N&code=small")
    assert [entry["action"] for entry in log(client)[: len(log(client)) - before]] == ["result.read", "result.read"]


def test_nobody_sees_the_cells_of_another_owner(tmp_path: Path) -> None:
    # CONVENTION 797
    settings = Settings(data=tmp_path, access="keys", key_secret="pepper", inline_seconds=60.0)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        store = Store(settings.database_url, settings.keys)
        with store.writing() as connection:
            one, other = (create_token(connection, name, Role.ANALYST, secret=b"pepper") for name in ("one", "other"))
        store.close()
        own, foreign = ({"Authorization": f"Bearer {token}"} for token in (one, other))
        answer = client.post("/v1/audits?html=true", json=EXAMPLE, headers={**own, "Prefer": "wait=60"})
        at = str(answer.headers["content-location"]).removeprefix("/v1").removesuffix("/result")
        for path in (at, f"{at}?show=every", f"{at}/cell?code=N&code=small", f"{at}/files/workbench.bin"):
            assert client.get(path, headers=own).status_code == 200
            missing = client.get(path, headers=foreign)
            assert missing.status_code == 404
            assert "small" not in missing.text


def test_parts_of_a_file_are_read_without_the_rest(tmp_path: Path) -> None:
    # CONVENTION 795
    store = Store(f"sqlite:///{tmp_path / 'jobs.db'}", KEYS)
    migrate(store)
    content = bytes(n * 7 % 251 for n in range(2 * CHUNK + 100))
    with store.writing() as connection:
        submit(connection, "me", "audit", "{}", [Document("x", "application/octet-stream", content)])
        (job,) = jobs_of(connection, "me", limit=1) or ()
        (file,) = files_of(connection, job.id, "input")
    for first, last in ((0, 10), (CHUNK - 5, CHUNK + 5), (CHUNK, 2 * CHUNK), (5, 2 * CHUNK + 50), (7, 7)):
        assert part_of(store, file)(first, last) == content[first:last]
    store.close()


def test_a_page_of_200_000_cells_takes_below_a_second_and_a_few_hundred_kilobytes() -> None:
    # CONVENTION 797
    release, report = large(100_000, lines=2000)
    assert report.summary.cells == 200_000
    (content,) = (file.read() for file in pages_of(report, release) if file.name == WORKBENCH)
    assert len(content) < 20_000_000
    job = SimpleNamespace(id="a" * 26, kind="audit")
    request = Request({"type": "http", "headers": [], "query_string": b""})
    sorts = ("", "show=every&sort=cell&page=2000", "show=every&sort=risk&descending=1&page=700")
    for query in (*sorts, "show=every&q=size+07", "map=t&line=901&column=61", "map=t&cell=77777"):
        began = time.process_time()
        view = shown(Workbench(lambda first, last: content[first:last]), job, QueryParams(query))  # type: ignore[arg-type]
        answer = page(request, "audit.html", job=job, **view, file="report.html", forms=(), proof=False, draft=None)
        assert time.process_time() - began < 1
        assert len(answer.body) < 400_000
        assert bytes(answer.body).count(b"data-cell") == min(PAGE, view["view"].selection.found)
    assert view["view"].bench.cells == 200_000
