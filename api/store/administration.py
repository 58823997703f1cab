"""What whoever runs the service may see and do with the jobs of all owners: times and states, never what they hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, select, text, true

from tableseal.api.store.engine import clock
from tableseal.api.store.job import State
from tableseal.api.store.jobs import erase, request_cancel
from tableseal.api.store.schema import files, jobs, workers


@dataclass(frozen=True)
class JobLine:
    """A job without its request, problem and files. Times are seconds since 1970."""

    id: str
    owner: str
    kind: str
    state: State
    created: float
    started: float | None
    finished: float | None
    attempts: int
    outcome: str | None


@dataclass(frozen=True)
class OwnerLine:
    """What one owner has. oldest: seconds that the job has waited that waits longest; running: jobs under way; kept:
    jobs that ended; size: bytes of all files, not encrypted."""

    owner: str
    queued: int
    oldest: float
    running: int
    kept: int
    size: int


def job_lines(
    connection: Connection, *, owner: str | None = None, state: State | None = None, limit: int = 100
) -> Sequence[JobLine]:
    """Jobs of all owners, or of one: those that wait or run first, of each the newest first."""
    ended = case((jobs.c.state.in_((State.QUEUED, State.RUNNING)), 0), else_=1)
    chosen = select(jobs).where(_of(owner), true() if state is None else jobs.c.state == state)
    rows = connection.execute(chosen.order_by(ended, jobs.c.created.desc(), jobs.c.id).limit(limit))
    return [
        JobLine(r.id, r.owner, r.kind, State(r.state), r.created, r.started, r.finished, r.attempts, r.outcome)
        for r in rows
    ]


def owner_lines(connection: Connection) -> Sequence[OwnerLine]:
    """All owners who have jobs: who has most waiting first."""
    now = clock(connection)
    queued, running = jobs.c.state == State.QUEUED, jobs.c.state == State.RUNNING
    waits = func.sum(case((queued, 1), else_=0))
    first = func.min(case((queued, jobs.c.created)))
    works = func.sum(case((running, 1), else_=0))
    counted = select(jobs.c.owner, waits, first, works, func.count()).group_by(jobs.c.owner)
    sizes = {
        owner: int(size)
        for owner, size in connection.execute(select(files.c.owner, func.sum(files.c.size)).group_by(files.c.owner))
    }
    found = [
        OwnerLine(
            owner,
            number,
            0.0 if begun is None else max(0.0, now - begun),
            under_way,
            total - number - under_way,
            sizes.get(owner, 0),
        )
        for owner, number, begun, under_way, total in connection.execute(counted)
    ]
    return sorted(found, key=lambda line: (-line.queued, -line.running, line.owner))


def worker_ages(connection: Connection) -> Sequence[float]:
    """Seconds since each worker last said that it is there; those who left have no entry."""
    now = clock(connection)
    return sorted(max(0.0, now - seen) for seen in connection.execute(select(workers.c.seen)).scalars())


def database_size(connection: Connection) -> int:
    """Bytes that the database takes on its disk, without its write-ahead log."""
    if connection.dialect.name == "sqlite":
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        return int(pages * connection.execute(text("PRAGMA page_size")).scalar_one())
    return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())


def owner_of(connection: Connection, job: str) -> str | None:
    """Whose job this is; None if there is none."""
    return connection.execute(select(jobs.c.owner).where(jobs.c.id == job)).scalar_one_or_none()


def cancel_any(connection: Connection, job: str) -> State | None:
    """End a job, whosever it is: its state then (a running one ends when its worker hears of it); None: no such job."""
    owner = owner_of(connection, job)
    found = None if owner is None else request_cancel(connection, owner, job)
    return None if found is None else found.state


def erase_any(connection: Connection, job: str) -> bool | None:
    """Erase a job that has ended, whosever it is; False if it has not; None: no such job."""
    owner = owner_of(connection, job)
    return None if owner is None else erase(connection, owner, job)


def _of(owner: str | None) -> ColumnElement[bool]:
    return true() if owner is None else jobs.c.owner == owner
