"""What jobs keep is encrypted under keys that go with them; the service's own key is rotated, lost, and given."""

import json
import stat
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from asking import WAIT, asked, path_of
from databases import BACKENDS, KEYS, new_database
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text, update
from typer.testing import CliRunner

from tableseal.api.cli.app import app as command
from tableseal.api.http.audits import EXAMPLE
from tableseal.api.store import migrate as migrating
from tableseal.api.store.engine import Store
from tableseal.api.store.files import content_of, files_of, part_of
from tableseal.api.store.job import CHUNK, Document
from tableseal.api.store.jobs import erase, erase_finished, job_by_id, record, request_cancel, submit
from tableseal.api.store.keyring import SIZE, Keyring, LostKeyError
from tableseal.api.store.listing import Wanted, listed
from tableseal.api.store.migrate import migrate, opened
from tableseal.api.store.queue import claim, fail, succeed
from tableseal.api.store.rotation import current, forget, rotate
from tableseal.api.store.schema import chunks, job_keys, jobs
from tableseal.api.store.sealing import DamagedError, JobKey
from tableseal.audit.errors import InputError

MARK = b"Zq7-only-in-this"
PLAIN = (MARK + b" ") * 80_000  # more than one piece
PROBLEM = {"title": MARK.decode()}


def text_key(letter: bytes) -> str:
    return b64encode(letter * SIZE).decode()


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as found:
        yield found


@contextmanager
def with_job(url: str, keys: Keyring) -> Iterator[tuple[Store, str]]:
    """A job with two files, and one that failed."""
    with opened(url, keys) as store:
        with store.writing() as connection:
            failed = submit(connection, "ann", "audit", "{}").id
            lease = claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={})
            assert lease is not None
            assert fail(connection, lease, PROBLEM)
            files = [Document(name, "text/csv", PLAIN) for name in ("a", "b")]
            job = submit(connection, "ann", "audit", "{}", files).id
        yield store, job
        with store.reading() as connection:
            told = job_by_id(connection, "ann", failed)
        assert told is not None
        assert told.problem == PROBLEM


def contents(store: Store, job: str) -> list[bytes]:
    with store.reading() as connection:
        found = files_of(connection, job, "input")
    return [b"".join(content_of(store, file)) for file in found]


def test_nothing_is_kept_in_plain_and_all_comes_back(url: str) -> None:
    """CONVENTION 866"""
    with with_job(url, KEYS) as (store, job):
        with store.reading() as connection:
            kept = [bytes(content) for content in connection.execute(select(chunks.c.content)).scalars()]
            problems = connection.execute(select(jobs.c.problem).where(jobs.c.problem.is_not(None))).scalars().all()
        assert len(kept) == 4
        assert len(set(kept)) == 4, "the same content, and nothing alike"
        assert all(MARK not in content for content in kept)
        assert [MARK in bytes.fromhex(problem) for problem in problems if problem] == [False]
        assert contents(store, job) == [PLAIN, PLAIN]
        with store.reading() as connection:
            (file, _) = files_of(connection, job, "input")
        assert part_of(store, file)(CHUNK - 5, CHUNK + 5) == PLAIN[CHUNK - 5 : CHUNK + 5]
        assert "Zq7" not in repr(file)
        assert file.key.secret.hex() not in repr(file)


def test_keys_go_with_what_they_sealed(url: str) -> None:
    """CONVENTION 866"""
    with opened(url, KEYS) as store, store.writing() as connection:
        job = submit(connection, "ann", "audit", "{}", [Document("a", "text/csv", b"x")]).id
        assert len(connection.execute(select(job_keys)).all()) == 1
        request_cancel(connection, "ann", job)
        assert connection.execute(select(job_keys)).all() == []
        other = submit(connection, "ann", "audit", "{}", [Document("a", "text/csv", b"x")]).id
        connection.execute(update(jobs).where(jobs.c.id == other).values(finished=1.0))
        erase_finished(connection, 60)
        assert connection.execute(select(job_keys)).all() == []


