"""What those who run the service see: figures, logs, health."""

import json
import logging
from pathlib import Path

import pytest
from asking import asked
from databases import BACKENDS, new_database
from sqlalchemy import text, update

from api.http.audits import EXAMPLE
from api.logs import JsonLines, fields
from api.store import queue
from api.store.engine import Store
from api.store.figures import queue_figures
from api.store.job import State
from api.store.jobs import submit
from api.store.migrate import migrate
from api.store.schema import jobs


@pytest.mark.parametrize("backend", BACKENDS)
def test_figures_of_the_queue(backend: str, tmp_path: Path) -> None:
    with new_database(backend, tmp_path) as url:
        store = Store(url)
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
        assert client.get("/readyz").json() == {"status": "ok", "database": "ok", "workers": "ok"}
        client.post("/v1/audits", json=EXAMPLE)
        store = Store(f"sqlite:///{tmp_path / 'tableseal.db'}")
        with store.writing() as connection:
            connection.execute(update(jobs).values(due=jobs.c.due - 100))
        assert client.get("/readyz").json()["workers"] == "silent"
        with store.writing() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
        store.close()
        refused = client.get("/readyz")
        assert (refused.status_code, client.get("/healthz").status_code) == (503, 200)
        assert refused.json()["type"].endswith("database-not-migrated")


def test_requests_have_an_id_in_answer_and_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "api")
    lines: list[dict[str, object]] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(JsonLines().format(record)))

    handler = Lines()
    logging.getLogger("api").addHandler(handler)
    try:
        with asked(tmp_path, worker=False) as client:
            mine = client.get("/v1/jobs/none", headers={"X-Request-ID": "order-7"})
            made = client.get("/v1/jobs?limit=1", headers={"X-Request-ID": 'bad id" \u00e9'.encode()})
            client.get("/healthz")
    finally:
        logging.getLogger("api").removeHandler(handler)
    assert mine.headers["x-request-id"] == "order-7"
    assert len(made.headers["x-request-id"]) == 16
    asked_for = [line for line in lines if line["logger"] == "api.http.request"]
    assert [(line["request"], line["route"], line["status"]) for line in asked_for] == [
        ("order-7", "/v1/jobs/{job}", 404),
        (made.headers["x-request-id"], "/v1/jobs", 200),
    ]


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
