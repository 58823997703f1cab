"""What pages offer is what whoever looks at them may do."""

import json
import re
import threading
from collections.abc import Iterator
from html import unescape

import pytest
from fastapi.testclient import TestClient
from paging import BROWSER

from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.worker import Worker
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role, create_token

TABLE = "region,size,n\nN,s,8\nN,l,12\nN,T,20\nS,s,11\nS,l,9\nS,T,20\nT,s,19\nT,l,21\nT,T,40\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("roles")
    settings = Settings(data=folder, access="keys", inline_seconds=30.0, poll_seconds=0.05)
    stop = threading.Event()
    with TestClient(create_app(settings), base_url="http://localhost", headers=BROWSER) as opened:
        store = Store(settings.database_url, settings.keys)
        thread = threading.Thread(target=Worker(settings, store, stop).run)
        thread.start()
        with store.writing() as connection:
            for role in Role:
                key = create_token(connection, "office", role, name=f"the {role}")
                opened.headers[f"x-{role}"] = key  # kept at hand for `As`
        yield opened
        stop.set()
        thread.join()
        store.close()


def headers(client: TestClient, role: Role) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.headers[f'x-{role}']}"}


def brought(client: TestClient, name: str, content: str) -> str:
    sent = {"files": (name, content)}
    path = client.post("/releases", files=sent, headers=headers(client, Role.ANALYST)).url.path
    wait_for(client, path.replace("/releases/", "/jobs/"), Role.ANALYST)
    return path.replace("/jobs/", "/releases/")


def offered(text: str) -> tuple[set[str], set[str]]:
    """Addresses of the links and of the forms of a page that lead to pages of the service."""
    body = text[text.index("<body>") :]
    links = {unescape(found).partition("#")[0] for found in re.findall(r'<a [^>]*?href="(/[^"]*)"', body)}
    forms = set()
    for form in re.findall(r"<form [^>]*>", body):
        action = re.search(r'action="(/[^"]*)"', form)
        assert action is not None or 'method="get"' in form
        if action and 'method="post"' in form:
            forms.add(unescape(action[1]))
    return links, forms


def wait_for(client: TestClient, path: str, role: Role) -> None:
    client.get(f"/v1{path}", headers=headers(client, role) | {"Prefer": "wait=30", "Accept": "*/*"})


def test_erasing_asks_before(client: TestClient) -> None:
    """CONVENTION 881: no click on a list or a result erases anything; the page that asks names what goes."""
    analyst = headers(client, Role.ANALYST)
    ready = brought(client, "release.json", json.dumps({**UNPROTECTED, "title": "To be asked for"}))
    job = client.post(f"{ready}/audits", data={}, headers=analyst).url.path
    wait_for(client, job, Role.ANALYST)
    for page in ("/jobs", "/releases", job, ready):
        text = client.get(page, headers=analyst).text
        assert not [form for form in offered(text)[1] if form.endswith("/erase")]
        assert [link for link in offered(text)[0] if link.endswith("/erase")]
    for path in (job, ready):
        asked = client.get(f"{path}/erase", headers=analyst)
        assert "To be asked for" in asked.text
        assert client.get(path, headers=analyst).status_code == 200
        assert client.get(f"{path}/erase", headers=headers(client, Role.READER)).status_code == 403
        assert client.post(f"{path}/erase", headers=analyst).status_code == 200
        assert client.get(path, headers=analyst).status_code == 404


@pytest.fixture(scope="module")
def everything(client: TestClient) -> str:
    """A release with a job of each kind behind it; its address."""
    analyst = headers(client, Role.ANALYST)
    ready = brought(client, "release.json", json.dumps(UNPROTECTED))
    brought(client, "table.csv", TABLE)
    brought(client, "broken.csv", TABLE.replace("N,T,20", "N,T,21"))
    for what in ("audits", "suppressions", "comparisons", "protections", "attacks"):
        form = {"method": "heuristic"} if what != "protections" else {"method": "random-rounding", "base": "3"}
        job = client.post(f"{ready}/{what}", data=form, headers=analyst).url.path
        wait_for(client, job, Role.ANALYST)
    publication = {"draft": ready.rpartition("/")[2], "name": "Companies 2026"}
    job = client.post("/publications", data=publication, headers=analyst).url.path
    wait_for(client, job, Role.ANALYST)
    asked = {"job": job.rpartition("/")[2], "despite": "a trial"}
    client.post("/publications/Companies%202026/entries", data=asked, headers=headers(client, Role.OFFICER))
    sent = {"files": ("release.json", json.dumps(EXAMPLE))}
    wait_for(client, client.post("/batches", files=sent, headers=analyst).url.path, Role.ANALYST)
    return ready


@pytest.mark.parametrize("role", list(Role))
def test_no_page_offers_what_answers_403(client: TestClient, everything: str, role: Role) -> None:
    """CONVENTION 880: every link and every form of every page that can be reached, for every role."""
    seen, actions, todo = set(), set(), ["/"]
    while todo:
        path = todo.pop()
        if path in seen or re.search(r"/cell\?|[?&](secondary|map|page|method|show|sort)=", path):
            continue
        seen.add(path)
        answer = client.get(path, headers=headers(client, role))
        assert answer.status_code == 200, (path, answer.status_code)
        if not answer.headers["content-type"].startswith("text/html") or path.startswith("/v1/"):
            continue
        links, forms = offered(answer.text)
        actions |= forms
        todo += sorted(links)
    assert {"/releases", "/jobs", "/publications", "/account", everything} <= seen
    assert len([path for path in seen if path.startswith("/jobs/")]) > 10
    erased = {action for action in actions if action.endswith(("/erase", "/leave"))}
    for action in sorted(actions - erased):
        # Who may is refused for the form that is none: nothing is begun.
        sent = {"Content-Type": "multipart/form-data", **headers(client, role)}
        assert client.post(action, content=b"no form", headers=sent).status_code != 403, action
    assert (role is Role.READER) == (actions <= {"/account/leave"})