@pytest.mark.parametrize("end", ["result", "other title", "problem", "cancelled", "at once"])
def test_titles_are_sealed_and_stay_as_long_as_their_job(url: str, end: str) -> None:
    """CONVENTION 866: also where the input, with its key, is gone; another title has another key."""
    with opened(url, KEYS) as store, store.writing() as connection:
        document = Document("a", "text/csv", b"x")
        title, later = f"{MARK.decode()} 2026", "Later" if end == "other title" else ""

        def read(job: str) -> tuple[str, str, bytes | None]:
            """The title, how it stands in the table, and its key."""
            found = job_by_id(connection, "ann", job)
            assert found is not None
            stands = connection.execute(select(jobs.c.title).where(jobs.c.id == job)).scalar_one()
            of_title = (job_keys.c.job == job) & (job_keys.c.role == "title")
            return found.title, stands, connection.execute(select(job_keys.c.sealed).where(of_title)).scalar_one()

        if end == "at once":
            job = record(connection, "ann", "audit", "{}", [document], outcome=None, seconds=1, title=title).id
        else:
            job = submit(connection, "ann", "audit", "{}", [document], title=title).id
        before = read(job)
        if end == "cancelled":
            request_cancel(connection, "ann", job)
        elif end != "at once":
            lease = claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={})
            assert lease is not None
            done = fail(connection, lease, PROBLEM) if end == "problem" else succeed(connection, lease, [], None, later)
            assert done
            assert not succeed(connection, lease, [], None, "of a lease that is lost")
        after = read(job)
        assert (before[0], after[0]) == (title, later or title)
        assert MARK not in bytes.fromhex(before[1])
        assert (before[2] == after[2]) == (not later)
        for kept in (before, after):
            assert kept[1] not in ("", title)
        assert erase(connection, "ann", job)
        assert connection.execute(select(job_keys)).all() == []


def test_a_title_of_another_job_is_not_given_out(url: str) -> None:
    """CONVENTION 867"""
    with opened(url, KEYS) as store, store.writing() as connection:
        one, two = (submit(connection, "ann", "audit", "{}", title=title).id for title in ("One", "Two"))
        moved = select(jobs.c.title).where(jobs.c.id == one).scalar_subquery()
        connection.execute(update(jobs).where(jobs.c.id == two).values(title=moved))
        for look in (lambda: job_by_id(connection, "ann", two), lambda: listed(connection, "ann", Wanted(words="o"))):
            with pytest.raises(DamagedError):
                look()


def test_jobs_are_listed_without_titles_where_the_key_is_lost(url: str) -> None:
    """CONVENTION 869"""
    with opened(url, KEYS) as store, store.writing() as connection:
        job = submit(connection, "ann", "audit", "{}", title="Lost").id
    with closing(Store(url, Keyring(text_key(b"o"), Path()))) as other, other.reading() as connection:
        assert [(one.id, one.title) for one in listed(connection, "ann", Wanted()).jobs] == [(job, "")]
        assert listed(connection, "ann", Wanted(words="Lost")).found == 0


def test_what_was_changed_is_not_given_out(url: str) -> None:
    """CONVENTION 867: pieces that are changed, moved to another place or given another job's key."""
    with with_job(url, KEYS) as (store, job), store.writing() as connection:
        first, second = files_of(connection, job, "input")
        (a,), (b,) = (
            connection.execute(select(chunks.c.content).where(chunks.c.file == f.id, chunks.c.position == 0)).one()
            for f in (first, second)
        )
        for wrong in (b, bytes([a[0] ^ 1]) + bytes(a)[1:], bytes(a)[:-1], b""):
            with pytest.raises(DamagedError):
                first.key.open(bytes(wrong))
        assert first.key.open(bytes(a)) == PLAIN[:CHUNK]
        connection.execute(update(job_keys).where(job_keys.c.job == job).values(sealed=b"\0" * 60))
        with pytest.raises(DamagedError):
            files_of(connection, job, "input")
        connection.rollback()


@given(st.binary(max_size=99), st.integers(0, 2**32 - 1), st.integers(0, 2**63), st.integers(0, 2**32 - 1))
def test_a_piece_is_opened_at_its_own_place_only(content: bytes, file: int, piece: int, other: int) -> None:
    """CONVENTION 867"""
    key = JobKey("a" * 32, "input", b"k" * SIZE)
    sealed = key.seal(content, file, piece)
    assert key.open(sealed, file, piece) == content
    places = [(other, piece), (file, other)]
    holders = [JobKey("b" * 32, "input", key.secret), JobKey(key.job, "result", key.secret)]
    tried = [(key, place) for place in places if place != (file, piece)] + [(one, (file, piece)) for one in holders]
    for holder, (at_file, at_piece) in tried:
        with pytest.raises(DamagedError):
            holder.open(sealed, at_file, at_piece)


