"""Pages of the service, asked without a browser: forms in, pages and redirections out."""

import csv
import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from paging import BROWSER, identity, log, until_done

from tableseal.api.cases import cases_folder
from tableseal.api.drafts.kind import DraftRequest
from tableseal.api.drafts.marks import Marks, Role, document_of, parse_texts, texts_of
from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.worker import Worker
from tableseal.api.options.suppress import METHODS
from tableseal.api.problems import problem_of
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role as AccessRole
from tableseal.api.store.tokens import create_token
from tableseal.api.web.pages import parts_of
from tableseal.api.web.releases import fields_in
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import read_release, release_from_document
from tableseal.audit.pipeline import audit
from tableseal.audit.report import render_html
from tableseal.suppression.search.methods import METHODS as SEARCHES

FRENCH = cases_folder() / "french_business"
TABLE = "region,size,n,flag\nN,s,,u\nN,l,12,\nN,T,20,\nS,s,11,\nS,l,9,\nS,T,20,\nT,s,19,\nT,l,21,\nT,T,40,\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One service for all tests of this file, with a worker."""
    settings = Settings(data=tmp_path_factory.mktemp("pages"), inline_seconds=30.0, poll_seconds=0.05)
    stop = threading.Event()
    with TestClient(create_app(settings), base_url="http://localhost", headers=BROWSER) as opened:
        store = Store(settings.database_url, settings.keys)
        thread = threading.Thread(target=Worker(settings, store, stop).run)
        thread.start()
        yield opened
        stop.set()
        thread.join()
        store.close()


def bring(client: TestClient, *files: tuple[str, bytes | str], policy: str | None = None) -> Response:
    """The page that the start page leads to."""
    sent: list[Any] = [("files", (name, content)) for name, content in files]
    if policy is not None:
        sent.append(("policy", ("policy.yaml", policy)))
    return client.post("/releases", files=sent)


def pasted(client: TestClient, text: str) -> Response:
    return client.post("/releases", files={"text": (None, text)})


def changed(value: list[int | None]) -> str:
    table = EXAMPLE["tables"][0]
    return json.dumps({**EXAMPLE, "tables": [{**table, "cells": {**table["cells"], "value": value}}]})


def marked(**more: str) -> dict[str, str]:
    """The form of TABLE's columns, filled in."""
    roles = {"role-0": "classification", "role-1": "classification", "role-2": "value", "role-3": "status"}
    totals = {"total-0": "=T", "total-1": "=T", "total-2": "", "total-3": ""}
    rest = {"title": "By hand", "kind": "count", "unit": "", "scheme": "sdctable", "absent": "zero", "threshold": ""}
    return {**roles, **totals, **rest, **more}


def test_a_release_is_brought_described_audited_and_shown(client: TestClient) -> None:
    """The report in the page is the report as it stands, and its JSON is there to be taken."""
    found = bring(client, ("release.json", json.dumps(EXAMPLE)))
    assert found.url.path.startswith("/releases/")
    assert "<h1>Companies by region and size</h1>" in found.text
    assert "by_region_and_size" in found.text
    done = until_done(client, client.post(f"{found.url.path}/audits", data={"bounds": "integer", "proof": "on"}))
    job = f"/v1/jobs/{identity(done)}"
    title, body = parts_of(client.get(f"{job}/report.html").text)
    assert f"<title>{title} · tableseal</title>" in done.text
    for listed in re.findall(r'<td class="name">(.*?)</td>', body):
        assert f">{listed}</a></td>" in done.text
    assert done.text.count("<h1>") == 1
    links = set(re.findall(r'href="(/v1/[^"]*)"', done.text))
    tables = {f"{job}/result?format={form}" for form in ("csv", "parquet")}
    assert links == {f"{job}/result", f"{job}/proof", *tables}
    assert f'href="/jobs/{identity(done)}/files/report.html"' in done.text
    for link in links:
        assert client.get(link).status_code == 200
    assert client.get(f"{job}/result").json()["verdict"] == "safe"
    again = client.get(found.url)
    assert f"/jobs/{identity(done)}" in again.text  # what was done with it


