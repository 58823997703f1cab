"""Jobs are erased; then the files of the database are searched for what they held, with the keys they had."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, get_args

from sqlalchemy import create_engine, make_url, select, text

from cases.service import orders
from cases.service.figures import Figure, SkippedError
from cases.service.postgres import cluster
from cases.service.running import address, ask, patiently, started
from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.keyring import Keyring, ServiceKey
from tableseal.api.store.rotation import rotate
from tableseal.api.store.schema import job_keys
from tableseal.api.store.sealing import DamagedError, Role, unwrapped


@dataclass(frozen=True)
class Plan:
    """trials: jobs of which each half ends with a result and with a problem, twice: some are erased, others kept."""

    trials: int


FULL = Plan(trials=6)
SHORT = Plan(trials=2)

_WORDS = 3000
"""Random words in a title: 100 kB that do not get smaller, so that they fill pages of their own."""


@dataclass(frozen=True)
class Database:
    """url: where it is. folder: with all of its files, write-ahead log included. settle: let it tidy up as it can."""

    name: str
    url: str
    folder: Path
    settle: Callable[[], None]


def run(plan: Plan, folder: Path) -> list[Figure]:
    """The trial with an SQLite file, and with PostgreSQL where it is installed."""
    figures = []
    for opened in (_sqlite, _postgresql):
        try:
            with opened(folder) as database:
                figures += _trial(plan, database, folder / database.name)
        except SkippedError as reason:
            figures.append(Figure("PostgreSQL left out", str(reason)))
    return figures


def _trial(plan: Plan, database: Database, data: Path) -> list[Figure]:
    marks = [token_hex(12) for _ in range(plan.trials)]
    kept = [token_hex(12) for _ in range(plan.trials)]
    key_file = data / "tableseal.key"
    log = data.with_suffix(".log")
    where = ("--database", database.url, "--data", str(data))
    with started("serve", "--port", "0", *where, log=log, inline_workers="0", **orders.QUICK) as server:
        at = address(server, log)
        jobs = [_asked(at, mark, number) for number, mark in enumerate([*marks, *kept])]
        for _ in patiently("the jobs are not finished", pause=0.5):
            if sum(orders.open_jobs(at)) == 0:
                break
        answers = [ask(f"{at}{job}/result")[1] for job in jobs]
        held = sum(mark.encode() in answer for mark, answer in zip([*marks, *kept], answers, strict=True))
        _tidied(Settings(data=data).working_folder)
        database.settle()
        while_kept = _found(database.folder, [mark.encode() for mark in [*marks, *kept]])
        gone = _sealed_keys(database.url, jobs[: plan.trials])
        statuses = {ask(at + job, method="DELETE")[0] for job in jobs[: plan.trials]}
        time.sleep(0.1)
        database.settle()
        after = _found(database.folder, [mark.encode() for mark in marks])
        keys_left = _found(database.folder, [sealed for sealed, _ in gone])
        before = key_file.read_bytes()
        with closing(Store(database.url, Keyring(None, key_file))) as store:
            rewrapped = rotate(store)
        same = [ask(f"{at}{job}/result")[1] for job in jobs[plan.trials :]] == answers[plan.trials :]
        new = _asked(at, token_hex(12), 0)  # the server finds the new key by itself
        for _ in patiently("the job after the rotation is not finished", pause=0.2):
            if sum(orders.open_jobs(at)) == 0:
                break
        later = ask(f"{at}{new}/result")[0]
    old_key = before.strip() in key_file.read_bytes()
    opened = sum(_opens(sealed, Keyring(None, key_file).first(), job) for sealed, job in gone)
    control = _control(database, marks)
    name, total, both = database.name, plan.trials, 2 * plan.trials
    figures = [
        Figure(f"{name}: answers and problems that hold the text", f"{held} of {both}", held == both),
        Figure(f"{name}: text in the files while jobs are kept", f"{while_kept} of {both}", while_kept == 0),
        Figure(f"{name}: jobs erased", str(sorted(statuses)), statuses == {204}),
        Figure(f"{name}: text in the files afterwards", f"{after} of {total}", after == 0),
        Figure(
            f"{name}: keys of these jobs still there, sealed", f"{keys_left} of {len(gone)}", _none(name, keys_left)
        ),
        Figure(f"{name}: keys sealed anew by a rotation while it serves", str(rewrapped), rewrapped >= total),
        Figure(f"{name}: keys of erased jobs that the new key opens", f"{opened} of {len(gone)}", opened == 0),
        Figure(f"{name}: the old key in its file afterwards", "yes" if old_key else "no", not old_key),
        Figure(
            f"{name}: results after it are the same, new jobs run", str((same, later)), (same, later) == (True, 200)
        ),
    ]
    if control is not None:
        figures.append(
            Figure(f"{name}: rows in plain that are found after `VACUUM`", f"{control} of {total}", control > 0)
        )
    return figures


def _tidied(working: Path) -> None:
    """Wait until the worker has erased what it laid out for its last job: it does so after the job is finished."""
    for _ in patiently(f"files of finished jobs are still in {working.name}"):
        if not any(working.iterdir()):
            break


def _none(name: str, found: int) -> bool | None:
    """SQLite overwrites what is erased; what PostgreSQL leaves is of no use after the next rotation."""
    return found == 0 if name == "SQLite" else None


def _asked(at: str, mark: str, number: int) -> str:
    """Queue a job whose answer holds the mark: a report with it in its title, or a problem with it in a code."""
    release: dict[str, Any] = orders.release(1)
    words = " ".join(token_hex(16) for _ in range(_WORDS))
    if number % 2 == 0:
        release |= {"title": f"{mark} {words} {mark}"}
    else:
        (table,) = release["tables"]
        cells = {name: list(column) for name, column in table["cells"].items()}
        first = next(name for name in cells if name != "value")
        cells[first][0] = mark
        release |= {"tables": [{**table, "cells": cells}]}
    status, body = ask(f"{at}/v1/audits", release)
    assert status == 202, body
    place: str = json.loads(body)["links"]["self"]
    return place


def _sealed_keys(url: str, jobs: Sequence[str]) -> list[tuple[bytes, str]]:
    """Keys of jobs as they stand in the database, each with its job."""
    wanted = [job.rpartition("/")[2] for job in jobs]
    engine = create_engine(make_url(url).set(drivername=_driver(url)))
    with engine.connect() as connection:
        chosen = select(job_keys.c.sealed, job_keys.c.job).where(job_keys.c.job.in_(wanted))
        found = [(bytes(sealed), job) for sealed, job in connection.execute(chosen)]
    engine.dispose()
    assert {job for _, job in found} == set(wanted)
    return found


def _opens(sealed: bytes, service: ServiceKey, job: str) -> bool:
    """Whether a key of the service opens the key of a job, of whatever role."""
    for role in get_args(Role):
        with suppress(DamagedError):
            unwrapped(job, role, sealed, service)
            return True
    return False


def _driver(url: str) -> str:
    return "sqlite" if url.startswith("sqlite") else "postgresql+psycopg"


def _found(folder: Path, wanted: Sequence[bytes]) -> int:
    """How many of these stand in any file below a folder."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return sum(any(word in content for content in files) for word in wanted)


