"""Pages on which users make tables: what to expect before it is asked, the table or why not, the same as code."""

import json
import random
import re
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import polars
import pytest
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, log
from towns import POLICY, built

from tableseal.api.generating.counter import Counter, opened_counter
from tableseal.api.generating.likely import likely
from tableseal.api.generating.said import request_said, stepped
from tableseal.api.http.app import create_app
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role, create_token
from tableseal.api.web.table_choices import choices_behind, document_of
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.io.yaml_text import parse_document
from tableseal.suppression.generator.nearest import Step

VERSION = {"tableseal-request": 1}
HELD = "/tables/town/held"
MEAN = {**POLICY, "rules": {**POLICY["rules"], "mean_cell": {"table": 20}}}


@pytest.fixture(scope="module")
def cubes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cubes")
    built(folder)
    built(folder, "mean", MEAN)
    return folder


@pytest.fixture(scope="module")
def counter(cubes: Path) -> Counter:
    return opened_counter(cubes / "town.cube", cubes / "town.yaml", cubes / "town.secret")


@pytest.fixture(scope="module")
def client(cubes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("pages"), worker=False, hypercubes=cubes) as opened:
        opened.headers.update(BROWSER)
        yield opened


def plain(page: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def section(page: Any, name: str) -> str:
    found = re.search(rf'<section[^>]*aria-labelledby="{name}-h".*?</section>', page.text, re.DOTALL)
    assert found is not None
    return found[0]


# --- requests and what is chosen of them ------------------------------------------------------------------------------

DOCUMENTS: list[dict[str, Any]] = [
    {"by": []},
    {"by": ["sex", {"age": "1"}]},
    {"areas": "district@1", "by": ["sex"]},
    {"by": ["age"], "where": {"district": ["North", "D4"]}},
    {"by": [{"age": ["0", "3"]}]},
    {"by": [{"age": {"groups": {"few": ["0-2"], "rest": ["old", "3"]}}}], "where": {"sex": "F"}},
    {"areas": "district", "by": ["job"], "share": {"age": "young"}, "title": "Young"},
    {"by": ["sex"], "share": {"job": ["a", "d"]}},
    {"by": ["job", "sex"]},
]


def same(one: Any, other: Any) -> bool:
    """Whether two requests ask for the same."""
    pairs = [(one.question, other.question), (one.of_part or one.question, other.of_part or other.question)]
    return (one.title, one.statistic) == (other.title, other.statistic) and all(
        [(a.variable, a.codes, a.of_leaf.tolist()) for a in mine.axes]
        == [(a.variable, a.codes, a.of_leaf.tolist()) for a in others.axes]
        and [(a.variable, (a.of_leaf >= 0).tolist()) for a in mine.where]
        == [(a.variable, (a.of_leaf >= 0).tolist()) for a in others.where]
        for mine, others in pairs
    )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_request_is_said_again_and_means_the_same(counter: Counter, document: dict[str, Any]) -> None:
    """CONVENTION 1105. As a document, and in the fields of the form."""
    request = request_of({**VERSION, **document}, counter.cells)
    said = request_said(request, counter.generator.variables)
    assert same(request_of(said, counter.cells), request)
    choices = choices_behind(said, counter.cells.about)
    assert same(request_of(document_of(choices, counter.cells), counter.cells), request)


@pytest.mark.parametrize("seed", range(8))
def test_nearest_tables_are_requests(counter: Counter, seed: int) -> None:
    """CONVENTION 1105. What a step leads to is said, and is the table that was judged."""
    draw = random.Random(seed)
    variables = counter.generator.variables
    request = request_of({**VERSION, "areas": "district", "by": ["sex", "age"]}, counter.cells)
    possible = [
        Step("coarser", "district", "1"),
        Step("coarser", "age", "1"),
        Step("dropped", "sex"),
        Step("left_out", "district", areas=("D1", "D4")),
    ]
    steps = draw.sample(possible, draw.randint(1, 4))
    steps.sort(key=lambda step: step.kind != "left_out")  # a coarser level has other areas
    found = stepped(request, steps, variables)
    assert same(request_of(request_said(found, variables), counter.cells), found)
    inside = found.question.axes[0].of_leaf >= 0
    assert (inside.sum() == 4) == (possible[3] in steps)
    names = [variables[axis.variable].name for axis in found.question.axes]
    assert ("sex" in names) == (possible[2] not in steps)


class Untouchable:
    """Cells that nobody may look at."""

    def __init__(self, about: Any) -> None:
        self.about = about

    def parts(self, variables: Any, measures: Any) -> Any:
        raise AssertionError("somebody looked")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_to_expect_is_made_of_no_count(counter: Counter, document: dict[str, Any]) -> None:
    """CONVENTION 1104. A look at true counts would be an answer that nobody remembers."""
    cells = Untouchable(counter.cells.about)
    request = request_of({**VERSION, **document}, cells)
    found = likely(request, cells.about, counter.generator)
    assert found.cells == int(np.prod([len(axis.codes) for axis in request.question.axes]))
    assert found.mean == pytest.approx(600 / found.cells)


# --- pages ------------------------------------------------------------------------------------------------------------


def test_hypercubes_are_offered(client: TestClient) -> None:
    page = client.get("/tables")
    assert [unescape(one) for one in re.findall(r'<a href="/tables/(\w+)"', page.text)] == ["mean", "town"]
    assert 'href="/tables" aria-current="page"' in page.text


@pytest.mark.parametrize(
    ("name", "query", "verdict", "words"),
    [
        ("town", "", "Nothing is chosen yet", ""),
        ("town", "level-0=2&level-1=1", "may well be answered", "12 cells (6 × 2) 50 units a cell"),
        ("town", "level-1=1&where-2=young", "may well be answered", "at most 300 units a cell"),
        ("town", "level-0=2&level-1=1&level-2=1&level-3=1", "would be refused", "span the table: 4, allowed are 3"),
        ("mean", "level-0=2&level-2=2", "hardly be answered in full", "units a cell: 12.5; needed are 20"),
    ],
)
def test_what_to_expect(client: TestClient, name: str, query: str, verdict: str, words: str) -> None:
    """CONVENTION 1104."""
    page = client.get(f"/tables/{name}?{query}")
    assert page.status_code == 200
    assert verdict in plain(page)
    assert words in plain(page)
    assert "made-h" not in page.text


FORM = {"level-0": "2", "level-1": "1", "level-2": "1"}
REQUEST = {**VERSION, "areas": "district", "by": ["sex", "age@1"]}


def test_a_table_with_the_last_variable_across(client: TestClient) -> None:
    """CONVENTION 1105. The page has the values that the service gives."""
    page = client.post("/tables/town", data=FORM)
    assert page.status_code == 200
    sent = {"hypercube": "town", "request": REQUEST}
    values = client.post("/v1/tables", json=sent, headers={"Accept": "application/json"}).json()["answer"]["values"]
    shown = section(page, "made")
    assert [int(v) for v in re.findall(r'<td class="n">(\d+)</td>', shown)] == values
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', shown) == ["district", "sex", "age young", "age old"]
    assert '<option value="1" selected>1 (2 codes)' in page.text


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_downloads_and_formats(client: TestClient, form: str) -> None:
    """CONVENTION 1106. The page's files are what the route gives, and count once."""
    found = client.post(f"/tables/town/file?format={form}", data=FORM)
    assert found.status_code == 200, found.text
    assert f'filename="town.{form}"' in found.headers["content-disposition"]
    same = client.post("/v1/tables", params={"format": form}, json={"hypercube": "town", "request": REQUEST})
    assert same.content == found.content
    rows = {
        "csv": lambda content: [line.split(",") for line in content.decode().splitlines()[1:]],
        "jsonl": lambda content: [list(map(str, json.loads(line).values())) for line in content.decode().splitlines()],
        "parquet": lambda content: [list(map(str, row)) for row in polars.read_parquet(BytesIO(content)).rows()],
    }[form](found.content)
    codes = product([f"D{k}" for k in range(6)], "FM", ["young", "old"])
    assert [tuple(row[:3]) for row in rows] == list(codes)
    liked = client.post(
        "/v1/tables", json={"hypercube": "town", "request": REQUEST}, headers={"Accept": same.headers["content-type"]}
    )
    assert liked.content == found.content


def test_forms_that_there_are_not(client: TestClient) -> None:
    # CONVENTION 1106
    sent = {"hypercube": "town", "request": REQUEST}
    assert client.post("/v1/tables", json=sent, headers={"Accept": "image/png"}).status_code == 406
    assert client.post("/v1/tables?format=xml", json=sent).status_code == 422
    assert client.post("/tables/town/file?format=xml", data=FORM).status_code == 422
    refused = client.post("/tables/town/file", data={"level-1": "1", "where-3": "d"})
    assert (refused.status_code, "Rules block what the table holds" in refused.text) == (422, True)


def test_a_refusal_offers_what_would_be_given(client: TestClient) -> None:
    """CONVENTION 1105. Its buttons ask for the nearest tables, and these are given."""
    page = client.post("/tables/mean", data={"level-0": "2", "level-2": "2"})
    assert "Rules block what the table holds" in plain(page)
    assert "units a cell: allowed at least 20" in plain(page)
    offers = re.findall(r'name="request" value="([^"]*)"><button', page.text)
    assert offers
    for offer in offers:
        given = client.post("/tables/mean", data={"request": unescape(offer)})
        assert (given.status_code, "Expected utility" in given.text) == (200, True)


def test_a_share_is_a_table(client: TestClient) -> None:
    page = client.post("/tables/town", data={"level-1": "1", "statistic": "share", "share-of": "age", "share": "young"})
    assert re.findall(r'<td class="n">[\d.]+ %</td>', section(page, "made"))


def test_the_request_as_code(client: TestClient, counter: Counter) -> None:
    """CONVENTION 1105. What is copied asks for the same, whatever stands in it."""
    page = client.post("/tables/town", data={**FORM, "where-3": "a\nb"})
    yaml, curl, python = (unescape(text) for text in re.findall(r"<pre [^>]*>(.*?)</pre>", page.text, re.DOTALL))
    wanted = request_of({**REQUEST, "where": {"job": ["a", "b"]}}, counter.cells)
    assert same(request_of(parse_document(yaml, "yaml"), counter.cells), wanted)  # type: ignore[arg-type]
    sent = json.loads(re.search(r"--data '(.*)' \\", curl)[1])  # type: ignore[index]
    assert same(request_of(sent["request"], counter.cells), wanted)
    assert "http://localhost/v1/tables" in curl
    compile(python, "python", "exec")
    assert json.dumps(sent) in python


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"level-0": "9"}, "a level of district"),
        ({"where-2": "99", "level-1": "1"}, "99"),
        ({"request": "by: ["}, "request"),
        ({"request": "just words"}, "request"),
        ({"request": "tableseal-request: 1\nby: [sexx]"}, 'did you mean "sex"'),
        ({"statistic": "share", "share-of": "age"}, "share"),
        ({"statistic": "share", "share-of": "<b>", "share": "x"}, "no variable"),
    ],
)
def test_bad_input_is_said_and_nothing_has_to_be_chosen_again(
    client: TestClient, form: dict[str, str], words: str
) -> None:
    for answer in (client.post("/tables/town", data=form), client.get("/tables/town", params=form)):
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
        assert words in plain(answer)
        assert "<b>" not in answer.text
        assert "made-h" not in answer.text
        for name in set(form) & {"where-2", "request"}:
            assert form[name] in unescape(answer.text)


