"""Keys that are refused: in the log with the address, slow to guess; streams end with the key that opened them."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asking import asked, path_of
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError

from tableseal.api.access import guessing
from tableseal.api.access.guessing import FREE, WAITING, Guesses
from tableseal.api.access.who import COOKIE
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import Role, create_token, revoke_token


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    yield opened
    opened.close()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with asked(tmp_path, worker=False, inline_workers=0, access="keys") as opened:
        yield opened


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_what_is_refused_is_in_the_log_and_what_was_shown_is_not(
    client: TestClient, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """CONVENTION 729: by header, cookie and the form to sign in; who shows nothing is nobody who guesses."""
    with store.writing() as connection:
        good = create_token(connection, "ann", Role.READER)
    caplog.set_level(logging.INFO)
    assert client.get("/v1/jobs", headers=bearer(good)).status_code == 200
    assert client.get("/v1/jobs").status_code == 401
    assert client.get("/account").status_code == 200
    assert "refused" not in caplog.text
    shown = ["tsk_0123456789ab_wrong-one", "wrong-two", "wrong-three", "wrong-four"]
    assert client.get("/v1/jobs", headers=bearer(shown[0])).status_code == 401
    assert client.get("/v1/jobs", headers={"Cookie": f"{COOKIE}={shown[1]}"}).status_code == 401
    assert client.post("/account", data={"key": shown[2]}).status_code == 401
    assert client.get("/account", headers=bearer(shown[3])).status_code == 200
    refused = [record for record in caplog.records if record.getMessage() == "a key was refused, from testclient"]
    assert len(refused) == len(shown)
    assert [secret for secret in (*shown, good) if secret in caplog.text] == []


def test_guessing_is_slowed_and_does_not_shut_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 729"""
    now, slept = [1000.0], list[float]()
    ahead = asyncio.Event()
    monkeypatch.setattr(guessing, "time", SimpleNamespace(monotonic=lambda: now[0]))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await ahead.wait()

    async def run() -> None:
        guesses = Guesses()
        for _ in range(FREE):
            assert await guesses.admitted("evil")
            guesses.refused("evil")
        assert slept == []
        assert await guesses.admitted("good")
        monkeypatch.setattr(guessing, "asyncio", SimpleNamespace(sleep=sleep))
        waiting = [asyncio.create_task(guesses.admitted("evil")) for _ in range(WAITING)]
        for _ in range(WAITING):
            await asyncio.wait(waiting, timeout=0.01)
        assert slept == [guessing.PAUSE] * WAITING
        assert not await guesses.admitted("evil")
        assert await guesses.admitted("good")
        ahead.set()
        assert await asyncio.gather(*waiting) == [True] * WAITING
        now[0] += 1.0  # one is forgiven
        slept.clear()
        assert await guesses.admitted("evil")
        assert slept == []
        guesses.refused("evil")
        guesses.refused("evil")
        assert await guesses.admitted("evil")
        assert slept == [guessing.PAUSE]

    asyncio.run(run())


def test_too_many_at_once_are_told_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "WAITING", 0)
    app: Any = client.app
    for _ in range(FREE):
        assert client.get("/v1/jobs", headers=bearer("no")).status_code == 401
    for _ in range(600):  # ten minutes' worth: however slow the machine is, that is not forgiven meanwhile
        app.state.service.guesses.refused("testclient")
    told = client.get("/v1/jobs", headers=bearer("no"))
    assert told.status_code == 429
    assert told.json()["type"].endswith(":too-many-refused")
    assert int(told.headers["retry-after"]) > 0
    assert client.post("/account", data={"key": "no"}).status_code == 429


def test_a_stream_ends_with_its_key(client: TestClient, store: Store) -> None:
    """CONVENTION 729: what goes on while the key is good ends within seconds of its end."""
    with store.writing() as connection:
        key = create_token(connection, "ann", Role.ANALYST)
    job = path_of(client.post("/v1/audits", json=EXAMPLE, headers=bearer(key)))

    def revoke() -> None:
        with store.writing() as connection:
            assert revoke_token(connection, key.split("_")[1]) is not None

    timer = threading.Timer(1.5, revoke)
    timer.start()
    text = client.get(f"{job}/events", headers=bearer(key)).text  # else it would never end: nobody works
    assert not timer.is_alive()
    assert '"queued"' in text
    assert client.get(f"{job}/events", headers=bearer(key)).status_code == 401


def test_metrics_live_without_the_database(client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 729"""
    assert "tableseal_database_up 1.0" in client.get("/metrics").text
    assert 'tableseal_jobs{state="queued"}' in client.get("/metrics").text

    def away(_: object) -> None:
        raise OperationalError("", {}, Exception("away"))

    monkeypatch.setattr(Store, "reading", away)
    found = client.get("/metrics")
    assert found.status_code == 200
    assert "tableseal_database_up 0.0" in found.text
    assert "tableseal_requests_total{" in found.text
    assert 'tableseal_jobs{state="queued"}' not in found.text
    assert "tableseal_workers NaN" in found.text
    monkeypatch.undo()
    assert "tableseal_database_up 1.0" in client.get("/metrics").text


def test_the_form_says_how_long_a_browser_stays_signed_in(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False, inline_workers=0, access="keys", session_hours=1.5) as client:
        for page in (
            client.get("/account"),
            client.get("/jobs", headers={"Accept": "text/html"}),
            client.post("/account", data={"key": "x"}),
        ):
            assert "signed in for 1.5 hours" in page.text