def test_parts_of_a_report_stay_whole_whatever_it_says() -> None:
    evil = '<script>x</script></title><header class="top">'
    release = release_from_document({**EXAMPLE, "title": evil})
    page = render_html(audit(release).report, release)
    title, body = parts_of(page)
    assert "<script>" not in title + body
    assert body.startswith('<header class="top">')
    assert body.rstrip().endswith("</footer>")
    assert page.endswith(page[page.index(body) + len(body) :])


def test_files_of_a_folder_are_sorted_out_by_what_they_hold(client: TestClient) -> None:
    """CONVENTION 372: policies, expected values and hierarchies are no releases; which of three is asked."""
    names = [path for path in sorted(FRENCH.iterdir()) if path.suffix in (".yaml", ".json", ".csv")]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in names:
            archive.writestr(path.name, path.read_bytes())
    found = bring(client, ("all.zip", packed.getvalue()))
    found = until_done(client, found)
    choices = re.findall(r'type="radio" name="release" value="([^"]*)"', found.text)
    assert choices == ["conflict.yaml", "counts.yaml", "turnover.yaml"]
    before = identity(found)
    assert client.post(f"/releases/{before}/choice", data={"release": "case.yaml/.."}).status_code == 422
    chosen = until_done(client, client.post(f"/releases/{before}/choice", data={"release": "turnover.yaml"}))
    assert "four linked tables" in chosen.text
    assert re.search(r'name="withhold_primaries" checked', chosen.text)  # nothing is withheld yet, and there are rules
    assert client.get(f"/releases/{before}").status_code in (200, 404)


def test_a_plain_table_is_guessed_marked_and_becomes_a_release(client: TestClient) -> None:
    """CONVENTION 371: what is guessed is asked, and what is marked is what is audited."""
    found = bring(client, ("table.csv", TABLE))
    assert "What are the columns of table.csv?" in found.text
    first = identity(found)
    done = client.post(f"/releases/{first}/columns", data=marked())
    assert "<h1>By hand</h1>" in done.text
    assert identity(done) != first
    assert client.get(f"/releases/{first}").status_code == 404  # the new one takes its place
    assert "No sensitive cell may be computed" in done.text
    shown = client.get(f"/releases/{identity(done)}/columns").text
    assert 'value="=T" selected' in shown
    assert re.search(r'<option value="status" selected>', shown)
    report = until_done(client, client.post(f"{done.url.path}/audits", data={}))
    assert client.get(f"/v1/jobs/{identity(report)}/result").json()["summary"]["exposed"] == 1


def test_a_total_may_be_any_code_and_none(tmp_path: Path) -> None:
    roles = {"region": Role.CLASSIFICATION, "n": Role.VALUE, "max": Role.CONTRIBUTOR, "freq": Role.FREQUENCY}
    marks = Marks(
        kind="magnitude",
        unit="0.1",
        roles=roles,
        totals={"region": ""},
        rules={"dominance_n": "1", "dominance_k": "80"},
    )
    document = document_of(marks, "t.csv", "t", {"region": ["N", "", "S"]})
    (tmp_path / "t.csv").write_text("region,n,max,freq\nN,1.5,1,3\nS,2,1,4\n,3.5,1,7\n", "utf-8")
    (tmp_path / "r.json").write_text(json.dumps(document), "utf-8")
    release = read_release(tmp_path / "r.json")
    assert release.variables["region"].total == ""
    assert release.tables[0].frequency is not None
    assert release.policy is not None
    assert len(release.policy.primary) == 1
    plain = document_of(marks.model_copy(update={"totals": {}}), "t.csv", "t", {"region": ["N", "", "S"]})
    assert plain["variables"]["region"] == {"codes": ["N", "", "S"]}


