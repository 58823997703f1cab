"""Jobs for those who ask for them: submit, look up, cancel, erase. What workers do is in `queue.py`."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, select, update

from tableseal.api.store.engine import clock, put
from tableseal.api.store.events import add_event
from tableseal.api.store.files import add_files, delete_inputs
from tableseal.api.store.job import Document, Job, State, job_of, titled
from tableseal.api.store.schema import idempotency, jobs, turns
from tableseal.api.store.sealing import JobKey, fresh_key, keep_keys, key_of
from tableseal.api.store.titles import WITH_TITLES, sealed_title, titles_in


@dataclass(frozen=True)
class Idempotency:
    """A key that the client chose, and what it was used for: the digest of the request."""

    key: str
    fingerprint: str


class KeyReusedError(Exception):
    """An idempotency key comes with another request than the first time."""


class QueueFullError(Exception):
    """As many jobs of this owner wait as may. most: how many that is."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} jobs wait")
        self.most = most


def submit(
    connection: Connection,
    owner: str,
    kind: str,
    request: str,
    files: Sequence[Document] = (),
    *,
    once: Idempotency | None = None,
    small: bool = False,
    most: int | None = None,
    title: str = "",
    who: str = "",
) -> Job:
    """A new queued job, or the one that the idempotency key stands for.

    Parameters
    ----------
    small: workers that only do small jobs may take it. most: jobs of this owner that may wait (a few more where several
    come at the same moment); None: any number. title, who: see `Job`.

    Raises
    ------
    KeyReusedError: the key stands for another request. QueueFullError: too many wait.
    """
    found = None if once is None else same_request(connection, owner, once)
    if found is not None:
        return found
    if most is not None:
        waiting = select(func.count()).where(jobs.c.owner == owner, jobs.c.state == State.QUEUED)
        if connection.execute(waiting).scalar_one() >= most:
            raise QueueFullError(most)
    job, keys = _insert(connection, owner, kind, request, State.QUEUED, title, small=small, who=who)
    keep_keys(connection, *keys)
    add_files(connection, job.id, owner, "input", files)
    _remember(connection, job, once)
    return job


def record(
    connection: Connection,
    owner: str,
    kind: str,
    request: str,
    documents: Sequence[Document],
    *,
    outcome: str | None,
    seconds: float,
    once: Idempotency | None = None,
    title: str = "",
    who: str = "",
) -> Job:
    """A job that was done at once, with its result. once: a key that stands for nothing yet (see `same_request`)."""
    now = clock(connection)
    more = {"created": now - seconds, "started": now - seconds, "finished": now, "outcome": outcome, "who": who}
    job, keys = _insert(connection, owner, kind, request, State.SUCCEEDED, title, **more)
    key = fresh_key(job.id, "result")
    keep_keys(connection, key, *keys)
    add_files(connection, job.id, owner, "result", documents, key)
    _remember(connection, job, once)
    return job


def same_request(connection: Connection, owner: str, once: Idempotency) -> Job | None:
    """The job that an idempotency key stands for, if it was used before.

    Raises
    ------
    KeyReusedError: the key stands for another request.
    """
    chosen = select(idempotency).where(idempotency.c.owner == owner, idempotency.c.key == once.key)
    row = connection.execute(chosen).one_or_none()
    if row is None:
        return None
    if row.fingerprint != once.fingerprint:
        raise KeyReusedError
    return job_by_id(connection, owner, row.job)


def job_by_id(connection: Connection, owner: str, job: str) -> Job | None:
    """The job, if there is one and it is this owner's."""
    return next(iter(_told(connection, WITH_TITLES.where(_own(owner, job)))), None)


def jobs_of(
    connection: Connection,
    owner: str,
    *,
    limit: int,
    after: str | None = None,
    state: State | None = None,
    kind: str | None = None,
) -> tuple[Job, ...] | None:
    """An owner's jobs, newest first; None if there is no job `after`, behind which they are to come."""
    chosen = WITH_TITLES.where(jobs.c.owner == owner)
    if after is not None:
        last = job_by_id(connection, owner, after)
        if last is None:
            return None
        same = (jobs.c.created == last.created) & (jobs.c.id > last.id)
        chosen = chosen.where((jobs.c.created < last.created) | same)
    if state is not None:
        chosen = chosen.where(jobs.c.state == state)
    if kind is not None:
        chosen = chosen.where(jobs.c.kind == kind)
    return _told(connection, chosen.order_by(jobs.c.created.desc(), jobs.c.id).limit(limit))


