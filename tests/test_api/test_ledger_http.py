"""Publications over HTTP: what is out stays known, whoever comes at the same time."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asking import WAIT, asked, path_of
from databases import BACKENDS, KEYS, new_database
from fastapi.testclient import TestClient
from small import document, table
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.store.engine import Store
from tableseal.api.store.migrate import migrate
from tableseal.api.store.publications import append, publication
from tableseal.audit.codec.documents import json_of, schema_of
from tableseal.audit.io import release_digest, release_from_document
from tableseal.audit.publications import (
    Assessment,
    Publication,
    Revision,
    assess,
    publication_from_document,
    publish,
)

CODES = ["T", "k", "l", "m"]
NOT_RELEASED = {"leaves": "not_released"}
EXACT = {"require": {"protection": False}}
"""A policy for which exact disclosure alone counts."""
ANY = EXACT | {"primary": [{"threshold": 1}]}
"""With a rule, which finds nothing sensitive."""

HIDES = document(table(CODES, [9, None, None, 4], status=["", "primary", "secondary", ""]), policy=EXACT)
TELLS = document(table(["l"], [3], name="of_l", absent=NOT_RELEASED), policy=ANY)
HARMLESS = document(table(["m"], [4], name="of_m", absent=NOT_RELEASED), policy=ANY)
OUT = {"publish": "true"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service")) as opened:
        yield opened


def send(client: TestClient, name: str, release: Any, **params: Any) -> Any:
    return client.post(f"/v1/publications/{name}/releases", json=release, params=params, headers=WAIT)


def known(*releases: Any) -> Publication:
    found = Publication("known")
    for release in releases:
        found = publish(found, release_from_document(release))
    return found


def test_two_releases_safe_alone_unsafe_together_the_culprit_named(client: TestClient) -> None:
    """CONVENTION 402; and what comes over HTTP is what the library says."""
    name = "culprit"
    for release in (HARMLESS, TELLS):
        response = send(client, name, release, **OUT)
        assert response.status_code == 200, response.text
        assert response.json()["verdict"] == "safe"
    assert send(client, "another", HIDES, **OUT).json()["published"] == 1, "safe alone"
    response = send(client, name, HIDES, **OUT)
    found = response.json()
    assert (found["verdict"], found["published"]) == ("unsafe", None)
    falls = {cell["cell"]["a"]: cell["culprits"] for cell in found["fallen"]}
    assert falls["k"] == [[{"entry": 2, "table": "of_l"}]]
    assert [entry["title"] for entry in client.get(f"/v1/publications/{name}").json()["entries"]] == ["", ""]

    before = known(HARMLESS, TELLS)
    expected = assess(Publication(name, before.entries), release_from_document(HIDES))
    assert response.text == json_of(expected)
    jsonschema.validate(found, schema_of(Assessment))


def test_what_is_kept_can_be_read_back_and_is_told_without_values(client: TestClient) -> None:
    name = "Löhne 2026"
    assert send(client, name, HIDES, **OUT).json()["published"] == 1
    told = client.get(f"/v1/publications/{name}").json()
    jsonschema.validate(told, schema_of(Publication))
    assert told["entries"][0]["release"] is None
    assert (told["entries"][0]["by"], told["entries"][0]["despite"]) == ("local", None)
    whole = client.get(f"/v1/publications/{name}", params={"releases": "true"}).json()
    kept = publication_from_document(whole)
    assert release_digest(kept.entry(1).release) == release_digest(known(HIDES).entry(1).release)
    assert name in [entry["name"] for entry in client.get("/v1/publications").json()]


def test_an_audited_release_is_accepted_later(client: TestClient) -> None:
    """CONVENTION 403"""
    name = "accepted"
    first, second = (path_of(send(client, name, release)).rpartition("/")[2] for release in (TELLS, HIDES))
    assert client.get(f"/v1/publications/{name}").status_code == 404
    entries = f"/v1/publications/{name}/entries"
    made = client.post(entries, json={"job": first})
    assert made.status_code == 201
    assert made.json()["number"] == 1
    stale = client.post(entries, json={"job": second})
    assert (stale.status_code, stale.json()["type"]) == (409, "urn:tableseal:problem:publication-changed")
    again = path_of(send(client, name, HIDES)).rpartition("/")[2]
    unsafe = client.post(entries, json={"job": again})
    assert (unsafe.status_code, unsafe.json()["parameter"]) == (409, "despite")
    blank = client.post(entries, json={"job": again, "despite": " "})
    assert (blank.status_code, blank.json()["parameter"]) == (409, "despite")  # CONVENTION 1005
    assert client.post("/v1/publications/other/entries", json={"job": again}).status_code == 409
    assert client.post(entries, json={"job": "none"}).status_code == 404
    despite = client.post(entries, json={"job": again, "despite": "it was out already"})
    assert (despite.status_code, despite.json()["despite"]) == (201, "it was out already")
    assert len(client.get(f"/v1/publications/{name}").json()["entries"]) == 2


def test_withdrawn_with_a_trace(client: TestClient) -> None:
    """CONVENTION 404"""
    name = "withdrawn"
    send(client, name, TELLS, **OUT)
    at = f"/v1/publications/{name}/entries/1/withdrawal"
    for wrong in ({"reason": " ", "was_out": True}, {"reason": "x"}, {"was_out": True}):
        assert client.post(at, json=wrong).status_code == 422
    assert client.post(at.replace("1", "7"), json={"reason": "x", "was_out": True}).status_code == 404
    taken = client.post(at, json={"reason": "wrong file", "was_out": True}).json()
    assert {key: taken["withdrawn"][key] for key in ("reason", "by", "was_out")} == {
        "reason": "wrong file",
        "by": "local",
        "was_out": True,
    }
    assert client.post(at, json={"reason": "again", "was_out": True}).status_code == 409
    assert client.get(f"/v1/publications/{name}").json()["entries"] == [taken]
    assert send(client, name, HIDES).json()["verdict"] == "unsafe", "whoever has it still knows it"
    other = "never out"
    send(client, other, TELLS, **OUT)
    client.post(f"/v1/publications/{other}/entries/1/withdrawal", json={"reason": "not sent", "was_out": False})
    assert send(client, other, HIDES).json()["verdict"] == "safe"


def test_a_changed_value_is_a_revision_or_a_problem(client: TestClient) -> None:
    name, changed = "revised", document(table(["l"], [2], name="of_l", absent=NOT_RELEASED), policy=ANY)
    send(client, name, TELLS, **OUT)
    refused = send(client, name, changed, **OUT)
    assert refused.status_code == 422
    assert "is a revision" in refused.json()["detail"]
    for wrong in ("x", "0x1", "1:none", "7"):
        assert send(client, name, changed, revises=wrong).status_code == 422
    found = send(client, name, changed, revises="1:of_l", **OUT).json()
    assert found["supersedes"] == [{"entry": 1, "table": "of_l"}]
    revises = client.get(f"/v1/publications/{name}").json()["entries"][1]["revises"]
    assert revises == [{"entry": 1, "table": "of_l"}]
    assert known(TELLS).entry(1).number == Revision(1, "of_l").entry


def test_those_who_come_at_once_see_each_other(tmp_path: Path) -> None:
    """CONVENTION 402: of two releases that are safe alone and unsafe together, one goes out, whichever was quicker."""
    with asked(tmp_path, inline_workers=2) as client:
        answers: dict[str, Any] = {}

        def one(key: str, release: Any) -> None:
            answers[key] = send(client, "race", release, **OUT).json()

        threads = [threading.Thread(target=one, args=item) for item in (("tells", TELLS), ("hides", HIDES))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer["verdict"] for answer in answers.values()) == ["safe", "unsafe"]
        assert sorted(str(answer["published"]) for answer in answers.values()) == ["1", "None"]
        assert len(client.get("/v1/publications/race").json()["entries"]) == 1


def test_a_release_that_was_overtaken_is_audited_again(tmp_path: Path) -> None:
    """The worker was given what was known when it began; another is published before it ends."""
    from tableseal.api.jobs.worker import Worker
    from tableseal.api.settings import Settings

    settings = Settings(data=tmp_path, inline_workers=0)
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        job = path_of(client.post("/v1/publications/late/releases", json=HIDES, params=OUT))
        store = Store(settings.database_url, settings.keys)
        with store.reading() as connection:
            assert publication(connection, "local", "late").version == 0
        worker = Worker(settings, store, threading.Event())
        answered = worker._answer

        def overtaken(lease: Any, answer: Any) -> None:
            worker._answer = answered  # type: ignore[method-assign]
            entry = json.loads(json_of(known(TELLS).entry(1)))
            with store.writing() as connection:
                assert append(connection, "local", "late", 0, entry) is not None
            answered(lease, answer)

        worker._answer = overtaken  # type: ignore[method-assign]
        assert worker.step()
        assert client.get(job).json()["state"] == "queued"
        assert worker.step()
        found = client.get(job).json()
        assert (found["outcome"], found["attempts"]) == ("unsafe", 1)
        assert len(client.get("/v1/publications/late").json()["entries"]) == 1
        store.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_of_many_writers_wins(backend: str, tmp_path: Path) -> None:
    with new_database(backend, tmp_path) as url:
        store = Store(url, KEYS)
        migrate(store)
        barrier, won = threading.Barrier(4), []

        def one(number: int) -> None:
            barrier.wait()
            with store.writing() as connection:
                if append(connection, "ann", "x", 0, {"number": 1, "release": {"writer": number}}) is not None:
                    won.append(number)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with store.reading() as connection:
            kept = publication(connection, "ann", "x", releases=True)
            assert publication(connection, "eve", "x").entries == ()
        assert len(won) == 1
        assert (kept.version, [entry["release"] for entry in kept.entries]) == (1, [{"writer": won[0]}])
        store.close()


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    files = {}
    for key, release in (("tells", TELLS), ("hides", HIDES)):
        files[key] = tmp_path / f"{key}.json"
        files[key].write_text(json.dumps(release), "utf-8")
    target, data = tmp_path / "answer.json", ["--data", str(tmp_path / "data")]

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(command, ["publication", *arguments, *data])
        assert result.exit_code == code, result.output
        return result.output

    with asked(tmp_path / "data", worker=False) as client:
        assert "Published as entry 1." in run("audit", "cli", str(files["tells"]), "--publish")
        said = run("audit", "cli", str(files["hides"]), "--publish", "--json", str(target), code=1)
        assert "a=k: exposed, through entry 1, of_l" in said
        assert "Not published." in said
        assert send(client, "cli", HIDES, **OUT).text == target.read_text("utf-8")
        run("audit", "cli", str(files["hides"]), "--publish", "--despite", "out already", code=1)
        assert len(client.get("/v1/publications/cli").json()["entries"]) == 2
        run("withdraw", "cli", "1", "--reason", "wrong file", "--never-out")
        assert "withdrawn already" in run("withdraw", "cli", "1", "--reason", "x", code=2)
        listed = run("show", "cli")
        assert "wrong file" in listed
        assert "out already" in listed
        assert json.loads(run("show", "cli", "--json", "-")) == client.get("/v1/publications/cli").json()
        assert "nothing was published" in run("show", "none", code=2)
        assert "NAME" in run("show", "a/b", code=2)