@pytest.mark.parametrize(
    ("change", "fields", "text"),
    [
        ({"unit": "x"}, ["unit"], "found"),
        ({"threshold": "-1"}, ["threshold"], "threshold"),
        ({"dominance_n": "1", "dominance_k": "200"}, ["dominance_k"], "dominance"),
        ({"scheme": "words"}, ["role-3", "scheme"], "status"),
        ({"role-2": "ignore"}, [], "No column is marked as the value"),
        ({"role-0": "ignore", "role-1": "ignore"}, [], "No column is marked as a classification"),
        ({"role-0": "value"}, [], "Several columns are marked as value"),
    ],
)
def test_what_is_wrong_is_said_beside_the_field(
    client: TestClient, change: dict[str, str], fields: list[str], text: str
) -> None:
    found = bring(client, ("table.csv", TABLE))
    answer = client.post(f"{found.url.path}/columns", data=marked(**change))
    assert answer.status_code == 422
    assert text in answer.text
    assert "marked.json" not in answer.text
    assert 'role="alert"' in answer.text
    wrong = re.findall(r'name="([^"]*)"[^>]*aria-invalid="true"', answer.text)
    assert wrong == fields
    for name, value in change.items():  # what was filled in is still there
        assert f'value="{value}" selected' in answer.text or f'name="{name}" value="{value}"' in answer.text


def test_fields_are_found_in_messages_of_any_column() -> None:
    def fields(*path: str | int, column: str | None = None, keys: tuple[str, ...] = ()) -> set[str]:
        error = InputError("wrong", at=Place("r.json", path, row=3, column=column), keys=keys)
        return fields_in(problem_of(error), ["n", "a.b", "unit"])

    assert fields(column="a.b") == {"role-1"}
    assert fields("variables", "unit", "codes") == {"role-2"}
    assert fields("policy", "primary", 0, "threshold") == {"threshold"}
    assert fields("policy", "primary", 0, "dominance", "n") == {"dominance_n"}
    assert fields(column="n", keys=("decimal", "thousands")) == {"role-0", "decimal", "thousands"}
    assert fields() == set()


UNBALANCED = changed([2, 18, 20, 77, 6, 23, 26, 24, 50])
"""The total is 50, its parts are 20 and 23. 77 is the agency's own: that cell is withheld."""


@pytest.mark.parametrize("plain", [False, True])
def test_sums_that_do_not_add_up_are_shown_in_place(client: TestClient, plain: bool) -> None:
    """CONVENTION 373: parts, expected, found and difference, and the row of the file; no audit is offered."""
    if plain:
        table = bring(client, ("table.csv", TABLE.replace("S,T,20", "S,T,23")))
        found = client.post(f"{table.url.path}/columns", data=marked())
        name, row, sums = "region = S, size = T", "row 6", "20 Found: released sum 23 Difference 3"
    else:
        found = bring(client, ("release.json", UNBALANCED))
        name, row, sums = "region = T, size = Total", "row 9", "43 Found: released sum 50 Difference 7"
    assert "Released values do not add up" in found.text
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", found.text))
    assert name in text
    assert row in text
    assert f"Expected: sum of the parts {sums}" in text
    assert "77" not in re.sub(r"[0-9a-f]{32}", "", found.text)
    assert "Run the audit" not in found.text
    assert (f"{found.url.path}/columns" in found.text) is plain