def _control(database: Database, marks: Sequence[str]) -> int | None:
    """Whether the search sees what is not encrypted: rows in plain, erased, vacuumed and searched for."""
    if database.name == "SQLite":
        return None
    plain = [f"plain-{mark}" for mark in marks]
    engine = create_engine(make_url(database.url).set(drivername=_driver(database.url)))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE control (content bytea)"))
        for word in plain:
            content = f"{word} {' '.join(token_hex(16) for _ in range(_WORDS))}".encode()
            connection.execute(text("INSERT INTO control VALUES (:content)"), {"content": content})
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM control"))
    engine.dispose()
    database.settle()
    return _found(database.folder, [word.encode() for word in plain])


@contextmanager
def _sqlite(folder: Path) -> Iterator[Database]:
    data = folder / "SQLite"
    yield Database("SQLite", f"sqlite:///{data / 'tableseal.db'}", data, lambda: None)


@contextmanager
def _postgresql(folder: Path) -> Iterator[Database]:
    with cluster() as server:
        server.start()

        def settle() -> None:
            engine = create_engine(
                make_url(server.url).set(drivername=_driver(server.url)), isolation_level="AUTOCOMMIT"
            )
            with engine.connect() as connection:
                connection.execute(text("VACUUM"))
                connection.execute(text("CHECKPOINT"))
            engine.dispose()

        yield Database("PostgreSQL", server.url, server.folder, settle)
