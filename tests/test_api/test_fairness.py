"""Owners take turns, small jobs have a lane, and nobody fills the queue: the order of the queue, not its speed."""

import json
import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from databases import BACKENDS, KEYS, new_database
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from cases.service.crowd import large
from cases.service.running import descendants, patiently
from tableseal.api.jobs.attempt import Limits
from tableseal.api.jobs.audit_kind import AuditRequest
from tableseal.api.jobs.child import STAND_BACK, Child
from tableseal.api.jobs.worker import Worker
from tableseal.api.problems import TIME_LIMIT, Problem
from tableseal.api.settings import Settings
from tableseal.api.store import jobs, queue
from tableseal.api.store.engine import Store
from tableseal.api.store.job import Job, Lease, State
from tableseal.api.store.migrate import migrate
from tableseal.api.store.schema import jobs as job_table
from tableseal.api.store.schema import turns
from tableseal.api.store.turns import places

OWNERS = ("ann", "bob", "eve")


@contextmanager
def opened(url: str) -> Iterator[Store]:
    store = Store(url, KEYS)
    try:
        migrate(store)
        yield store
    finally:
        store.close()


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with new_database(request.param, tmp_path) as url, opened(url) as found:
        yield found


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that many examples use one after another."""
    with opened(f"sqlite:///{tmp_path_factory.mktemp('store') / 'x.db'}") as found:
        yield found


def submit(store: Store, owner: str, *, small: bool = False) -> str:
    with store.writing() as connection:
        return jobs.submit(connection, owner, "audit", "{}", small=small).id


def claim(store: Store, *, small: bool = False, most: int | None = None) -> Lease | None:
    with store.writing() as connection:
        return queue.claim(connection, ["audit"], lease_seconds=60, attempts=3, poison={}, small=small, most=most)


def begun(store: Store, *, most: int | None = None) -> Lease:
    lease = claim(store, most=most)
    assert lease is not None
    return lease


def finish(store: Store, lease: Lease) -> None:
    with store.writing() as connection:
        assert queue.succeed(connection, lease, (), None)


def drained(store: Store) -> list[Job]:
    """All that wait, one after another, each finished before the next begins."""
    found = []
    while (lease := claim(store)) is not None:
        finish(store, lease)
        found.append(lease.job)
    return found


STEPS = st.lists(
    st.tuples(st.sampled_from(["submit", "submit", "claim", "finish"]), st.sampled_from(OWNERS)), max_size=40
)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_nobody_waits_behind_more_than_one_job_of_another(one: Store, steps: Sequence[tuple[str, str]]) -> None:
    """CONVENTION 725: an owner with nothing under way begins before any other has begun two jobs."""
    with one.writing() as connection:
        connection.execute(delete(job_table))
        connection.execute(delete(turns))
    under_way: list[Lease] = []
    queued: Counter[str] = Counter()
    passed: dict[str, Counter[str]] = {owner: Counter() for owner in OWNERS}
    for step, owner in steps:
        if step == "submit":
            submit(one, owner)
            queued[owner] += 1
        elif step == "finish" and under_way:
            finish(one, under_way.pop(0))
        elif step == "claim":
            lease = claim(one)
            assert (lease is None) == (queued.total() == 0)
            if lease is not None:
                under_way.append(lease)
                queued[lease.job.owner] -= 1
                passed[lease.job.owner].clear()
                for other in OWNERS:
                    passed[other][lease.job.owner] += other != lease.job.owner
        for waits in OWNERS:
            if queued[waits] == 0 or any(lease.job.owner == waits for lease in under_way):
                passed[waits].clear()  # nothing waits that has a right to be next
            assert max(passed[waits].values(), default=0) <= 1, (waits, passed[waits])
    held = {owner: places_of(one, owner) for owner in OWNERS}
    for lease in under_way:
        finish(one, lease)
    order = [job.id for job in drained(one)]
    assert {job: place for found in held.values() for job, place in found.items()} == {
        job: 1 + rank for rank, job in enumerate(order)
    }


def places_of(store: Store, owner: str) -> dict[str, int]:
    with store.reading() as connection:
        return dict(places(connection, owner))


def test_one_job_behind_many_of_another(store: Store) -> None:
    """CONVENTION 725, on both databases; whose turn it was is known after a restart."""
    for _ in range(5):
        submit(store, "ann")
    finish(store, begun(store))
    late = submit(store, "bob")
    assert places_of(store, "bob") == {late: 1}
    assert sorted(places_of(store, "ann").values()) == [2, 3, 4, 5]
    assert [job.owner for job in drained(store)] == ["bob", *["ann"] * 4]


def test_whose_turn_it_is_survives_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}"
    with opened(url) as store:
        for owner in ("ann", "ann", "bob"):
            submit(store, owner)
        assert begun(store).job.owner == "ann"
    with opened(url) as store:
        assert begun(store).job.owner == "bob"


def test_who_has_less_under_way_goes_first(store: Store) -> None:
    for _ in range(3):
        submit(store, "ann")
    assert [begun(store).job.owner for _ in range(2)] == ["ann", "ann"]
    submit(store, "bob")
    assert begun(store).job.owner == "bob"


def test_at_most_so_many_of_an_owner_are_under_way(store: Store) -> None:
    for owner in ("ann", "ann", "ann", "bob"):
        submit(store, owner)
    first, second = begun(store, most=1), begun(store, most=1)
    assert [first.job.owner, second.job.owner] == ["ann", "bob"]
    assert claim(store, most=1) is None
    finish(store, first)
    assert begun(store, most=1).job.owner == "ann"


def test_small_jobs_have_a_lane(store: Store) -> None:
    """CONVENTION 726: behind two large ones of the same owner a small one begins at once."""
    for _ in range(2):
        submit(store, "ann")
    assert claim(store, small=True) is None
    small = submit(store, "ann", small=True)
    assert claim(store) is not None
    lease = claim(store, small=True, most=1)
    assert lease is not None
    assert lease.job.id == small
    with store.writing() as connection:
        assert queue.release(connection, lease, small=False)
    assert claim(store, small=True) is None
    with store.reading() as connection:
        job = jobs.job_by_id(connection, "ann", small)
    assert job is not None
    assert (job.state, job.attempts, job.small) == (State.QUEUED, 0, False)


class Slow:
    """A child that says nothing for a time, and then that it failed."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def poll(self, _: float) -> Problem | None:
        self.looks -= 1
        return None if self.looks else TIME_LIMIT


