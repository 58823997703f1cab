"""Keys, roles, owners, sessions of browsers, and the log of who did what."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked, path_of
from databases import BACKENDS, KEYS, new_database
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from tableseal.api.access import guessing
from tableseal.api.cli.app import app as command
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.measures import CHANGED
from tableseal.api.http.plans import EXAMPLE as PLAN
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.published_kind import AGENCY, CERTIFICATE, PUBLIC, PublishedRequest
from tableseal.api.publishing.certificate import certificate_of
from tableseal.api.publishing.summary import Published, PublishedCluster
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Document
from tableseal.api.store.jobs import record
from tableseal.api.store.log import log_of, note
from tableseal.api.store.migrate import migrate
from tableseal.api.store.schema import audit_log
from tableseal.api.store.tokens import Principal, Role, create_token, principal_of, revoke_token
from tableseal.audit.codec.documents import json_of

OPEN = {"/healthz", "/readyz", "/metrics", "/account", "/account/leave", "/favicon.ico", "/static/{name}"}
"""Routes that ask nobody who he is, and why: they tell no secrets, or are there to ask."""


@dataclass(frozen=True)
class Office:
    """A service, keys by who holds them, and what the department `ann` has: a publication, the job that made it, and
    others of several kinds."""

    client: TestClient
    keys: Mapping[str, str]
    job: str
    others: tuple[str, ...] = ()

    def ask(self, who: str | None, method: str, path: str, **more: Any) -> Any:
        headers = {**more.pop("headers", {}), **({} if who is None else {"Authorization": f"Bearer {self.keys[who]}"})}
        return self.client.request(method, path, headers=headers, **more)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    with (
        pytest.MonkeyPatch.context() as patched,
        asked(folder, worker=False, access="keys", key_secret="pepper") as client,
    ):
        patched.setattr(guessing, "PAUSE", 0.0)  # here very many keys are refused
        store = Store(Settings(data=folder).database_url, Settings(data=folder).keys)
        with store.writing() as connection:

            def key(owner: str, role: Role, **more: Any) -> str:
                return create_token(connection, owner, role, secret=b"pepper", **more)

            keys = {
                "ann": key("ann", Role.OFFICER, name="Ann"),
                "analyst": key("ann", Role.ANALYST),
                "reader": key("ann", Role.READER),
                "eve": key("eve", Role.OFFICER),
                "expired": key("ann", Role.OFFICER, days=0),
                "revoked": key("ann", Role.OFFICER),
                "unkeyed": create_token(connection, "ann", Role.OFFICER),
            }
            revoke_token(connection, keys["revoked"].split("_")[1])
        store.close()
        found = Office(client, keys, "")
        made = found.ask("ann", "POST", "/v1/publications/prices/releases?publish=true", json=EXAMPLE, headers=WAIT)
        assert made.json()["published"] == 1, made.text
        draft = found.ask(
            "ann", "POST", "/releases", files={"text": (None, json.dumps(EXAMPLE))}, follow_redirects=False
        )
        wanted = (
            ("/v1/audits?html=true&proof=true", EXAMPLE),
            ("/v1/suppressions", UNPROTECTED),
            ("/v1/protections?base=3", UNPROTECTED),
            ("/v1/attacks", CHANGED),
            ("/v1/plans", PLAN),
        )
        done = [draft, *(found.ask("ann", "POST", path, json=body, headers=WAIT) for path, body in wanted)]
        assert [answer.status_code for answer in done] == [303, *[200] * len(wanted)]
        job, *others = (path_of(answer).rpartition("/")[2] for answer in (made, *done))
        yield Office(client, keys, job, (*others, tables_of_a_plan(folder)))


def tables_of_a_plan(folder: Path) -> str:
    """A job of ann's that only a worker can do, as it is when it is done."""
    plan = folder / "plan.json"
    plan.write_text(json.dumps(PLAN), "utf-8")
    published = Published("Firms", (PublishedCluster("firms", ("firms",), "safe"),))
    certificate = certificate_of(published, {}, (plan,), plan.parent)
    written = {"published.json": json_of(published), CERTIFICATE: json_of(certificate)}
    files = [Document(name, "application/json", text.encode()) for name, text in written.items()]
    files += [Document(name, "application/zip", b"confidential") for name in (PUBLIC, AGENCY)]
    with (
        closing(Store(Settings(data=folder).database_url, Settings(data=folder).keys)) as store,
        store.writing() as connection,
    ):
        request = PublishedRequest(plan="plan.json").model_dump_json()
        return record(connection, "ann", "published", request, files, outcome="safe", seconds=1.0).id


def routes(client: TestClient) -> list[tuple[str, str]]:
    """Method and path of everything that can be asked for; a new route is in it at once."""
    app: Any = client.app
    routes = (r for r in iter_route_contexts(app.routes) if r.path != "/openapi.json")
    found = [(method, str(r.path)) for r in routes for method in sorted(r.methods or ()) if method != "HEAD"]
    assert len(found) > 15
    return [(method, path) for method, path in found if path not in OPEN]


