"""What those who run the service see: figures, logs, health."""

import json
import logging
import socket
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from inspect import iscoroutinefunction
from multiprocessing import get_context
from pathlib import Path

import pytest
from asking import asked
from databases import BACKENDS, KEYS, new_database
from fastapi.routing import iter_route_contexts
from serving import address, patiently, started
from sqlalchemy import select, text, update

from tableseal.api.http.app import create_app
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.jobs.worker import Worker
from tableseal.api.logs import JsonLines, TextLines, fields
from tableseal.api.settings import Settings
from tableseal.api.store import queue, schema, workers
from tableseal.api.store.engine import Store
from tableseal.api.store.figures import queue_figures
from tableseal.api.store.job import State
from tableseal.api.store.jobs import submit
from tableseal.api.store.migrate import migrate
from tableseal.api.store.schema import jobs


@pytest.mark.parametrize("backend", BACKENDS)
def test_figures_of_the_queue(backend: str, tmp_path: Path) -> None:
    with new_database(backend, tmp_path) as url:
        store = Store(url, KEYS)
        migrate(store)
        with store.writing() as connection:
            ids = [submit(connection, "ann", "audit", "{}").id for _ in range(4)]
            connection.execute(update(jobs).where(jobs.c.id == ids[0]).values(due=jobs.c.due - 100))
            figures = queue_figures(connection)
        assert 100 <= figures.oldest < 130
        assert figures.neglected
        with store.writing() as connection:
            lease = queue.claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={})
            other = queue.claim(connection, ["audit"], lease_seconds=-1, attempts=3, poison={})
            assert lease is not None
            assert other is not None
            figures = queue_figures(connection)
            assert (figures.silent, figures.held, figures.neglected) == (1, 1, False)
            assert queue.succeed(connection, lease, (), "unsafe")
            assert queue.fail(connection, other, {})
            figures = queue_figures(connection)
        assert figures.states[State.QUEUED] == 2
        assert [(e.kind, e.outcome, e.number) for e in figures.ended] == [
            ("audit", "failed", 1),
            ("audit", "unsafe", 1),
        ]
        assert all(0 <= e.running[0] <= e.running[1] < 30 for e in figures.ended)
        assert figures.ended[1].queued[1] >= 0
        store.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_workers_are_there_until_they_leave_or_fall_silent(backend: str, tmp_path: Path) -> None:
    with new_database(backend, tmp_path) as url:
        store = Store(url, KEYS)
        migrate(store)
        with store.writing() as connection:
            for name in ("one", "two", "two", "killed"):
                workers.beat(connection, name)
            assert queue_figures(connection).workers == 3
            old = update(schema.workers).where(schema.workers.c.id == "killed")
            connection.execute(old.values(seen=schema.workers.c.seen - workers.LIVE - 1))
            workers.leave(connection, "two")
            assert queue_figures(connection).workers == 1
            connection.execute(old.values(seen=0.0))
            workers.beat(connection, "three")
            assert sorted(connection.execute(select(schema.workers.c.id)).scalars()) == ["one", "three"]
        store.close()


def test_an_idle_worker_is_counted_while_it_is_there(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, poll_seconds=0.01)
    stop = threading.Event()
    with asked(tmp_path, worker=False) as client:
        store = Store(settings.database_url, settings.keys)
        thread = threading.Thread(target=Worker(settings, store, stop).run)
        thread.start()
        for _ in patiently("the worker is not there"):
            if client.get("/readyz").json()["live_workers"] == 1:
                break
        assert "tableseal_workers 1.0" in client.get("/metrics").text
        stop.set()
        thread.join()
        assert client.get("/readyz").json()["workers"] == "none"
        store.close()


