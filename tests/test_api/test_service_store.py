"""The store: migrations, leases, keys, files; on SQLite and on PostgreSQL."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.command import upgrade
from alembic.config import Config
from alembic.migration import MigrationContext
from databases import BACKENDS, KEYS, new_database
from sqlalchemy import delete, insert, select, text, update
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.store import engine, jobs, migrations, queue, tokens
from tableseal.api.store.engine import Store
from tableseal.api.store.events import events_after
from tableseal.api.store.files import content_of, files_of
from tableseal.api.store.job import CHUNK, Document, Lease, State
from tableseal.api.store.migrate import migrate, opened
from tableseal.api.store.schema import answers, audiences, metadata
from tableseal.api.store.schema import jobs as job_table
from tableseal.audit.errors import InputError

POISON = {"title": "poison"}
REPORT = Document("report.json", "application/json", b"{}")


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with new_database(request.param, tmp_path) as url:
        opened = Store(url, KEYS)
        migrate(opened)
        yield opened
        opened.close()


def submit(store: Store, *files: Document, owner: str = "ann") -> str:
    with store.writing() as connection:
        return jobs.submit(connection, owner, "audit", "{}", files).id


def claim(store: Store, *, seconds: float = 60.0, attempts: int = 3) -> Lease | None:
    with store.writing() as connection:
        return queue.claim(connection, ["audit"], lease_seconds=seconds, attempts=attempts, poison=POISON)


def state(store: Store, job: str, owner: str = "ann") -> State:
    with store.reading() as connection:
        found = jobs.job_by_id(connection, owner, job)
    assert found is not None
    return found.state


def test_migrations_make_the_tables_that_the_program_knows(store: Store) -> None:
    with store.writing() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    migrate(store)


@pytest.mark.parametrize("backend", BACKENDS)
def test_answers_outlive_wider_names_of_audiences(backend: str, tmp_path: Path) -> None:
    with new_database(backend, tmp_path) as url:
        store, config = Store(url, KEYS), Config()
        config.set_main_option("script_location", str(migrations.__path__[0]))
        with store.writing() as connection:
            config.attributes.update(connection=connection, keys=store.keys)
            upgrade(config, "0007")
            connection.execute(text("INSERT INTO audiences VALUES ('a', 'cube', 'user ann', 1)"))
            connection.execute(insert(answers).values(audience="a", number=0, at=0.0, who="ann", content=b"x"))
        migrate(store)
        with store.reading() as connection:
            assert connection.execute(select(answers.c.audience, answers.c.content)).all() == [("a", b"x")]
        with store.writing() as connection:
            connection.execute(update(audiences).values(name="x" * 1000))
            connection.execute(delete(audiences))
            assert connection.execute(select(answers)).all() == []
        store.close()


def test_a_database_file_is_private(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'data' / 'x.db'}", KEYS)
    migrate(store)
    files = list((tmp_path / "data").iterdir())
    assert len(files) >= 1
    assert all(file.stat().st_mode & 0o077 == 0 for file in [*files, tmp_path / "data"])
    store.close()


@pytest.mark.parametrize("url", ["mysql://host/x", "nonsense", "sqlite://", "sqlite:///:memory:"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(InputError, match="database"):
        Store(url, KEYS)


def test_a_database_that_cannot_be_used_is_no_fault_of_ours(tmp_path: Path) -> None:
    """Every program that begins with a database says what is wrong with it, and no password."""
    garbage = tmp_path / "garbage"
    garbage.mkdir()
    (garbage / "tableseal.db").write_bytes(b"no database" * 100)
    with socket.socket() as taken:  # bound and not listened on
        taken.bind(("127.0.0.1", 0))
        nobody = f"postgresql://ann:pass-word@127.0.0.1:{taken.getsockname()[1]}/x"
        for verb in (["serve", "--port", "0"], ["worker"], ["token", "list"], ["publication", "show", "x"]):
            for where, said in ((["--data", str(garbage)], "not a database"), (["--database", nobody], "refused")):
                result = CliRunner().invoke(command, [*verb, "--data", str(tmp_path), *where])
                assert result.exit_code == 2, result.output
                assert "Error: database: cannot be used: " in result.output
                assert said in result.output
                assert "pass-word" not in result.output


def test_a_server_that_takes_calls_and_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the network swallows what is sent: threads must not wait for ever."""
    pytest.importorskip("psycopg", reason="PostgreSQL: psycopg is not installed")
    assert 0 < engine.PATIENCE["connect_timeout"] <= 10
    monkeypatch.setitem(engine.PATIENCE, "connect_timeout", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ann@127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(InputError, match="timeout"), opened(url, KEYS):
            pass


def test_a_database_of_a_later_version(store: Store) -> None:
    with store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match=r"database: is of a later version of tableseal \(9999\)"):
        migrate(store)


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(command, ["serve", "--port", str(port), "--data", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert f"Error: host 127.0.0.1, port {port}: cannot be listened on: Address already in use." in result.output
    assert not (tmp_path / "none").exists(), "nothing has begun"


def test_a_job_is_claimed_once_and_finished_by_its_holder(store: Store) -> None:
    job = submit(store, Document("release.json", "application/json", b"x"))
    lease = claim(store)
    assert lease is not None
    assert lease.job.id == job
    assert claim(store) is None
    with store.writing() as connection:
        assert queue.renew(connection, lease, lease_seconds=60, progress=("bounds", 1, 2)) is queue.Held.YES
        assert queue.succeed(connection, lease, [REPORT], "safe")
        assert not queue.succeed(connection, lease, [REPORT], "safe")
        assert queue.renew(connection, lease, lease_seconds=60) is queue.Held.LOST
        assert files_of(connection, job, "input") == ()
        assert [file.name for file in files_of(connection, job, "result")] == ["report.json"]
        assert [(e.name, e.data.get("state")) for e in events_after(connection, job, 0)] == [
            ("state", "queued"),
            ("state", "running"),
            ("progress", None),
            ("state", "succeeded"),
        ]


def test_a_silent_worker_loses_its_job_and_cannot_finish_it(store: Store) -> None:
    job = submit(store)
    first = claim(store, seconds=0.01)
    time.sleep(0.05)
    second = claim(store)
    assert first is not None
    assert second is not None
    assert second.job.attempts == 2
    with store.writing() as connection:
        assert not queue.succeed(connection, first, [REPORT], "safe")
        assert not queue.fail(connection, first, POISON)
        assert not queue.again(connection, first, pause=0)
        assert queue.succeed(connection, second, [REPORT], "unsafe")
    assert state(store, job) is State.SUCCEEDED


def test_a_job_that_takes_its_workers_down_is_given_up(store: Store) -> None:
    job = submit(store)
    for _ in range(3):
        assert claim(store, seconds=0.0) is not None
        time.sleep(0.01)
    assert claim(store) is None
    assert state(store, job) is State.FAILED


def test_a_retry_waits_and_a_release_is_no_attempt(store: Store) -> None:
    job = submit(store)
    lease = claim(store)
    assert lease is not None
    with store.writing() as connection:
        assert queue.release(connection, lease)
    lease = claim(store)
    assert lease is not None
    assert lease.job.attempts == 1
    with store.writing() as connection:
        assert queue.again(connection, lease, pause=3600)
    assert claim(store) is None
    with store.writing() as connection:
        connection.execute(update(job_table).values(due=0))
    lease = claim(store)
    assert lease is not None
    assert lease.job.attempts == 2
    with store.reading() as connection:
        told = [(e.data["state"], e.data.get("attempt")) for e in events_after(connection, job, 0)]
    queued, running = State.QUEUED.value, State.RUNNING.value
    assert told == [(queued, None), (running, 1), (queued, None), (running, 1), (queued, None), (running, 2)]


def test_cancel(store: Store) -> None:
    waiting = submit(store)
    with store.writing() as connection:
        assert jobs.request_cancel(connection, "eve", waiting) is None
        cancelled = jobs.request_cancel(connection, "ann", waiting)
    assert cancelled is not None
    assert cancelled.state is State.CANCELLED
    running = submit(store)
    lease = claim(store)
    assert lease is not None
    with store.writing() as connection:
        jobs.request_cancel(connection, "ann", running)
        assert queue.renew(connection, lease, lease_seconds=60) is queue.Held.CANCEL
        assert queue.cancelled(connection, lease)
    assert state(store, running) is State.CANCELLED


def test_a_cancelled_job_of_a_dead_worker_is_not_begun_again(store: Store) -> None:
    job = submit(store)
    assert claim(store, seconds=0.0) is not None
    with store.writing() as connection:
        jobs.request_cancel(connection, "ann", job)
    time.sleep(0.01)
    assert claim(store) is None
    assert state(store, job) is State.CANCELLED


def test_many_workers_share_the_work(store: Store) -> None:
    wanted = {submit(store) for _ in range(30)}
    got: list[str] = []

    def work() -> None:
        while (lease := claim(store)) is not None:
            with store.writing() as connection:
                assert queue.succeed(connection, lease, [], None)
            got.append(lease.job.id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(wanted)


def test_files_come_back_in_chunks(store: Store, tmp_path: Path) -> None:
    content = bytes(range(256)) * (CHUNK // 256) * 2 + b"end"
    path = tmp_path / "x"
    path.write_bytes(content)
    job = submit(store, Document("a", "text/csv", content), Document("b", "text/csv", path))
    with store.reading() as connection:
        files = files_of(connection, job, "input")
    assert [(file.name, file.size) for file in files] == [("a", len(content)), ("b", len(content))]
    for file in files:
        pieces = list(content_of(store, file))
        assert max(map(len, pieces)) == CHUNK
        assert b"".join(pieces) == content


def test_the_same_key_is_the_same_job(store: Store) -> None:
    once = jobs.Idempotency("k", "digest")
    with store.writing() as connection:
        first = jobs.submit(connection, "ann", "audit", "{}", once=once)
        assert jobs.submit(connection, "ann", "audit", "{}", once=once).id == first.id
        assert jobs.submit(connection, "eve", "audit", "{}", once=once).id != first.id
    with store.writing() as connection, pytest.raises(jobs.KeyReusedError):
        jobs.submit(connection, "ann", "audit", "{}", once=jobs.Idempotency("k", "other"))


def test_erasure_takes_everything_along(store: Store) -> None:
    """CONVENTION 363"""
    job = submit(store, Document("release.json", "application/json", b"x"))
    lease = claim(store)
    assert lease is not None
    with store.writing() as connection:
        queue.succeed(connection, lease, [REPORT], "safe")
    with store.writing() as connection:
        assert jobs.erase_finished(connection, 3600) == 0
        assert jobs.erase_finished(connection, -1) == 1
        for table in metadata.sorted_tables:
            if table.name == "service_key":
                continue
            assert connection.execute(select(table)).first() is None, table.name
        assert jobs.job_by_id(connection, "ann", job) is None


def test_keys_are_kept_as_digests(store: Store) -> None:
    with store.writing() as connection:
        key = tokens.create_token(connection, "ann", tokens.Role.ANALYST)
        expired = tokens.create_token(connection, "ann", tokens.Role.ANALYST, days=0)
        assert tokens.principal_of(connection, key) == tokens.Principal("ann", tokens.Role.ANALYST, key.split("_")[1])
        assert tokens.principal_of(connection, expired) is None
        assert tokens.principal_of(connection, key[:-1]) is None
        kept = connection.execute(select(metadata.tables["tokens"])).all()
    assert key not in str(kept)


def test_writers_of_one_program_take_turns_and_none_waits_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONVENTION 728: one waits in a queue, not in SQLite; where somebody writes on and on, the database is away."""
    store = Store(f"sqlite:///{tmp_path / 'x.db'}", KEYS)
    migrate(store)
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.05)
    found: list[type[Exception]] = []

    def write() -> None:
        try:
            with store.writing():
                pass
        except engine.Unreachable as error:
            found.append(type(error.orig))

    with store.writing():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    write()
    store.close()
    assert found == [TimeoutError]
