"""What is erased is gone from the files of the database too; uploads are private, and kept no longer than needed."""

import json
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import WAIT, asked, path_of
from sqlalchemy import select, update

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.jobs import worker
from tableseal.api.jobs.child import Child
from tableseal.api.jobs.folder import job_folder, lay_out
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.retention import DAY, tidy
from tableseal.api.store.schema import chunks, job_keys, jobs

MARK = "Zq7-only-in-this-release"


def marked(copies: int = 1) -> dict[str, Any]:
    """A release with a mark in its title, which is in input and results; many copies fill whole pages."""
    return {**EXAMPLE, "title": " ".join([MARK] * copies)}


def left_in(folder: Path, *wanted: bytes) -> set[str]:
    """Files below a folder in which the mark stands, or one of these."""
    words = (MARK.encode(), *wanted)
    contents = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name for name, content in contents.items() if any(word in content for word in words)}


def sealed(store: Store) -> list[bytes]:
    """How what jobs keep, and the keys that it is kept under, begin in the database."""
    with store.reading() as connection:
        found = [*connection.execute(select(chunks.c.content)), *connection.execute(select(job_keys.c.sealed))]
        titles = connection.execute(select(jobs.c.title).where(jobs.c.title != "")).scalars().all()
    assert found
    return [*(bytes(content)[:60] for (content,) in found), *(title.encode() for title in titles)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
    yield opened
    opened.close()


def test_delete_leaves_nothing_in_the_files(tmp_path: Path, store: Store) -> None:
    """CONVENTION 407 and 866: the title stands in small rows and in pages of their own; nor is anything left of what it
    was encrypted to."""
    with asked(tmp_path, worker=False) as client:
        made = [path_of(client.post("/v1/audits", json=marked(n), headers=WAIT)) for n in (1, 400)]
        assert left_in(tmp_path) == set(), "in plain it is nowhere"
        before = sealed(store)
        assert left_in(tmp_path, *before), "it would be found"
        for job in made:
            assert client.delete(job).status_code == 204
        assert left_in(tmp_path, *before) == set()


def test_what_is_old_is_erased_by_itself(tmp_path: Path, store: Store) -> None:
    """CONVENTION 407"""
    with asked(tmp_path, worker=False) as client:
        old, new = (path_of(client.post("/v1/audits", json=marked(400), headers=WAIT)) for _ in range(2))
        tidy(store, 30)
        assert client.get(old).status_code == 200
        with store.writing() as connection:
            aged = update(jobs).where(jobs.c.id == old.rpartition("/")[2])
            connection.execute(aged.values(finished=time.time() - 31 * DAY))
        settings = Settings(data=tmp_path, retention_days=None)
        worker.Worker(settings, store, threading.Event()).step()
        assert client.get(old).status_code == 200, "never, if that is what is set"
        worker.Worker(Settings(data=tmp_path), store, threading.Event()).step()
        assert client.get(old).status_code == 404
        assert client.get(new).status_code == 200
        before = sealed(store)
        assert client.delete(new).status_code == 204
        assert left_in(tmp_path, *before) == set()


def test_input_is_gone_when_the_job_has_ended(tmp_path: Path, store: Store) -> None:
    """CONVENTION 363 and 407: the release has a column that no answer repeats."""
    table = EXAMPLE["tables"][0]
    cells = {**table["cells"], "notes": [MARK * 50] * len(table["cells"]["value"])}
    release = json.dumps({**EXAMPLE, "tables": [{**table, "cells": cells, "reason": "notes"}]})
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        sent = {"content": release, "headers": {"Content-Type": "application/json"}}
        job = path_of(client.post("/v1/audits", **sent))
        cancelled = path_of(client.post("/v1/audits", **sent))
        before = sealed(store)
        assert left_in(tmp_path, *before)
        client.delete(cancelled)
        assert worker.Worker(Settings(data=tmp_path), store, threading.Event()).step()
        assert client.get(job).json()["state"] == "succeeded"
        assert store.scrub()
        assert left_in(tmp_path, *before) == set()


def test_scrubbing_waits_for_nobody_for_long(tmp_path: Path, store: Store) -> None:
    with asked(tmp_path, worker=False, inline_workers=0) as client, store.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM jobs").all()
        client.post("/v1/audits", json=marked())
        begun = time.monotonic()
        assert not store.scrub()
        assert time.monotonic() - begun < 20
        connection.exec_driver_sql("SELECT 1").all()
    assert store.scrub()


def test_uploads_are_private_while_they_are_worked_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []

    def look(folder: Path) -> None:
        for path in (folder, *folder.rglob("*")):
            mode = stat.S_IMODE(path.stat().st_mode)
            seen.append((path.name, mode))
            assert mode == (0o700 if path.is_dir() else 0o600), path

    class Looking(Child):
        def __init__(self, kind: str, request: str, folder: Path, limits: Any, lasting: Path | None = None) -> None:
            look(folder)
            super().__init__(kind, request, folder, limits, lasting)

    monkeypatch.setattr(worker, "Child", Looking)
    with asked(tmp_path, worker=False, inline_workers=0) as client:
        files = [("release", ("release.json", json.dumps(EXAMPLE))), ("file", ("more/table.csv", "x"))]
        job = path_of(client.post("/v1/audits", files=files))
        opened = Store(Settings(data=tmp_path).database_url, Settings(data=tmp_path).keys)
        assert worker.Worker(Settings(data=tmp_path), opened, threading.Event()).step()
        opened.close()
        assert client.get(job).json()["state"] == "succeeded"
    assert {"release.json", "more", "table.csv"} <= {name for name, _ in seen}
    assert [path for path in (tmp_path / "work").rglob("*") if path.is_file()] == []
    with job_folder(tmp_path / "work") as folder:
        lay_out(folder, "a/b.csv", [b"x"])
        look(folder)