def test_headers_that_do_not_come_end_the_connection(tmp_path: Path) -> None:
    """Whole requests are answered, one after another on one connection, and slow bodies are let be."""
    log, head = tmp_path / "log", b"Host: localhost\r\nContent-Type: application/json\r\n"
    options = {"data": str(tmp_path / "data"), "workers": "0", "inline_workers": "0", "header_seconds": "0.5"}
    with started("serve", "--port", "0", log=log, **options) as process:
        port = int(address(process, log).rpartition(":")[2])
        for sent in (b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-", b"GET /healthz HTTP/1.1\r\n" + head * 3):
            with socket.create_connection(("127.0.0.1", port), 60) as slow:
                slow.sendall(sent)
                assert slow.recv(1000) == b""
        with socket.create_connection(("127.0.0.1", port), 60) as good:
            for _ in range(2):
                good.sendall(b"GET /healthz HTTP/1.1\r\n" + head + b"\r\n")
                answer = b""
                while not answer.endswith(b'{"status":"ok"}'):
                    piece = good.recv(10_000)
                    assert piece
                    answer += piece
            good.sendall(b"GET /healthz HT")
            assert good.recv(1000) == b"", "the second request began and did not go on"
        with socket.create_connection(("127.0.0.1", port), 60) as body:
            body.sendall(b"POST /v1/audits HTTP/1.1\r\n" + head + b"Content-Length: 2\r\n\r\n")
            time.sleep(1.0)
            body.sendall(b"{}")
            assert body.recv(10_000).startswith(b"HTTP/1.1 422 ")  # it was read: no release is so short


def test_metrics_name_nobody(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False) as client:
        job = client.post("/v1/audits", json=EXAMPLE, headers={"Prefer": "wait=60"})
        assert job.status_code == 200
        client.post("/v1/audits", json=EXAMPLE)
        said = client.get("/metrics").text
    assert 'tableseal_jobs{state="queued"} 1.0' in said
    assert 'tableseal_hour_jobs{kind="audit",outcome="safe"} 1.0' in said
    assert 'tableseal_hour_seconds{kind="audit",outcome="safe",phase="running",which="longest"}' in said
    assert "tableseal_queue_seconds" in said
    assert "local" not in said  # the owner
    assert 'route="/v1/audits"' in said


def test_ready_means_tables_of_this_version(tmp_path: Path) -> None:
    with asked(tmp_path, worker=False) as client:
        none = {"status": "ok", "database": "ok", "workers": "none", "live_workers": 0}
        assert client.get("/readyz").json() == none
        client.post("/v1/audits", json=EXAMPLE)
        store = Store(f"sqlite:///{tmp_path / 'tableseal.db'}", KEYS)
        with store.writing() as connection:
            connection.execute(update(jobs).values(due=jobs.c.due - 100))
        assert client.get("/readyz").json()["workers"] == "silent"
        with store.writing() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
        store.close()
        refused = client.get("/readyz")
        assert (refused.status_code, client.get("/healthz").status_code) == (503, 200)
        assert (client.head("/readyz").status_code, client.head("/healthz").status_code) == (503, 200)
        assert refused.json()["type"].endswith("database-not-migrated")


def test_health_and_files_of_pages_wait_for_no_thread(tmp_path: Path) -> None:
    """Threads may all be waiting for the database."""
    app = create_app(Settings(data=tmp_path))
    wanted = {"/healthz", "/static/{name}"}
    found = [(r.path, r.endpoint) for r in iter_route_contexts(app.routes) if r.path in wanted]
    assert {path for path, _ in found} == wanted
    assert all(iscoroutinefunction(endpoint) for _, endpoint in found)


def test_requests_have_an_id_in_answer_and_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tableseal")
    lines: list[dict[str, object]] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(JsonLines().format(record)))

    handler = Lines()
    logging.getLogger("tableseal").addHandler(handler)
    try:
        with asked(tmp_path, worker=False) as client:
            mine = client.get("/v1/jobs/none", headers={"X-Request-ID": "order-7"})
            made = client.get("/v1/jobs?limit=1", headers={"X-Request-ID": 'bad id" \u00e9'.encode()})
            client.get("/healthz")
    finally:
        logging.getLogger("tableseal").removeHandler(handler)
    assert mine.headers["x-request-id"] == "order-7"
    assert len(made.headers["x-request-id"]) == 16
    asked_for = [line for line in lines if line["logger"] == "tableseal.api.http.request"]
    assert [(line["request"], line["route"], line["status"]) for line in asked_for] == [
        ("order-7", "/v1/jobs/{job}", 404),
        (made.headers["x-request-id"], "/v1/jobs", 200),
    ]


def _elsewhere(secret: str) -> None:
    raise ValueError(f"found {secret}\n  and {secret}")


@pytest.mark.parametrize("style", ["text", "json"])
def test_the_log_says_where_errors_are_and_not_what_they_say(style: str) -> None:
    """Messages of errors that nobody foresaw may hold values, those of other processes too."""
    secret = "8675309"
    formatter = JsonLines() if style == "json" else TextLines("%(message)s")
    lines = []
    for chained in (True, False):
        try:
            try:
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                    pool.submit(_elsewhere, secret).result()
            except ValueError as error:
                if chained:
                    raise KeyError(secret) from error
                raise LookupError(secret) from None
        except LookupError:
            record = logging.LogRecord("uvicorn.error", logging.ERROR, "f", 1, "fault", (), sys.exc_info())
            lines.append(formatter.format(record))
    assert secret not in "".join(lines)
    assert all(word in lines[0] for word in ("KeyError", "ValueError", "in _elsewhere", "test_service_operations.py"))
    assert "LookupError" in lines[1]
    assert "ValueError" not in lines[1]


def test_lines_of_the_log_are_json() -> None:
    try:
        raise ValueError("no")
    except ValueError as error:
        record = logging.LogRecord("api", logging.ERROR, "f", 1, "a %s", ("b\nc",), (ValueError, error, None))
    record.__dict__.update(fields(job="x"))
    line = JsonLines().format(record)
    assert "\n" not in line
    found = json.loads(line)
    assert (found["message"], found["level"], found["job"]) == ("a b\nc", "error", "x")
    assert "ValueError" in found["trace"]