def test_a_problem_with_imbalances_is_data_for_programs_too(client: TestClient) -> None:
    headers = {"Content-Type": "application/json", "Prefer": "wait=30", "Accept": "application/json"}
    problem = client.post("/v1/audits", content=UNBALANCED, headers=headers).json()
    assert problem["type"] == "urn:tableseal:problem:not-additive"
    first = problem["imbalances"][0]
    assert (first["expected"], first["found"], first["difference"], first["row"]) == ("43", "50", "7", 9)
    assert first["cell"] == [["region", "T"], ["size", "Total"]]
    assert sorted(first["parts"]) == [["N / Total", "20"], ["S / Total", "23"]]
    assert "77" not in json.dumps(problem)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("release.yaml", "tableseal: 1\ntables: [", "release.yaml"),
        ("release.json", '{"tableseal": 1, "tables": []}', "release.json"),
        ("x.bin", "x", "None of the files is a release"),
        ("policy.yaml", "primary: []", "None of the files is a release"),
        ("empty.csv", "", "empty"),
        ("../release.json", "{}", "cannot be used"),
        ("all.zip", "no zip", "is not a readable zip archive"),
    ],
)
def test_what_cannot_be_used_is_said_on_the_start_page(client: TestClient, name: str, content: str, text: str) -> None:
    found = bring(client, (name, content))
    assert found.status_code == 422
    assert text in found.text
    assert 'role="alert"' in found.text
    assert '<input type="file"' in found.text


def test_pasted_text_is_a_release_or_a_table_and_comes_back_to_be_mended(client: TestClient) -> None:
    assert "Companies by region" in pasted(client, json.dumps(EXAMPLE)).text
    assert "What are the columns" in pasted(client, TABLE).text
    yaml = 'tableseal: 1\ntitle: "pasted <b>"\nkind: cuont\nvariables: {a: {codes: [x]}}\ntables: []\n'
    found = pasted(client, yaml)
    assert found.status_code == 422
    assert "title: &#34;pasted &lt;b&gt;&#34;" in found.text
    assert pasted(client, "  ").status_code == 422


def test_a_policy_goes_before_that_of_the_release(client: TestClient) -> None:
    found = bring(client, ("release.json", json.dumps(EXAMPLE)), policy="require: {risk: 0.25}")
    assert "is at most 0.25" in found.text


def test_options_that_cannot_be_used_are_a_page(client: TestClient) -> None:
    found = bring(client, ("release.json", json.dumps(EXAMPLE)))
    answer = client.post(f"{found.url.path}/audits", data={"bounds": "best"})
    assert answer.status_code == 422
    assert "<h1>A field cannot be used</h1>" in answer.text


def test_an_audit_that_fails_leads_back_to_its_release(client: TestClient) -> None:
    found = bring(client, ("release.json", json.dumps(EXAMPLE)))
    done = until_done(client, client.post(f"{found.url.path}/audits", data={"proof": "on", "withhold_primaries": "on"}))
    assert 'role="alert"' in done.text
    assert f'href="{found.url.path}"' in done.text


OPEN = {**EXAMPLE, "tables": [{**EXAMPLE["tables"][0], "cells": {
    **EXAMPLE["tables"][0]["cells"],
    "value": [8, 12, 20, 11, 9, 20, 19, 21, 40],
    "status": ["primary", "", "", "", "", "", "", "", ""],
}}]}  # fmt: skip
"""One sensitive cell, which can be computed as long as nothing else is withheld."""


def test_methods_are_compared_and_a_release_is_protected(client: TestClient) -> None:
    """What goes out is a release again, without the values that are withheld, and its audit says safe."""
    found = bring(client, ("release.json", json.dumps(OPEN)))
    chosen = {"method": ["optimal", "heuristic"], "time_limit": "20"}
    compared = until_done(client, client.post(f"{found.url.path}/comparisons", data=chosen))
    assert "Cost against protection" in compared.text
    assert "<svg" in compared.text
    methods = client.get(f"/v1/jobs/{identity(compared)}/result").json()["methods"]
    assert [(method["method"], method["secondary"]) for method in methods] == [("optimal", 3), ("heuristic", 3)]
    done = until_done(
        client,
        client.post(f"{found.url.path}/suppressions", data={"method": "optimal", "cost": "unit", "symbol": "[c]"}),
    )
    assert '<div class="banner safe"' in done.text
    packed = client.get(f"{done.url.path}/files/protected.zip")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        files = [(name, archive.read(name)) for name in archive.namelist()]
    table = next(content.decode() for name, content in files if name.endswith(".csv"))
    withheld = [row for row in csv.DictReader(io.StringIO(table)) if row["status"] == "withheld"]
    assert len(withheld) == 4
    assert {row["value"] for row in withheld} == {"[c]"}
    again = bring(client, *files)
    audited = until_done(client, client.post(f"{again.url.path}/audits", data={}))
    assert client.get(f"/v1/jobs/{identity(audited)}/result").json()["verdict"] == "safe"


