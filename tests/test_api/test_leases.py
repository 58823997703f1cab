"""Leases last as long as is said, and are renewed well before they end."""

import threading
from pathlib import Path
from typing import Any

import pytest
from databases import KEYS
from sqlalchemy import select

from tableseal.api.jobs import worker
from tableseal.api.problems import TIME_LIMIT, Problem
from tableseal.api.settings import Settings
from tableseal.api.store import jobs, queue
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Lease, State
from tableseal.api.store.migrate import migrate
from tableseal.api.store.schema import jobs as job_table


class Time:
    """A clock that only moves when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Silent:
    """A child that says nothing for so many seconds, and then that it failed."""

    def __init__(self, time: Time, seconds: float) -> None:
        self.time, self.end = time, time.now + seconds

    def poll(self, seconds: float) -> Problem | None:
        self.time.now += seconds
        return TIME_LIMIT if self.time.now >= self.end else None


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = Store(f"sqlite:///{tmp_path / 'x.db'}", KEYS)
    migrate(opened)
    yield opened
    opened.close()


def claimed(store: Store, seconds: float) -> Lease:
    with store.writing() as connection:
        jobs.submit(connection, "ann", "audit", "{}", ())
        lease = queue.claim(connection, ["audit"], lease_seconds=seconds, attempts=3, poison={})
    assert lease is not None
    return lease


def until(store: Store) -> float:
    with store.reading() as connection:
        return float(connection.execute(select(job_table.c.lease_until)).scalar_one())


@pytest.mark.parametrize("seconds", [0.5, 2.0, 60.0])
def test_a_lease_and_its_renewal_end_after_just_so_many_seconds(
    store: Store, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    # CONVENTION 645
    now = [5000.0]
    monkeypatch.setattr(queue, "clock", lambda _: now[0])
    monkeypatch.setattr(jobs, "clock", lambda _: now[0])
    lease = claimed(store, seconds)
    assert until(store) == 5000.0 + seconds
    now[0] += seconds / 4
    with store.writing() as connection:
        assert queue.renew(connection, lease, lease_seconds=seconds) is queue.Held.YES
    assert until(store) == 5000.0 + seconds / 4 + seconds
    with store.writing() as connection:  # nobody else before it ends, somebody else after
        now[0] = 5000.0 + seconds / 4 + seconds
        assert queue.claim(connection, ["audit"], lease_seconds=seconds, attempts=3, poison={}) is None
        now[0] += 0.001
        again = queue.claim(connection, ["audit"], lease_seconds=seconds, attempts=3, poison={})
        assert again is not None
        assert again.job.attempts == 2
        assert queue.renew(connection, lease, lease_seconds=seconds) is queue.Held.LOST


@pytest.mark.parametrize("seconds", [2.0, 3.0, 4.0, 60.0])
def test_a_worker_renews_its_lease_by_a_quarter(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """So that three renewals may fail; and whether the job was cancelled is asked each second at least."""
    # CONVENTION 645
    time = Time()
    monkeypatch.setattr(worker, "time", time)
    monkeypatch.setattr(worker, "TICK", 0.05)
    renewed: list[tuple[float, float]] = []

    def renew(*_: object, lease_seconds: float, **__: object) -> queue.Held:
        renewed.append((time.now, lease_seconds))
        return queue.Held.YES

    monkeypatch.setattr(queue, "renew", renew)
    settings = Settings(data=tmp_path, lease_seconds=seconds)
    own = worker.Worker(settings, store, threading.Event())
    lease = claimed(store, seconds)
    own._watch(lease, Silent(time, 3 * seconds))  # type: ignore[arg-type]
    assert {said for _, said in renewed} == {seconds}
    pauses = [b - a for (a, _), (b, _) in zip([(1000.0, 0.0), *renewed], renewed, strict=False)]
    wanted = min(1.0, seconds / 4)
    assert all(wanted - 1e-6 <= pause <= wanted + 0.1 for pause in pauses), pauses
    with store.reading() as connection:
        found = jobs.job_by_id(connection, "ann", lease.job.id)
    assert found is not None
    assert found.state is State.FAILED
