"""Jobs for workers: claim, keep, finish. Whoever finishes must still hold the lease, so nothing is finished twice."""

import json
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, func, select, true, update

from tableseal.api.store.engine import clock
from tableseal.api.store.events import add_event
from tableseal.api.store.files import add_files, delete_inputs
from tableseal.api.store.job import Document, Job, Lease, State, job_of
from tableseal.api.store.schema import jobs, turns
from tableseal.api.store.sealing import new_key
from tableseal.api.store.titles import change_title
from tableseal.api.store.turns import take_turn


class Held(Enum):
    """What a worker hears when it renews a lease."""

    YES = "yes"
    """Go on."""
    CANCEL = "cancel"
    """Somebody asked for the job to end."""
    LOST = "lost"
    """The lease ended and the job is another's: stop, and write nothing."""


def claim(
    connection: Connection,
    kinds: Collection[str],
    *,
    lease_seconds: float,
    attempts: int,
    poison: Mapping[str, Any],
    small: bool = False,
    most: int | None = None,
) -> Lease | None:
    """Take a job that is due, or whose worker is silent; None if there is none.

    Owners take turns (CONVENTION 725): first who has the fewest jobs under way, of these whose last turn is longest
    ago, and of an owner's jobs the oldest.

    Parameters
    ----------
    attempts: a job that was begun so often and never ended is given up, with the problem `poison`. small: take small
    jobs only, and count those alone as under way. most: jobs of one owner that may be under way; None: any number.
    """
    while True:
        now = clock(connection)
        job = _next(connection, kinds, now, small, most)
        if job is None:
            return None
        if job.cancel:
            _end(connection, job, now, State.CANCELLED)
        elif job.attempts >= attempts:
            _end(connection, job, now, State.FAILED, problem=poison)
        else:
            take_turn(connection, job.owner)
            return _lease(connection, job, now, lease_seconds)


def _next(connection: Connection, kinds: Collection[str], now: float, small: bool, most: int | None) -> Job | None:
    """The job whose turn it is, locked."""
    lane = jobs.c.small if small else true()
    held = (jobs.c.state == State.RUNNING) & (jobs.c.lease_until >= now)
    number = func.count().label("number")
    under_way = select(jobs.c.owner, number).where(held, lane).group_by(jobs.c.owner).subquery()
    running = func.coalesce(under_way.c.number, 0)
    waits = (jobs.c.state == State.QUEUED) & (jobs.c.due <= now)
    silent = (jobs.c.state == State.RUNNING) & (jobs.c.lease_until < now)
    chosen = (
        select(jobs.c.id)
        .outerjoin(under_way, under_way.c.owner == jobs.c.owner)
        .outerjoin(turns, turns.c.owner == jobs.c.owner)
        .where(jobs.c.kind.in_(kinds), waits | silent, lane, true() if most is None else running < most)
        .order_by(running, func.coalesce(turns.c.number, 0), jobs.c.due, jobs.c.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=jobs)
    )
    found = connection.execute(chosen).scalar_one_or_none()
    if found is None:
        return None
    return job_of(connection.execute(select(jobs).where(jobs.c.id == found)).one()._mapping)


def renew(
    connection: Connection, lease: Lease, *, lease_seconds: float, progress: tuple[str, int, int] | None = None
) -> Held:
    """Keep a lease, and say how far the work is."""
    now = clock(connection)
    values: dict[str, Any] = {"lease_until": now + lease_seconds}
    if progress is not None:
        stage, done, total = progress
        values |= {"stage": stage, "done": done, "total": total}
    if not _update(connection, lease, **values):
        return Held.LOST
    if progress is not None:
        add_event(connection, lease.job.id, now, "progress", {"stage": stage, "done": done, "total": total})
    cancel = connection.execute(select(jobs.c.cancel).where(jobs.c.id == lease.job.id)).scalar_one()
    return Held.CANCEL if cancel else Held.YES


def succeed(
    connection: Connection, lease: Lease, documents: Sequence[Document], outcome: str | None, title: str = ""
) -> bool:
    """Finish with a result; False (and nothing is kept) if the lease is lost. title: empty: it is as it was."""
    if not _finish(connection, lease, State.SUCCEEDED, outcome=outcome):
        return False
    if title:
        change_title(connection, lease.job.id, title)
    add_files(connection, lease.job.id, lease.job.owner, "result", documents)
    return True


def fail(connection: Connection, lease: Lease, problem: Mapping[str, Any]) -> bool:
    """Finish with a problem; False if the lease is lost."""
    return _finish(connection, lease, State.FAILED, problem=problem)


def cancelled(connection: Connection, lease: Lease) -> bool:
    """Finish because somebody asked for it; False if the lease is lost."""
    return _finish(connection, lease, State.CANCELLED)


def again(connection: Connection, lease: Lease, *, pause: float) -> bool:
    """Give the job back after an attempt that failed for reasons that may pass; it is due after `pause` seconds."""
    return _give_back(connection, lease, pause, lease.job.attempts)


def release(connection: Connection, lease: Lease, *, small: bool | None = None) -> bool:
    """Give the job back unharmed, because the worker is to stop: this was no attempt. small: what it is from now on."""
    return _give_back(connection, lease, 0.0, lease.job.attempts - 1, small)


def _lease(connection: Connection, job: Job, now: float, lease_seconds: float) -> Lease:
    token = token_hex(16)
    values: dict[str, Any] = {
        "state": State.RUNNING,
        "lease": token,
        "lease_until": now + lease_seconds,
        "attempts": job.attempts + 1,
        "started": now if job.started is None else job.started,
        "stage": None,
    }
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(**values))
    add_event(connection, job.id, now, "state", {"state": State.RUNNING, "attempt": job.attempts + 1})
    row = connection.execute(select(jobs).where(jobs.c.id == job.id)).one()
    return Lease(job_of(row._mapping), token)


def _update(connection: Connection, holder: Lease, /, **values: Any) -> bool:
    held = (jobs.c.id == holder.job.id) & (jobs.c.lease == holder.token) & (jobs.c.state == State.RUNNING)
    return connection.execute(update(jobs).where(held).values(**values)).rowcount == 1


def _finish(
    connection: Connection,
    lease: Lease,
    state: State,
    *,
    outcome: str | None = None,
    problem: Mapping[str, Any] | None = None,
) -> bool:
    now = clock(connection)
    # The lease is looked at and ended in one statement.
    if not _update(connection, lease, lease=None):
        return False
    _end(connection, lease.job, now, state, outcome=outcome, problem=problem)
    return True


def _end(
    connection: Connection,
    job: Job,
    now: float,
    state: State,
    *,
    outcome: str | None = None,
    problem: Mapping[str, Any] | None = None,
) -> None:
    text = None
    if problem is not None:
        text = new_key(connection, job.id, "problem").seal(json.dumps(problem).encode()).hex()
    values: dict[str, Any] = {"state": state, "finished": now, "lease": None, "lease_until": None}
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(**values, outcome=outcome, problem=text))
    delete_inputs(connection, job.id)
    add_event(connection, job.id, now, "state", {"state": state})


def _give_back(connection: Connection, lease: Lease, pause: float, attempts: int, small: bool | None = None) -> bool:
    now = clock(connection)
    small = lease.job.small if small is None else small
    values: dict[str, Any] = {
        "state": State.QUEUED,
        "lease": None,
        "lease_until": None,
        "attempts": attempts,
        "small": small,
    }
    if not _update(connection, lease, due=now + pause, stage=None, **values):
        return False
    add_event(connection, lease.job.id, now, "state", {"state": State.QUEUED})
    return True