def test_a_method_that_is_none_is_said(client: TestClient) -> None:
    found = bring(client, ("release.json", json.dumps(OPEN)))
    done = until_done(client, client.post(f"{found.url.path}/suppressions", data={"method": "magic"}))
    assert "magic" in done.text
    assert 'role="alert"' in done.text
    assert "alert" in until_done(client, client.post(f"{found.url.path}/comparisons", data={})).text


def test_every_method_is_described() -> None:
    assert list(METHODS) == list(SEARCHES)


def test_lists_and_erasing(client: TestClient) -> None:
    found = bring(client, ("release.json", json.dumps({**EXAMPLE, "title": "To be erased"})))
    done = until_done(client, client.post(f"{found.url.path}/audits", data={}))
    assert "To be erased" in client.get("/releases").text
    assert done.url.path in client.get("/jobs").text
    assert found.url.path not in client.get("/jobs").text  # a draft is no job for people
    assert "To be erased" not in client.post(f"{found.url.path}/erase").text
    assert client.get(found.url.path).status_code == 404
    kept = client.get(done.url.path)
    assert kept.status_code == 200
    assert "Back to the release" not in kept.text
    assert done.url.path not in client.post(f"{done.url.path}/erase").text
    assert client.get(f"/v1{done.url.path}").status_code == 404


def test_errors_are_pages_for_browsers_and_documents_for_programs(client: TestClient) -> None:
    """CONVENTION 370."""
    for path in ("/nothing", "/jobs/0", "/releases/0", "/v1/jobs/0", "/static/nothing"):
        page = client.get(path)
        assert page.status_code == 404
        assert page.headers["content-type"].startswith("text/html")
        assert 'role="alert"' in page.text
        if not path.startswith("/static"):
            document = client.get(path, headers={"Accept": "*/*"})
            assert document.headers["content-type"] == "application/problem+json"
    assert client.get("/v1/audits").status_code == 405


def test_headers_of_pages_and_of_what_they_load(client: TestClient) -> None:
    """CONVENTION 370: no inline scripts or styles, nothing from elsewhere, no frames, nothing kept by the browser."""
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"
    for path in re.findall(r'(?:href|src)="(/static/[^"]*)"', page.text):
        found = client.get(path)
        assert found.status_code == 200
        again = client.get(path, headers={"If-None-Match": found.headers["etag"]})
        assert again.status_code == 304
        assert not again.content


def test_forms_from_elsewhere_are_refused(client: TestClient) -> None:
    for origin in ("http://evil.example", "null"):
        for path in ("/releases", "/example", "/jobs/0/erase", "/releases/0/columns"):
            assert client.post(path, headers={"Origin": origin}).status_code == 403


