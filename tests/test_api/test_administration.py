"""Jobs of all owners for whoever runs the service: by the command, and on a page for the role admin."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import BACKENDS, KEYS, new_database
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from tableseal.api.access.oidc import _role
from tableseal.api.cli.app import app as command
from tableseal.api.http.app import create_app
from tableseal.api.settings import Settings
from tableseal.api.store.administration import database_size, job_lines, owner_lines, worker_ages
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Document, State
from tableseal.api.store.jobs import record, submit
from tableseal.api.store.log import log_of
from tableseal.api.store.migrate import opened
from tableseal.api.store.queue import claim
from tableseal.api.store.tokens import Role, create_token
from tableseal.api.store.workers import beat

SECRET = "Zq7-held-by-a-job"


def filled(store: Store) -> dict[str, str]:
    """Two jobs of ann wait, one of bob runs and one has ended."""
    content = [Document("release.json", "application/json", SECRET.encode() * 10)]
    with store.writing() as connection:
        running = submit(connection, "bob", "audit", "{}", content).id
        assert claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={}) is not None
        waiting = [submit(connection, "ann", "audit", "{}", content).id for _ in range(2)]
        done = record(connection, "bob", "suppression", "{}", content, outcome="safe", seconds=0.5).id
        beat(connection, "worker")
    return {"running": running, "waiting": waiting[0], "second": waiting[1], "done": done}


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with new_database(request.param, tmp_path) as url, opened(url, KEYS) as found:
        yield found


@pytest.fixture
def keys(tmp_path: Path) -> tuple[dict[str, str], dict[Role, str]]:
    """Jobs in a database of a folder, and a key of carla's for each role."""
    settings = Settings(data=tmp_path)
    with opened(settings.database_url, settings.keys) as store:
        jobs = filled(store)
        with store.writing() as connection:
            made = {role: create_token(connection, "carla", role) for role in Role}
    return jobs, made


def test_what_administration_sees(store: Store) -> None:
    """CONVENTION 871"""
    jobs = filled(store)
    with store.reading() as connection:
        lines = job_lines(connection)
        assert [line.id for line in lines[:3]] != [jobs["done"]] * 3
        assert {line.id for line in lines} == set(jobs.values())
        assert lines[-1].id == jobs["done"], "what has ended comes last"
        assert [line.id for line in job_lines(connection, owner="bob", state=State.RUNNING)] == [jobs["running"]]
        assert len(job_lines(connection, limit=2)) == 2
        ann, bob = owner_lines(connection)
        size = 10 * len(SECRET)
        assert (ann.owner, ann.queued, ann.running, ann.kept, ann.size) == ("ann", 2, 0, 0, 2 * size)
        assert (bob.owner, bob.queued, bob.running, bob.kept, bob.size) == ("bob", 0, 1, 1, 2 * size)
        assert 0 <= ann.oldest < 60
        assert bob.oldest == 0
        assert [0 <= age < 60 for age in worker_ages(connection)] == [True]
        assert database_size(connection) > 10_000


def test_the_command(keys: tuple[dict[str, str], dict[Role, str]], tmp_path: Path) -> None:
    """CONVENTION 871"""
    jobs, _ = keys

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(command, [*words, "--data", str(tmp_path)])
        assert result.exit_code == code, result.output
        assert SECRET not in result.output
        return result.output

    rows = json.loads(run("job", "list", "--json", "-"))
    assert {row["id"]: row["state"] for row in rows} == {
        jobs["running"]: "running",
        jobs["waiting"]: "queued",
        jobs["second"]: "queued",
        jobs["done"]: "succeeded",
    }
    assert re.findall(r"\bann\b|\bbob\b", run("job", "list", "--owner", "ann")) == ["ann", "ann"]
    assert jobs["running"] in run("job", "list", "--state", "running")
    assert "ann: 2 wait (for " in run("job", "queue")
    assert [line["owner"] for line in json.loads(run("job", "queue", "--json", "-"))] == ["ann", "bob"]
    said = run("job", "erase", jobs["done"], jobs["running"], code=2)
    assert "is still at work" in said
    assert jobs["done"] in run("job", "list"), "all or none"
    assert "there is no such job" in run("job", "cancel", jobs["waiting"], "nothing", code=2)
    assert "queued" in run("job", "list", "--state", "queued")
    said = run("job", "cancel", jobs["waiting"], jobs["running"])
    assert said.split() == [jobs["waiting"], "cancelled", jobs["running"], "running"]
    assert run("job", "erase", jobs["waiting"], jobs["done"]) == "Jobs erased: 2.\n"
    assert len(json.loads(run("job", "list", "--json", "-"))) == 2
    settings = Settings(data=tmp_path)
    with opened(settings.database_url, settings.keys) as store, store.reading() as connection:
        noted = {(entry.who, entry.action, entry.object) for entry in log_of(connection, "bob", limit=9)}
    assert {("command line", "job.cancel", jobs["running"]), ("command line", "job.erase", jobs["done"])} <= noted


def test_the_page_is_for_administration_only(keys: tuple[dict[str, str], dict[Role, str]], tmp_path: Path) -> None:
    """CONVENTION 871"""
    jobs, made = keys
    with TestClient(create_app(Settings(data=tmp_path, access="keys", inline_workers=0))) as client:
        for role in (Role.READER, Role.ANALYST, Role.OFFICER):
            headers = {"Authorization": f"Bearer {made[role]}"}
            assert client.get("/admin", headers=headers).status_code == 403
            assert client.post(f"/admin/jobs/{jobs['waiting']}/cancel", headers=headers).status_code == 403
            assert "/admin" not in client.get("/account", headers=headers).text
        assert client.get("/admin").status_code == 401
        headers = {"Authorization": f"Bearer {made[Role.ADMIN]}"}
        assert 'href="/admin"' in client.get("/account", headers=headers).text
        page = client.get("/admin", headers=headers)
        assert page.status_code == 200
        assert "2 jobs wait" in page.text
        assert SECRET not in page.text
        assert "Cancel job " + jobs["running"][:8] in page.text
        assert client.get(f"/v1/jobs/{jobs['done']}/result", headers=headers).status_code == 404, "another owner's"
        gone = client.post(f"/admin/jobs/{jobs['waiting']}/cancel", headers=headers, follow_redirects=False)
        assert (gone.status_code, gone.headers["location"]) == (303, "/admin")
        assert client.post("/admin/jobs/none/cancel", headers=headers).status_code == 404
        assert "One" not in page.text
        assert "1 job waits" in client.get("/admin", headers=headers).text
    settings = Settings(data=tmp_path)
    with opened(settings.database_url, settings.keys) as store, store.reading() as connection:
        (entry, *_) = log_of(connection, "ann", limit=5)
        assert (entry.action, entry.object) == ("job.cancel", jobs["waiting"])
        assert entry.who.startswith("administration: ")


def test_whoever_sits_at_this_machine_sees_the_page(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(data=tmp_path, inline_workers=0)), base_url="http://localhost") as client:
        page = client.get("/admin")
        assert page.status_code == 200
        assert "No job waits" in page.text


@pytest.mark.parametrize("value", ["admin", ["admin"], "admin superuser"])
def test_no_token_of_a_provider_makes_an_administrator(value: object) -> None:
    """CONVENTION 871"""
    assert _role(value) is None
    assert _role(["officer", "admin"]) is Role.OFFICER