def test_no_such_hypercube(client: TestClient) -> None:
    for path in ("/tables/none", "/tables/none/held"):
        assert client.get(path).status_code == 404
    assert client.post("/tables/none", data=FORM).status_code == 404


# --- who may what -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def office(cubes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, dict[str, Any]]]:
    settings = Settings(data=tmp_path_factory.mktemp("office"), access="keys", hypercubes=cubes)
    with TestClient(create_app(settings), base_url="http://localhost", headers=BROWSER) as opened:
        store = Store(settings.database_url, settings.keys)
        with store.writing() as connection:
            keys = {
                f"{owner} {role}": create_token(connection, owner, role, name=f"{role} of {owner}")
                for owner in ("one", "two")
                for role in Role
            }
        store.close()
        yield opened, {who: {"Authorization": f"Bearer {key}"} for who, key in keys.items()}


def test_readers_look_and_analysts_ask(office: tuple[TestClient, dict[str, Any]]) -> None:
    client, keys = office
    page = client.get("/tables/town?level-1=1", headers=keys["one reader"])
    assert "Make the table" not in page.text
    assert "may well be answered" in page.text
    assert "/held" not in page.text
    for path in ("/tables/town", "/tables/town/file"):
        assert client.post(path, data=FORM, headers=keys["one reader"]).status_code == 403
    assert client.post("/tables/town", data=FORM, headers=keys["one analyst"]).status_code == 200
    assert client.get("/tables").status_code == 401


