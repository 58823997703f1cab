"""Pages on publications: what is out, what a new release does to it, and what was taken back."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import asked
from fastapi.testclient import TestClient
from paging import BROWSER, identity, log, until_done
from small import document, table

from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.api.store.tokens import Role, create_token

NOT_RELEASED = {"leaves": "not_released"}
STATUS = ["", "primary", "secondary", ""]
EXACT = {"require": {"protection": False}}
"""A policy for which exact disclosure alone counts."""
ANY = EXACT | {"primary": [{"threshold": 1}]}
"""With a rule, which finds nothing sensitive."""

HIDES = document(table(["T", "k", "l", "m"], [9, None, None, 4], status=STATUS), title="Hides", policy=EXACT)
TELLS = document(table(["l"], [3], name="of_l", absent=NOT_RELEASED), title="Tells <i>", policy=ANY)
CHANGED = document(table(["l"], [2], name="of_l", absent=NOT_RELEASED), title="Changed", policy=ANY)
NAME = "Löhne 2026"
AT = "/publications/L%C3%B6hne%202026"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        opened.headers.update(BROWSER)
        yield opened


def bring(client: TestClient, release: Any) -> str:
    """The draft of a release."""
    return identity(client.post("/releases", files={"files": ("release.json", json.dumps(release))}))


def beside(client: TestClient, draft: str, name: str = NAME, **fields: Any) -> Any:
    """The page of the audit of a draft with what is out."""
    return until_done(client, client.post("/publications", data={"draft": draft, "name": name, **fields}))


def form(page: str, action: str) -> dict[str, str]:
    """Hidden fields of a form."""
    text = page.partition(f'action="{action}"')[2].partition("</form>")[0]
    assert text, f"no form for {action}"
    return dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', text))


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def test_from_the_first_release_to_the_culprit_and_back(client: TestClient) -> None:
    """CONVENTION 375, 402, 403, 404: with nothing but links and forms of pages."""
    assert "Nothing was published here yet" in client.get("/publications").text
    tells, hides = bring(client, TELLS), bring(client, HIDES)
    assert f'value="{tells}"' in client.get("/publications").text
    assert "Beside what is out already" in client.get(f"/releases/{tells}").text

    first = beside(client, tells)
    assert '<div class="banner safe" role="status">' in first.text
    assert client.get(AT).status_code == 404, "an audit publishes nothing"
    out = client.post(f"{AT}/entries", data=form(first.text, f"{AT}/entries"))
    assert (out.status_code, out.url.path) == (200, f"/publications/{NAME}")
    assert "Tells &lt;i&gt;" in out.text
    assert "Published as" in client.get(first.url).text
    assert f'action="{AT}/entries"' not in client.get(first.url).text, "nothing is published twice"
    assert NAME in client.get("/publications").text

    second = beside(client, hides)
    assert '<div class="banner unsafe" role="status">' in second.text
    row = re.search(r'<tr><th scope="row">a = k</th>.*?</tr>', second.text, re.DOTALL)
    assert row is not None
    assert f'the new release with <a href="{AT}/entries/1">entry 1, table of_l</a>' in row[0]
    assert "exposed" in row[0]
    given = form(second.text, f"{AT}/entries")
    refused = client.post(f"{AT}/entries", data=given)
    assert (refused.status_code, "found unsafe" in refused.text) == (409, True)

    entry = client.get(f"{AT}/entries/1")
    assert 'name="was_out" value="true" required' in entry.text
    for wrong in ({"reason": "wrong file"}, {"was_out": "true"}, {"reason": " ", "was_out": "true"}):
        assert client.post(f"{AT}/entries/1/withdrawal", data=wrong).status_code == 422
    taken = {"reason": "wrong <b> file", "was_out": "false"}
    gone = client.post(f"{AT}/entries/1/withdrawal", data=taken)
    assert "wrong &lt;b&gt; file" in gone.text
    assert "later releases are not audited with it" in gone.text
    assert f'action="{AT}/entries/1/withdrawal"' not in gone.text
    assert client.post(f"{AT}/entries/1/withdrawal", data=taken).status_code == 409
    assert "withdrawn : wrong &lt;b&gt; file" in plain(client.get(AT).text)

    changed = client.get(second.url)
    assert "has to be audited again" in changed.text
    assert client.post(f"{AT}/entries", data={**given, "despite": "it was out already"}).status_code == 409
    third = beside(client, **form(changed.text, "/publications"))
    assert '<div class="banner safe" role="status">' in third.text, "entry 1 never went out"
    noted = [(e["action"], e["object"], e["outcome"]) for e in log(client) if e["action"].startswith("publication.")]
    assert noted == [
        ("publication.submit", identity(third), "done"),
        ("publication.withdraw", f"{NAME}: 1", "done"),
        ("publication.submit", identity(second), "done"),
        ("publication.publish", f"{NAME}: 1", "done"),
        ("publication.submit", identity(first), "done"),
    ]
    assert ("result.read", identity(third)) in [(entry["action"], entry["object"]) for entry in log(client)]


def test_out_although_not_safe_and_a_revision(client: TestClient) -> None:
    name, at = "revised", "/publications/revised"
    first = beside(client, bring(client, TELLS), name)
    client.post(f"{at}/entries", data=form(first.text, f"{at}/entries"))
    second = beside(client, bring(client, HIDES), name)
    given = form(second.text, f"{at}/entries")
    out = client.post(f"{at}/entries", data={**given, "despite": "it was out already"})
    assert "out although not safe : it was out already" in plain(out.text)
    draft = bring(client, CHANGED)
    refused = beside(client, draft, name)
    assert 'role="alert"' in refused.text
    assert "is a revision" in refused.text
    assert 'name="revises" value="1:of_l"' in client.get(at).text
    third = beside(client, draft, name, revises=["1:of_l"])
    assert f'It replaces <a href="{at}/entries/1">entry 1, table of_l</a>' in third.text


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ({"name": "../x"}, 422, "The name of a publication"),
        ({"name": ""}, 422, "The name of a publication"),
        ({"draft": "none"}, 404, "No such release"),
        ({"revises": "x"}, 422, "expected the number of an entry"),
        ({"bounds": "best"}, 422, "bounds"),
    ],
)
def test_what_cannot_be_used_is_a_page(client: TestClient, given: dict[str, str], status: int, said: str) -> None:
    page = beside(client, **{"draft": bring(client, TELLS), "name": "wrong", **given})
    assert (page.status_code, 'role="alert"' in page.text) == (status, True)
    assert said in page.text
    assert client.get("/publications/wrong").status_code == 404


def test_what_does_not_add_up_is_not_audited_with_others(client: TestClient) -> None:
    broken = bring(client, document(table(["T", "k", "l", "m"], [9, 1, 1, 1])))
    assert beside(client, broken, "broken").status_code == 409
    assert broken not in client.get("/publications").text


def test_roles_owners_and_other_sites(tmp_path: Path) -> None:
    """CONVENTION 400, 401: a reader looks, an analyst audits, an officer publishes, each what is his department's."""
    store = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    migrate(store)
    with store.writing() as connection:
        keys = {
            name: {"Authorization": f"Bearer {create_token(connection, owner, role)}"}
            for name, owner, role in (
                ("officer", "anna", Role.OFFICER),
                ("analyst", "anna", Role.ANALYST),
                ("reader", "anna", Role.READER),
                ("other", "bert", Role.OFFICER),
            )
        }
    store.close()
    reader, officer, other = keys["reader"], keys["officer"], keys["other"]
    foreign = {**officer, "Origin": "http://evil.example"}
    with asked(tmp_path, access="keys") as client:
        client.headers.update(BROWSER)
        for path in ("/batches", "/publications"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers=reader).status_code == 200
        client.headers.update(keys["analyst"])
        wanted, batch = {"draft": bring(client, TELLS), "name": "p"}, {"files": ("a.json", "{}")}
        for who, status in ((reader, 403), (other, 404), (foreign, 403)):
            assert client.post("/publications", data=wanted, headers=who).status_code == status
        for who in (reader, foreign):
            assert client.post("/batches", files=batch, headers=who).status_code == 403
        page = beside(client, **wanted)
        assert "the role officer can publish it" in page.text
        job, entries = {"job": identity(page)}, "/publications/p/entries"
        for who, status in ((keys["analyst"], 403), (other, 404), (foreign, 403), (officer, 200)):
            assert client.post(entries, data=job, headers=who).status_code == status
        assert "the role officer can withdraw it" in client.get(f"{entries}/1").text
        for path in ("/publications/p", f"{entries}/1", f"/jobs/{identity(page)}"):
            assert client.get(path, headers=other).status_code == 404
            assert client.get(path, headers=reader).status_code == 200
        assert "Tells" not in client.get("/publications", headers=other).text
        taken = {"reason": "x", "was_out": "true"}
        for who, status in ((keys["analyst"], 403), (other, 404), (foreign, 403), (officer, 200)):
            assert client.post(f"{entries}/1/withdrawal", data=taken, headers=who).status_code == status