@pytest.mark.parametrize("small", [False, True])
def test_what_is_not_small_after_all_is_left_to_others(one: Store, tmp_path: Path, small: bool) -> None:
    """CONVENTION 726"""
    job = submit(one, "ann", small=True)
    worker = Worker(Settings(data=tmp_path, small_seconds=1e-9), one, threading.Event(), small=small)
    lease = claim(one, small=True)
    assert lease is not None
    worker._watch(lease, Slow(3))  # type: ignore[arg-type]
    with one.reading() as connection:
        found = jobs.job_by_id(connection, "ann", job)
    assert found is not None
    assert (found.state, found.small) == ((State.QUEUED, False) if small else (State.FAILED, True))


def test_nobody_fills_the_queue(store: Store) -> None:
    """CONVENTION 727"""
    with store.writing() as connection:
        once = jobs.Idempotency("k", "digest")
        first = jobs.submit(connection, "ann", "audit", "{}", once=once, most=1)
        with pytest.raises(jobs.QueueFullError):
            jobs.submit(connection, "ann", "audit", "{}", most=1)
        assert jobs.submit(connection, "ann", "audit", "{}", once=once, most=1).id == first.id
        jobs.submit(connection, "bob", "audit", "{}", most=1)
    assert claim(store) is not None
    with store.writing() as connection:
        jobs.submit(connection, "ann", "audit", "{}", most=1)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_processes_of_jobs_stand_back_behind_the_server(tmp_path: Path) -> None:
    """CONVENTION 951."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    (tmp_path / "r.json").write_text(json.dumps(large()), "utf-8")
    request = AuditRequest(release="r.json").model_dump_json()
    with Child("audit", request, tmp_path, Limits(memory=None, cells=10**6)):
        for _ in patiently("no process stands back"):
            if min(19, own + STAND_BACK) in _priorities():
                break


def _priorities() -> set[int]:
    """Of all processes that this one has started."""
    found = set()
    for process in descendants(os.getpid()):
        try:
            found.add(os.getpriority(os.PRIO_PROCESS, process))
        except ProcessLookupError:
            continue
    return found