def test_officers_see_what_users_hold(office: tuple[TestClient, dict[str, Any]]) -> None:
    """CONVENTION 1107. Who asked for what, what stands around a cell; nobody else sees it, and that it was read is in
    the log."""
    client, keys = office
    client.post("/tables/town", data=FORM, headers=keys["two analyst"])
    client.post("/tables/town", data={"level-1": "1", "where-3": "a"}, headers=keys["two analyst"])
    client.post("/tables/town", data=FORM, headers=keys["one analyst"])
    for role in (Role.READER, Role.ANALYST):
        assert client.get("/tables/town/held", headers=keys[f"one {role}"]).status_code == 403
    names = {
        key: {unquote(name) for name in re.findall(r"audience=([^\"]*)\"", client.get(HELD, headers=keys[key]).text)}
        for key in ("one officer", "two officer", "one admin")
    }
    assert all(name.startswith("user one ") for name in names["one officer"])
    assert all(name.startswith("user two ") for name in names["two officer"])
    assert names["one admin"] >= names["one officer"] | names["two officer"] > names["one officer"]
    officer, audience = keys["two officer"], quote(next(iter(names["two officer"])))
    assert client.get(f"{HELD}?audience={audience}", headers=keys["one officer"]).status_code == 404
    held = client.get(f"/tables/town/held?audience={audience}", headers=officer)
    assert "district, sex, age@1" in plain(held)
    assert "sex; job: a" in plain(held)
    cell = {f"code-{k}": code for k, code in enumerate(["D5", "F", "3", "a"])}
    shown = plain(client.get(HELD, params={"audience": unquote(audience), **cell}, headers=officer))
    assert "With all answers it may be" in shown
    assert "Answers that hold it: 1" in shown
    assert client.get("/tables/town/held?audience=nobody", headers=officer).status_code == 404
    assert "table.held" in {entry["action"] for entry in log(client, **keys["one admin"])}


def test_one_owner_does_not_hold_what_another_asked_for(office: tuple[TestClient, dict[str, Any]]) -> None:
    """CONVENTION 1100. What one is told does not depend on what the other holds, and is the same value."""
    client, keys = office
    pages = [client.post("/tables/town", data=FORM, headers=keys[f"{owner} admin"]) for owner in ("one", "two")]
    assert section(pages[0], "made") == section(pages[1], "made")