def test_pages_are_their_owners_alone_and_readers_only_look(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, access="keys", inline_seconds=30.0)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        store = Store(settings.database_url, settings.keys)
        with store.writing() as connection:
            keys = {
                name: {"Authorization": f"Bearer {create_token(connection, owner, role)}"}
                for name, owner, role in (
                    ("anna", "anna", AccessRole.ANALYST),
                    ("reader", "anna", AccessRole.READER),
                    ("bert", "bert", AccessRole.OFFICER),
                )
            }
        store.close()
        sent = {"files": ("release.json", json.dumps(EXAMPLE))}
        found = client.post("/releases", files=sent, headers=keys["anna"])
        path = found.url.path
        assert client.get(path).status_code == 401
        assert client.get(path, headers=keys["reader"]).status_code == 200
        assert client.post(f"{path}/erase", headers=keys["reader"]).status_code == 403
        for method, at in (("GET", path), ("POST", f"{path}/audits"), ("POST", f"{path}/erase")):
            assert client.request(method, at, headers=keys["bert"]).status_code == 404
        assert "Companies" not in client.get("/releases", headers=keys["bert"]).text
        assert client.get(path, headers=keys["anna"]).status_code == 200


def test_who_reads_a_result_through_a_page_is_in_the_log(client: TestClient) -> None:
    """CONVENTION 405: releases that were brought, and results of every kind with each of their files."""
    release = bring(client, ("release.json", json.dumps(OPEN)))
    audited = until_done(client, client.post(f"{release.url.path}/audits", data={}))
    protected = until_done(client, client.post(f"{release.url.path}/suppressions", data={"method": "heuristic"}))
    compared = until_done(client, client.post(f"{release.url.path}/comparisons", data={"method": ["heuristic"]}))
    table = bring(client, ("table.csv", TABLE))
    for path, job in (
        *((page.url.path, identity(page)) for page in (release, table, audited, protected, compared)),
        (f"{table.url.path}/columns", identity(table)),
        (f"{protected.url.path}/files/protected.zip", identity(protected)),
        (f"{compared.url.path}/files/report.html", identity(compared)),
    ):
        before = len(log(client))
        assert client.get(path).status_code == 200
        found = log(client)
        noted = [(entry["action"], entry["object"]) for entry in found[: len(found) - before]]
        assert noted == [("result.read", job)], path
    before = len(log(client))
    for path in ("/", "/jobs", "/releases", "/batches", "/publications"):
        client.get(path)
    assert len(log(client)) == before, "lists tell of no values"


