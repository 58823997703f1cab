"""Pages on batches: whatever way the releases come, the page says what the command says."""

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from asking import archive, asked
from fastapi.testclient import TestClient
from paging import BROWSER, identity, log, until_done

from tableseal.api.http.audits import EXAMPLE

OPEN: dict[str, Any] = json.loads(json.dumps(EXAMPLE))
OPEN["tables"][0]["cells"]["value"][4] = 13
OPEN["tables"][0]["cells"]["status"][4] = ""
TEXTS = {
    "good.json": json.dumps(EXAMPLE),
    "bad.json": json.dumps({**EXAMPLE, "kind": "cuont"}),
    "open.json": json.dumps({**OPEN, "title": "Open <b>"}),
}
VERDICTS = {"good.json": "safe", "bad.json": "failed", "open.json": "unsafe"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        opened.headers.update(BROWSER)
        yield opened


def start(client: TestClient, files: dict[str, str | bytes], *roles: tuple[str, tuple[str, str]], **fields: str) -> Any:
    """The page of a batch that has ended."""
    sent = [("files", (name, content)) for name, content in files.items()]
    return until_done(client, client.post("/batches", files=[*sent, *roles], data=fields))


def verdicts(page: str) -> dict[str, str]:
    return dict(re.findall(r'<th scope="row">([^<]*)</th><td><span class="state [a-z]*">([a-z]*)</span>', page))


def links_of(text: str) -> list[str]:
    """Of what can be read of a job."""
    return re.findall(r'href="(/(?:v1/)?jobs/[^"]*)(?<!/erase)"', text)


def test_an_archive_is_audited_and_its_summary_downloaded(client: TestClient) -> None:
    packed = archive(*((f"sub/{name}", text.encode()) for name, text in TEXTS.items()))
    page = start(client, {"all.zip": packed}, html="on")
    assert verdicts(page.text) == {f"sub/{name}": verdict for name, verdict in VERDICTS.items()}
    assert list(verdicts(page.text).values()) == ["unsafe", "failed", "safe"], "the worst first"
    assert '<div class="banner unsafe" role="status">' in page.text
    assert "Open &lt;b&gt;" in page.text
    assert "cuont" in page.text, "why there is no verdict"
    links = links_of(page.text)
    assert len(links) == 4 + 2 * 2
    found = {link.rpartition("/")[2]: client.get(link) for link in links}
    assert {answer.status_code for answer in found.values()} == {200}
    rows = list(csv.DictReader(io.StringIO(found["summary.csv"].text, newline="")))
    assert {row["release"]: row["verdict"] for row in rows} == verdicts(page.text)
    assert found["result"].json()["counts"] == {
        "releases": 3,
        "safe": 1,
        "unsafe": 1,
        "undecided": 0,
        "failed": 1,
        "not_judged": 0,
        "safe_as_listed": 0,
    }
    assert found["report.html"].headers["content-type"].startswith("text/html")
    assert f'href="/jobs/{identity(page)}"' in client.get("/batches").text
    assert f'href="/jobs/{identity(page)}"' in client.get("/jobs").text


def test_files_a_manifest_and_a_policy(client: TestClient) -> None:
    """CONVENTION 375: files as they lie in a folder; of them all, or those that a manifest lists."""
    assert verdicts(start(client, dict(TEXTS)).text) == VERDICTS
    manifest = ("manifest", ("which.csv", "file,bounds\ngood.json,lp\n"))
    listed = start(client, dict(TEXTS), manifest)
    assert verdicts(listed.text) == {"good.json": "safe"}
    assert client.get(f"/v1/jobs/{identity(listed)}/result").json()["releases"][0]["bounds"] == "lp"
    packed = archive(*((name, text.encode()) for name, text in TEXTS.items()))
    policy = ("policy", ("strict.yaml", "require: {risk: 0.01}\n"))
    assert verdicts(start(client, {"all.zip": packed}, manifest, policy).text) == {"good.json": "unsafe"}


PLAIN = {"tableseal": 1, "kind": "count", "variables": {"a": {"total": "T", "codes": ["k", "l", "m"]}}}
SMALL = json.dumps(PLAIN | {"tables": [{"name": "t", "cells": {"a": ["T", "k", "l", "m"], "value": [30, 4, 12, 14]}}]})


@pytest.mark.parametrize(
    ("fields", "word", "rule"),
    [
        ({}, "not judged", "No rule, and no status."),
        ({"threshold": "5"}, "unsafe", "Rule: threshold 5."),
        ({"threshold": " 3 ", "together": "on"}, "safe", "Rule: threshold 3."),
        (
            {"threshold": "3", "p_percent": "10", "dominance": "1,85\n2,95"},
            "safe as listed",  # counts have no contributions to judge
            "Rule: threshold 3; p% 10; dominance (1, 85); dominance (2, 95).",
        ),
    ],
)
def test_rules_of_the_form_are_applied(client: TestClient, fields: dict[str, str], word: str, rule: str) -> None:
    # CONVENTION 635
    page = start(client, {"r.json": SMALL}, **fields)
    assert re.findall(r'<span class="state [a-z]*">([a-z ]*)</span></td>\n<td class="n">', page.text) == [word]
    assert f'<p class="applied">{rule}</p>' in page.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"threshold": "few"}, "threshold few: expected a whole number"),
        ({"dominance": "85"}, "dominance 85: expected N,K"),
        ({"p_percent": "-1"}, "p_percent -1: expected a percentage"),
    ],
)
def test_rules_that_say_nothing_are_told_on_the_form(client: TestClient, fields: dict[str, str], said: str) -> None:
    # CONVENTION 635
    answer = client.post("/batches", files=[("files", ("r.json", SMALL))], data=fields)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert 'name="threshold"' in answer.text