def test_rotation_while_others_work(url: str, tmp_path: Path) -> None:
    """CONVENTION 868: files stay as they are; programs that run find the new key; the old one is gone."""
    file = tmp_path / "keys" / "service"
    with with_job(url, Keyring(None, file)) as (store, job), opened(url, Keyring(None, file)) as other:
        before = file.read_text()
        with store.reading() as connection:
            kept = connection.execute(select(chunks.c.content).order_by(chunks.c.file, chunks.c.position)).all()
        assert contents(store, job) == [PLAIN, PLAIN]
        assert rotate(other) == 2
        assert before not in file.read_text()
        assert len(file.read_text().split()) == 1
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert list(file.parent.iterdir()) == [file]
        with store.reading() as connection:
            order = select(chunks.c.content).order_by(chunks.c.file, chunks.c.position)
            assert connection.execute(order).all() == kept
            assert {row.service_key for row in connection.execute(select(job_keys))} == {current(connection)}
        assert contents(store, job) == [PLAIN, PLAIN]
        with store.writing() as connection:
            new = submit(connection, "ann", "audit", "{}", [Document("a", "text/csv", b"new")]).id
        assert contents(other, new) == [b"new"]
        with store.reading() as connection, pytest.raises(LostKeyError, match="is sealed under key"):
            Keyring(before, file).find(current(connection) or "")


def test_jobs_that_come_during_a_rotation_are_not_lost(url: str, tmp_path: Path) -> None:
    """CONVENTION 868"""
    file = tmp_path / "service.key"
    made: list[str] = []
    with opened(url, Keyring(None, file)) as store, opened(url, Keyring(None, file)) as other:
        stop = threading.Event()

        def ask() -> None:
            while not stop.is_set():
                with store.writing() as connection:
                    content = [Document("a", "text/csv", b"x" * 1000)]
                    made.append(submit(connection, "ann", "audit", "{}", content).id)

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            for _ in range(5):
                rotate(other)
        finally:
            stop.set()
            thread.join()
        assert made
        assert all(contents(other, job) == [b"x" * 1000] for job in made)


def test_an_interrupted_rotation_is_ended_by_the_next(tmp_path: Path) -> None:
    """CONVENTION 868"""
    file = tmp_path / "service.key"
    with with_job(f"sqlite:///{tmp_path / 'x.db'}", Keyring(None, file)) as (store, job):
        newer = Keyring(None, file).add()  # and there it ended
        assert contents(store, job) == [PLAIN, PLAIN]
        assert rotate(store) == 2
        with store.reading() as connection:
            assert current(connection) == newer.name
        assert Keyring(None, file).names() == (newer.name,)
        assert contents(store, job) == [PLAIN, PLAIN]


def test_a_key_that_is_given_is_rotated_by_giving_two(tmp_path: Path) -> None:
    """CONVENTION 868"""
    url, none = f"sqlite:///{tmp_path / 'x.db'}", tmp_path / "none"
    old, new = text_key(b"o"), text_key(b"n")
    with with_job(url, Keyring(old, none)) as (store, job):
        with pytest.raises(InputError, match="before the old one"):
            rotate(store)
        with opened(url, Keyring(f"{new} {old}", none)) as both:
            assert rotate(both) == 2
            assert contents(both, job) == [PLAIN, PLAIN]
        with opened(url, Keyring(new, none)) as later:
            assert contents(later, job) == [PLAIN, PLAIN]
        with pytest.raises(LostKeyError, match="setting `encryption_key` holds"), opened(url, Keyring(old, none)):
            pass
        store.keys = Keyring(new, none)
        rotated = Store(url, Keyring(f"{old} {new}", none))
        assert rotate(rotated) == 2, "so that the job's problem can be read again"
        rotated.close()
    assert not none.exists()


def test_a_lost_key_is_told_and_a_new_beginning_is_possible(tmp_path: Path) -> None:
    """CONVENTION 869"""
    with asked(tmp_path, worker=False) as client:
        job = path_of(client.post("/v1/audits", json=EXAMPLE, headers=WAIT))
        (tmp_path / "tableseal.key").rename(tmp_path / "away")
        assert client.get(f"{job}/result").status_code == 200, "it is in memory"
    data = ["--data", str(tmp_path)]
    for verb in (["serve", "--port", "0"], ["token", "list"], ["key", "show"], ["key", "rotate"]):
        result = CliRunner().invoke(command, [*verb, *data])
        assert result.exit_code == 2
        said = " ".join(result.output.split())
        assert f"there is no file {tmp_path / 'tableseal.key'}" in said
        assert "`tableseal key forget`" in said
    assert not (tmp_path / "tableseal.key").exists(), "no other key takes its place by itself"
    (tmp_path / "away").rename(tmp_path / "tableseal.key")
    assert CliRunner().invoke(command, ["key", "show", *data]).exit_code == 0
    (tmp_path / "tableseal.key").unlink()
    assert CliRunner().invoke(command, ["key", "forget", *data]).exit_code == 2
    result = CliRunner().invoke(command, ["key", "forget", "--erase-all-jobs", *data])
    assert (result.exit_code, result.output) == (0, "Jobs erased: 1.\n")
    with asked(tmp_path, worker=False) as client:
        assert client.get(job).status_code == 404
        assert client.post("/v1/audits", json=EXAMPLE, headers=WAIT).status_code == 200