def bodies(path: str, job: str) -> dict[str, Any]:
    """A body that a route takes."""
    if path.endswith("/entries"):
        return {"json": {"job": job}}
    if path.endswith("/withdrawal"):
        return {"json": {"reason": "x", "was_out": True}}
    return {"json": EXAMPLE}


def filled(path: str, job: str) -> str:
    values = {"job": job, "draft": job, "name": "prices", "number": "1"}
    query = "?number=1" if path.endswith("/cell") else ""
    return re.sub(r"\{(\w+)[^}]*\}", lambda found: values.get(found[1], "1"), path) + query


@pytest.mark.parametrize("who", [None, "expired", "revoked", "unkeyed"])
def test_every_route_asks_who_it_is(office: Office, who: str | None) -> None:
    """CONVENTION 406: a key that was made without the secret of the service is none."""
    for method, path in routes(office.client):
        response = office.ask(who, method, filled(path, office.job), **bodies(path, office.job))
        assert response.status_code == 401, (method, path)
        assert response.headers["www-authenticate"] == "Bearer"


def test_what_is_anothers_is_as_if_it_were_not_there(office: Office) -> None:
    """CONVENTION 401: on every route that there is, for every kind of object; and it is there for its owner."""
    before = office.ask("ann", "GET", "/v1/publications/prices").json()
    walked = 0
    for method, path in routes(office.client):
        if path == "/v1/publications/{name}/releases":
            continue  # begins a publication of eve's own, below
        if path.startswith("/admin/"):
            continue  # of all owners, for another role
        for job in (office.job, *office.others):
            response = office.ask("eve", method, filled(path, job), **bodies(path, job))
            if "{" in path:
                assert response.status_code == 404, (method, path, response.text)
                walked += 1
            elif method == "GET":
                assert job not in response.text, path
                assert "prices" not in response.text, path
    assert walked >= 100
    for path in (path for method, path in routes(office.client) if method == "GET" and "{" in path):
        found = [office.ask("ann", "GET", filled(path, job)).status_code for job in (office.job, *office.others)]
        # A table that users ask for needs a hypercube; `test_tables_jobs` has one.
        assert 200 in found or "{name" in path or path == "/v1/jobs/{job}/table", path
    own = office.ask("eve", "POST", "/v1/publications/prices/releases", json=EXAMPLE, headers=WAIT).json()
    assert {table["entry"] for table in own["audited"]} == {0}, "audited with nothing of ann's"
    assert office.ask("ann", "GET", "/v1/publications/prices").json() == before
    assert office.ask("ann", "GET", f"/v1/jobs/{office.job}").status_code == 200
    assert office.ask("reader", "GET", f"/v1/jobs/{office.job}/result").status_code == 200, "the same department"


def test_no_word_tells_that_there_is_something_of_anothers(office: Office) -> None:
    """CONVENTION 401, 932: on every route, whatever form of the answer is asked for, it is the same, to the letter, as
    for what has never been there."""
    nothing, compared = "0" * 32, 0
    forms = [{}, {"Accept": "text/csv"}, {"Accept": "text/html"}]
    for method, path in routes(office.client):
        if ("{job" not in path and "{draft" not in path) or path.startswith("/admin/"):
            continue
        asked_for = [filled(path, office.others[-1])]
        if path.endswith("/result"):
            asked_for += [f"{asked_for[0]}?format={form}" for form in ("json", "jsonl", "csv", "parquet")]
        for there in asked_for:
            for headers in forms:
                sent = {"headers": headers, **bodies(path, office.job)}
                found = office.ask("eve", method, there, **sent)
                absent = office.ask("eve", method, there.replace(office.others[-1], nothing), **sent)
                assert found.status_code == absent.status_code == 404, (method, there)
                assert found.text.replace(office.others[-1], nothing) == absent.text, (method, there)
                compared += 1
            head = office.ask("eve", "HEAD", there)
            assert method != "GET" or (head.status_code, head.content) == (404, b""), there
    assert compared > 60


def test_roles(office: Office) -> None:
    """CONVENTION 401"""
    for method, path in routes(office.client):
        if method != "GET":
            response = office.ask("reader", method, filled(path, office.job), **bodies(path, office.job))
            assert response.status_code == 403, (method, path)
    audited = office.ask("analyst", "POST", "/v1/publications/prices/releases", json=EXAMPLE, headers=WAIT)
    assert audited.json()["published"] is None
    job = path_of(audited).rpartition("/")[2]
    for method, path, body in (
        ("POST", "/v1/publications/prices/releases?publish=true", EXAMPLE),
        ("POST", "/v1/publications/prices/entries", {"job": job}),
        ("POST", "/v1/publications/prices/entries/1/withdrawal", {"reason": "x", "was_out": True}),
        ("GET", "/v1/publications/prices?releases=true", None),
        ("GET", "/v1/audit-log", None),
    ):
        assert office.ask("analyst", method, path, json=body).status_code == 403, path
    assert len(office.ask("ann", "GET", "/v1/publications/prices").json()["entries"]) == 1
    refused = [entry for entry in office.ask("ann", "GET", "/v1/audit-log").json() if entry["outcome"] == "refused"]
    assert refused[0]["action"] == "GET as officer"