def test_together(client: TestClient) -> None:
    other = json.dumps(EXAMPLE).replace("by_region_and_size", "again")
    page = start(client, {"one.json": json.dumps(EXAMPLE), "two.json": other}, together="on")
    assert "<h1>Releases audited together</h1>" in page.text
    assert verdicts(page.text) == {"together": "safe"}
    assert re.findall("<li>([a-z.]*)</li>", page.text) == ["one.json", "two.json"]


@pytest.mark.parametrize(
    ("files", "fields", "said"),
    [
        ({}, {}, "There is nothing to audit yet"),
        ({"a.zip": b"PK"}, {}, "is not a readable zip archive"),
        ({"a.txt": b"x"}, {}, "there is no release in it"),
        ({"good.json": b"{}", "more.zip": archive(("good.json", b"{}"))}, {}, "Two files are called good.json"),
        ({"good.json": TEXTS["good.json"]}, {"bounds": "best"}, "expected shuttle, lp or integer"),
        ({"../good.json": TEXTS["good.json"]}, {}, "The file name"),
    ],
)
def test_what_cannot_be_used_is_said(
    client: TestClient, files: dict[str, str | bytes], fields: dict[str, str], said: str
) -> None:
    page = start(client, files or {"": ""}, **fields)
    assert 'role="alert"' in page.text
    assert re.search(said, page.text), page.text
    data = client.app.state.service.settings.data  # type: ignore[attr-defined]
    assert str(data) not in page.text, "where the service keeps its files is nobody's business"


def test_two_fields_with_files_of_one_name(client: TestClient) -> None:
    same = [(role, ("same.yaml", "x")) for role in ("manifest", "policy")]
    page = client.post("/batches", files=[("files", ("all.zip", archive(("good.json", b"{}")))), *same])
    assert (page.status_code, "Two files are called same.yaml" in page.text) == (422, True)


def test_reading_a_result_is_in_the_log(client: TestClient) -> None:
    """CONVENTION 405: through pages as through the API, each kind of result and each file of one."""
    page = start(client, {"all.zip": archive(("good.json", TEXTS["good.json"].encode()))}, html="on")
    before = len(log(client))
    links = links_of(page.text)
    for link in (f"/jobs/{identity(page)}", *links):
        client.get(link)
    noted = [(entry["action"], entry["object"]) for entry in log(client)[: len(log(client)) - before]]
    assert noted == [("result.read", identity(page))] * (1 + len(links))