def test_a_browser_signs_in_with_a_key(tmp_path: Path) -> None:
    """CONVENTION 374: the cookie is for this site alone, no script sees it, and pages from elsewhere cannot use it."""
    settings = Settings(data=tmp_path, access="keys", inline_workers=0)
    with TestClient(create_app(settings), base_url="http://localhost", headers=BROWSER) as client:
        store = Store(settings.database_url, settings.keys)
        with store.writing() as connection:
            key = create_token(connection, "anna", AccessRole.ANALYST)
        store.close()
        asked = client.get("/releases")
        assert asked.status_code == 401
        assert "<h1>Sign in</h1>" in asked.text
        assert client.post("/account", data={"key": key[:-1]}).status_code == 401
        assert client.post("/account", data={"key": key}, headers={"Origin": "http://evil.example"}).status_code == 403
        answer = client.post("/account", data={"key": key}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/releases").status_code == 200
        assert "anna" in client.get("/account").text
        for origin in ("http://evil.example", "null"):
            foreign = client.post("/releases", data={"text": TABLE}, headers={"Origin": origin})
            assert foreign.status_code == 403
        assert key not in client.get("/account").text
        client.post("/account/leave")
        assert client.get("/releases").status_code == 401


def test_a_draft_says_which_files_it_has() -> None:
    with pytest.raises(ValueError, match="names"):
        DraftRequest.model_validate({"release": "x"})


def test_what_marks_in_a_plain_table_mean_is_asked(client: TestClient) -> None:
    """CONVENTION 551: a dash is a zero only if a person says so; what is usual is filled in."""
    found = bring(client, ("marked.csv", "a,deaths\nT,30\nk,-\nl,*\nm,<10\no,1.000\n"))
    text = re.search(r'<textarea id="texts"[^>]*>([^<]*)</textarea>', found.text)
    assert text is not None
    assert text[1].splitlines() == ["- =", "* = withheld", "&lt;10 = 0 to 9"]
    form = {"role-0": "classification", "role-1": "value", "total-0": "=T", "title": "t", "kind": "count"}
    more = {
        "scheme": "words",
        "absent": "zero",
        "decimal": "",
        "thousands": ".",
        "texts": "- =\n* = withheld\n<10 = 1 to 9",
    }
    open_ = client.post(f"/releases/{identity(found)}/columns", data={**form, **more})
    assert "marks.-" in open_.text
    assert re.search(r'<textarea id="texts"[^>]*aria-invalid="true"', open_.text)
    said = {**more, "texts": "- = zero\n* = withheld\n<10 = 1 to 9"}
    done = client.post(f"/releases/{identity(found)}/columns", data={**form, **said})
    assert "Released values do not add up" in done.text  # 1.000 is a thousand


def test_lines_of_marks_say_what_they_are_made_from() -> None:
    """CONVENTION 551"""
    marks = {"*": "withheld", "<=10": [0, "9.5"], "9+": [None, 9], "<": [9, None], "-": ""}
    as_text = {"*": "withheld", "<=10": ["0", "9.5"], "9+": [None, "9"], "<": ["9", None], "-": ""}
    assert parse_texts(texts_of(marks)) == as_text


def test_a_cell_is_kept_by_hand_and_the_search_goes_on_with_that(client: TestClient) -> None:
    """CONVENTION 798: figures, secondary cells and what needs each; decisions of earlier searches go along."""
    status = ["primary", *[""] * 8]
    table = EXAMPLE["tables"][0]
    plain = {**EXAMPLE, "tables": [{**table, "cells": {**table["cells"], "status": status}}]}
    found = bring(client, ("release.json", json.dumps(plain)))
    done = until_done(client, client.post(f"{found.url.path}/suppressions", data={"method": "optimal"}))
    assert "Proved: no safe pattern is cheaper." in done.text
    assert done.text.index('id="map"') < done.text.index('id="pattern"')
    assert "needed by" in done.text
    options = choices_of(done.text)
    assert "find out what needs each cell" not in done.text  # that is known
    assert len(options) == 3
    said = {"reason": "asked for", "name": "Ann"}
    number = next(n for n, name in options.items() if name == "region=N, size=large")
    for wrong in ({"cell": "9"}, {"cell": "x"}, {"reason": ""}, {"name": " "}, {"decision": "x"}):
        form = {"cell": number, "decision": "accept", **said, **wrong}
        assert client.post(f"{done.url.path}/decisions", data=form).status_code in (404, 422), wrong
    form = {"cell": number, "decision": "accept", **said}
    again = until_done(client, client.post(f"{done.url.path}/decisions", data=form))
    assert identity(again) != identity(done)
    assert "accepted as withheld by Ann" in again.text
    kept = client.get(f"{again.url.path}/files/decisions.json").json()["decisions"]
    assert [(one["decision"], one["cell"]) for one in kept] == [("accept", {"region": "N", "size": "large"})]
    other = next(n for n, name in options.items() if name == "region=S, size=large")
    last = client.post(f"{again.url.path}/decisions", data={"cell": other, "decision": "accept", **said})
    last = until_done(client, last)
    assert len(client.get(f"{last.url.path}/files/decisions.json").json()["decisions"]) == 2
    kept_out = client.post(f"{again.url.path}/decisions", data={"cell": other, "decision": "keep_published", **said})
    shown = until_done(client, kept_out).text
    assert "kept published by Ann" in shown
    assert "region=S, size=large" not in choices_of(shown).values()
    assert "decisions.json" not in done.text
    explained = until_done(client, client.post(f"{last.url.path}/reasons"))
    assert choices_of(explained.text) == choices_of(last.text)
    assert len(client.get(f"{explained.url.path}/files/decisions.json").json()["decisions"]) == 2
    audit = until_done(client, client.post(f"{found.url.path}/audits", data={}))
    assert client.post(f"{audit.url.path}/reasons").status_code == 404


def choices_of(page: str) -> dict[str, str]:
    """Number and name of the secondary cells that can be decided about."""
    return dict(re.findall(r'<input type="radio" name="cell" value="(\d+)"[^>]*aria-label="([^"]*)"', page))


def test_what_needs_each_cell_is_looked_for_when_it_was_not(client: TestClient) -> None:
    """CONVENTION 962: the page offers it, and the search is made again with it."""
    ready = bring(client, ("release.json", json.dumps(UNPROTECTED))).url.path
    done = until_done(client, client.post(f"{ready}/suppressions", data={"explain": "false"}))
    assert "What needs each cell was not looked for" in done.text
    assert "not looked for</td>" in done.text
    again = until_done(client, client.post(f"{done.url.path}/reasons"))
    assert "needed by" in again.text
    assert "not looked for" not in again.text


def test_advice_on_pages_names_buttons_and_no_commands(client: TestClient) -> None:
    """CONVENTION 963."""
    release = {**UNPROTECTED, "policy": {"primary": [{"threshold": 12}]}}
    ready = bring(client, ("release.json", json.dumps(release))).url.path
    done = until_done(client, client.post(f"{ready}/audits", data={"withhold_primaries": "on"})).text
    assert "find further cells to withhold: “Protect the release” on the page of the release" in done
    assert "tableseal suppress" not in done
    unjudged = {name: said for name, said in UNPROTECTED.items() if name != "policy"}
    ready = bring(client, ("release.json", json.dumps(unjudged))).url.path
    done = until_done(client, client.post(f"{ready}/audits", data={})).text
    assert "“Fewest contributors”" in done
    assert " --" not in done


def test_a_pattern_that_does_not_exist_says_what_is_in_the_way(client: TestClient) -> None:
    """CONVENTION 963."""
    table = UNPROTECTED["tables"][0]
    status = ["", *["must_publish"] * (len(table["cells"]["value"]) - 1)]
    fixed = {**table, "status": "status", "cells": {**table["cells"], "status": status}}
    release = {**UNPROTECTED, "tables": [fixed]}
    ready = bring(client, ("release.json", json.dumps(release))).url.path
    page = until_done(client, client.post(f"{ready}/suppressions", data={}))
    assert "No pattern protects this release" in page.text
    assert "cannot be protected" in page.text
    assert "must be published" in page.text


def test_a_pattern_stands_beside_those_of_other_methods(client: TestClient) -> None:
    """CONVENTION 886: figures of searches and comparisons of the same release, as their answers say them."""
    ready = bring(client, ("release.json", json.dumps(UNPROTECTED))).url.path
    form = {"method": "heuristic", "time_limit": "60"}
    alone = until_done(client, client.post(f"{ready}/suppressions", data=form))
    assert "No other method was tried on this release." in alone.text
    compared = client.post(f"{ready}/comparisons", data={"method": ["optimal", "network"], "time_limit": "60"})
    answer = until_done(client, compared)
    outcomes = client.get(f"/v1{answer.url.path}/result", headers={"Accept": "application/json"}).json()["methods"]
    other = {"method": "optimal", "cost": "unit", "time_limit": "60"}
    until_done(client, client.post(f"{ready}/suppressions", data=other))
    page = client.get(alone.url.path).text
    table = page[page.index('id="beside-h"') :]
    table = table[: table.index("</table>")]
    rows = [re.sub(r"<[^>]+>", "\t", row).split("\t") for row in table.split("<tr>")[2:]]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert [row[0] for row in cells] == ["heuristic", "optimal", *(one["method"] for one in outcomes)]
    assert cells[0][1] == "(this pattern)"
    assert "unit" in cells[1]
    for one, row in zip(outcomes, cells[2:], strict=True):
        assert row[1:4] == [one["protection"]["verdict"], str(one["secondary"]), str(one["cost"])]