def test_the_log_says_who_did_what_and_no_more(office: Office) -> None:
    """CONVENTION 405"""
    marked = {**EXAMPLE, "title": "Confidential-Title"}
    job = path_of(office.ask("analyst", "POST", "/v1/audits", json=marked, headers=WAIT)).rpartition("/")[2]
    office.ask("analyst", "GET", f"/v1/jobs/{job}/result")
    assert office.ask("analyst", "DELETE", f"/v1/jobs/{job}").status_code == 204
    response = office.ask("ann", "GET", "/v1/audit-log?limit=1000")
    mine = [(e["action"], e["outcome"]) for e in response.json() if e["object"] == job]
    assert mine == [("job.erase", "done"), ("result.read", "succeeded"), ("audit.done", "safe")]
    assert {e["who"] for e in response.json() if e["object"] == job} == {office.keys["analyst"].split("_")[1]}
    (published,) = [e for e in response.json() if e["action"] == "publication.publish"]
    assert published["object"] == "prices: 1"
    assert published["who"] == f"Ann ({office.keys['ann'].split('_')[1]})"
    for secret in ("Confidential-Title", "region", "small", *office.keys.values()):
        assert secret not in response.text
    page = office.ask("ann", "GET", f"/v1/audit-log?limit=1&before={response.json()[0]['id']}").json()
    assert page == response.json()[1:2]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_database_refuses_to_change_the_log(backend: str, tmp_path: Path) -> None:
    """CONVENTION 405"""
    with new_database(backend, tmp_path) as url:
        store = Store(url, KEYS)
        migrate(store)
        with store.writing() as connection:
            note(connection, Principal("ann", Role.READER, "x" * 20), "y", "z" * 500)
        for change in (update(audit_log).values(who="eve"), delete(audit_log)):
            with pytest.raises(DBAPIError, match="neither changed nor erased"), store.writing() as connection:
                connection.execute(change)
        with store.reading() as connection:
            assert [entry.object for entry in log_of(connection, "ann", limit=5)] == ["z" * 200]
        store.close()


def test_a_browser_is_given_a_key_once(office: Office) -> None:
    """CONVENTION 406"""
    client = office.client
    html = {"Accept": "text/html"}
    assert 'name="key"' in client.get("/", headers=html).text, "asked for a key"
    wrong = client.post("/account", data={"key": office.keys["revoked"]}, headers=html)
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    entered = client.post("/account", data={"key": office.keys["reader"]}, follow_redirects=False)
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"].lower()
    assert all(said in cookie for said in ("httponly", "samesite=strict", "max-age=43200"))
    assert office.keys["reader"].lower() not in cookie
    try:
        assert client.get("/v1/jobs").status_code == 200
        assert client.post("/v1/audits", json=EXAMPLE).status_code == 403, "a reader still"
        wrong_key = client.get("/v1/jobs", headers={"Authorization": "Bearer tsk_x"})
        assert wrong_key.status_code == 401, "a key that is sent counts, not the cookie"
        foreign = client.post("/account/leave", headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False)
        assert foreign.status_code == 403
        session = client.cookies["tableseal_session"]
        client.post("/account/leave")
        client.cookies.set("tableseal_session", session)
        assert client.get("/v1/jobs").status_code == 401
    finally:
        client.cookies.clear()


def test_keys_are_made_listed_and_revoked_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLESEAL_KEY_SECRET", "pepper")
    data = ["--data", str(tmp_path)]

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(command, ["token", *arguments, *data])
        assert result.exit_code == code, result.output
        return result.output

    key = run("create", "--owner", "prices", "--role", "officer", "--name", "Ann", "--days", "3").strip()
    other = run("create", "--owner", "wages").strip()
    public = key.split("_")[1]
    listed = run("list")
    assert public in listed
    assert other.split("_")[1] in listed
    assert key not in listed
    assert "valid until" in listed
    (row,) = json.loads(run("list", "--owner", "prices", "--json", "-"))
    assert (row["id"], row["name"], row["role"], row["valid"]) == (public, "Ann", "officer", True)
    store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    with store.reading() as connection:
        assert principal_of(connection, key, b"pepper") == Principal("prices", Role.OFFICER, f"Ann ({public})")
        assert principal_of(connection, key) is None
    assert public in run("revoke", public)
    assert f"{public}  officer  prices  Ann" in run("list")
    assert "revoked" in run("list", "--owner", "prices")
    assert "no such key" in run("revoke", public, code=2)
    with store.reading() as connection:
        assert principal_of(connection, key, b"pepper") is None
        assert [entry.action for entry in log_of(connection, "prices", limit=9)] == ["token.revoke", "token.create"]
    store.close()
    assert "--owner" in run("create", "--owner", " ", code=2)