def test_a_key_that_is_lost_while_the_service_runs_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    """CONVENTION 869"""
    store_url = f"sqlite:///{tmp_path / 'tableseal.db'}"
    with asked(tmp_path, worker=False) as client:
        job = path_of(client.post("/v1/audits", json=EXAMPLE, headers=WAIT))
        with opened(store_url, Keyring(None, tmp_path / "tableseal.key")) as store:
            rotate(store)
            (tmp_path / "tableseal.key").unlink()
            answer = client.get(f"{job}/result")
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:tableseal:problem:encryption-key-missing")
            assert client.post("/v1/audits", json=EXAMPLE, headers=WAIT).status_code == 503
            assert client.get("/healthz").status_code == 200
            forget(store)
        made = path_of(client.post("/v1/audits", json=EXAMPLE, headers=WAIT))
        with opened(store_url, Keyring(None, tmp_path / "tableseal.key")) as store, store.writing() as connection:
            connection.execute(update(job_keys).values(sealed=b"x" * 60))
        answer = client.get(f"{made}/result")
        assert (answer.status_code, answer.json()["type"]) == (500, "urn:tableseal:problem:damaged")


@pytest.mark.parametrize("given", ["x", "", text_key(b"k")[:-4], f"{text_key(b'k')} x", "é"])
def test_what_is_no_key_is_refused_and_not_shown(given: str, tmp_path: Path) -> None:
    """CONVENTION 869"""
    with pytest.raises(InputError, match="encryption_key: ") as error:
        Keyring(given, tmp_path)
    assert not given or given not in str(error.value).split()
    (tmp_path / "service.key").write_text(given, "utf-8")
    with pytest.raises(InputError, match=r"service\.key"):
        Keyring(None, tmp_path / "service.key").names()


def test_what_older_versions_kept_is_sealed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONVENTION 870: a database as version 0004 left it, with files and problems in plain."""
    store = Store(url, KEYS)
    with monkeypatch.context() as patched:
        patched.setattr(migrating, "_newest", lambda: "0004")
        patched.setattr("alembic.command.upgrade", _only_to("0004"))
        migrate(store, unread=True)
    row = (
        "INSERT INTO jobs (id, owner, kind, request, state, created, due, attempts, cancel, problem) VALUES "
        "(:id, 'ann', 'audit', '{}', 'failed', 1, 1, 1, false, :problem)"
    )
    with store.writing() as connection:
        for job in ("one", "two"):
            connection.execute(text(row), {"id": job, "problem": json.dumps(PROBLEM)})
            for role in ("input", "result"):
                for number in range(2):
                    file = f"{job}-{role}-{number}"
                    connection.execute(
                        text("INSERT INTO files VALUES (:file, :job, 'ann', :role, :number, :file, 'text/csv', 9)"),
                        {"file": file, "job": job, "role": role, "number": number},
                    )
                    for piece in range(2):
                        content = f"{MARK.decode()} {file} {piece}".encode()
                        connection.execute(
                            text("INSERT INTO chunks VALUES (:file, :piece, :content)"),
                            {"file": file, "piece": piece, "content": content},
                        )
    migrate(store)
    with store.reading() as connection:
        kept = [bytes(content) for content in connection.execute(select(chunks.c.content)).scalars()]
        assert len(kept) == 16
        assert not any(MARK in content for content in kept)
        for job in ("one", "two"):
            told = job_by_id(connection, "ann", job)
            assert told is not None
            assert told.problem == PROBLEM
            for role in ("input", "result"):
                for file in files_of(connection, job, role):  # type: ignore[arg-type]
                    found = b"".join(content_of(store, file))
                    assert found == b"".join(f"{MARK.decode()} {file.id} {piece}".encode() for piece in range(2))
    store.close()
    if url.startswith("sqlite"):
        folder = Path(url.removeprefix("sqlite:///")).parent
        assert not any(MARK in path.read_bytes() for path in folder.iterdir())


def _only_to(revision: str) -> object:
    from alembic import command as alembic

    real = alembic.upgrade
    return lambda config, _: real(config, revision)