def request_cancel(connection: Connection, owner: str, job: str) -> Job | None:
    """End a job: a queued one at once, a running one when its worker hears of it; a final one stays as it is."""
    now = clock(connection)
    waiting = _own(owner, job) & (jobs.c.state == State.QUEUED)
    ended = update(jobs).where(waiting).values(state=State.CANCELLED, finished=now, cancel=True)
    if connection.execute(ended).rowcount == 1:
        delete_inputs(connection, job)
        add_event(connection, job, now, "state", {"state": State.CANCELLED})
    else:
        running = _own(owner, job) & (jobs.c.state == State.RUNNING)
        connection.execute(update(jobs).where(running).values(cancel=True))
    return job_by_id(connection, owner, job)


def erase(connection: Connection, owner: str, job: str) -> bool:
    """Erase a job that has ended, with all that belongs to it; False if it has not."""
    ended = jobs.c.state.not_in((State.QUEUED, State.RUNNING))
    return connection.execute(delete(jobs).where(_own(owner, job), ended)).rowcount == 1


def erase_finished(connection: Connection, older_than: float) -> int:
    """Erase jobs that ended so many seconds ago, with all that belongs to them; how many there were."""
    old = jobs.c.finished < clock(connection) - older_than
    erased = connection.execute(delete(jobs).where(old)).rowcount
    connection.execute(delete(turns).where(turns.c.owner.not_in(select(jobs.c.owner))))
    return erased


def ended(connection: Connection, wanted: Collection[str]) -> tuple[Job, ...]:
    """Those of some jobs, by id, that have ended."""
    final = [state for state in State if state.final]
    return _told(connection, WITH_TITLES.where(jobs.c.id.in_(wanted), jobs.c.state.in_(final)))


def under_way(connection: Connection, wanted: Collection[str]) -> frozenset[str]:
    """Those of some jobs, by id, that are there and have not ended."""
    going = [state for state in State if not state.final]
    chosen = select(jobs.c.id).where(jobs.c.id.in_(wanted), jobs.c.state.in_(going))
    return frozenset(connection.execute(chosen).scalars())


def count_by_state(connection: Connection) -> Mapping[State, int]:
    """How many jobs there are in each state."""
    found = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
    counts = {State(state): number for state, number in found}
    return {state: counts.get(state, 0) for state in State}


def _told(connection: Connection, chosen: Select[Any]) -> tuple[Job, ...]:
    """Jobs that are chosen of those `WITH_TITLES`, with title and problem in plain."""
    rows = connection.execute(chosen).all()
    titles = titles_in(connection, rows)
    return tuple(
        job_of(row._mapping, title, _problem(connection, row)) for row, title in zip(rows, titles, strict=True)
    )


def _problem(connection: Connection, row: Row[Any]) -> Mapping[str, Any] | None:
    if row.problem is None:
        return None
    found: Mapping[str, Any] = json.loads(key_of(connection, row.id, "problem").open(bytes.fromhex(row.problem)))
    return found


_NO_ROW: dict[str, Any] = dict.fromkeys(column.name for column in jobs.columns)


def _own(owner: str, job: str) -> ColumnElement[bool]:
    return (jobs.c.id == job) & (jobs.c.owner == owner)


def _insert(
    connection: Connection, owner: str, kind: str, request: str, state: State, title: str, **more: Any
) -> tuple[Job, tuple[JobKey, ...]]:
    """A new job, and the key that is to be kept for its title."""
    job = token_hex(16)
    sealed, keys = sealed_title(job, title)
    now = clock(connection)
    row: dict[str, Any] = {
        "id": job,
        "owner": owner,
        "kind": kind,
        "request": request,
        "state": state,
        "created": now,
        "due": now,
        "title": sealed,
    }
    row |= {"attempts": 0, "cancel": False, "small": False, **more}
    put(connection, jobs, **row)
    add_event(connection, job, now, "state", {"state": state})
    return job_of(_NO_ROW | row, titled(title)), keys


def _remember(connection: Connection, job: Job, once: Idempotency | None) -> None:
    if once is not None:
        row = {"owner": job.owner, "key": once.key, "fingerprint": once.fingerprint, "job": job.id}
        put(connection, idempotency, **row)
