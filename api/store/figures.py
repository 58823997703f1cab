"""How the queue is doing, for metrics and health: numbers and times, nothing about whose jobs they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from tableseal.api.store.engine import clock
from tableseal.api.store.job import State
from tableseal.api.store.jobs import count_by_state
from tableseal.api.store.schema import jobs
from tableseal.api.store.workers import live

HOUR = 3600.0


@dataclass(frozen=True)
class Ended:
    """Jobs of one kind that ended in the same way within the last hour.

    outcome: of those that succeeded (such as the verdict of audits), else failed or cancelled. queued, running: mean
    and longest time in seconds.
    """

    kind: str
    outcome: str
    number: int
    queued: tuple[float, float]
    running: tuple[float, float]


@dataclass(frozen=True)
class QueueFigures:
    """states: jobs in each. oldest: seconds that the job that waits longest has been due. silent: running jobs whose
    worker did not renew its lease in time. held: running jobs whose worker does. workers: those that are there, at
    work or not."""

    states: Mapping[State, int]
    oldest: float
    silent: int
    held: int
    workers: int
    ended: Sequence[Ended]

    @property
    def neglected(self) -> bool:
        """Jobs wait, and nobody works: there are no workers, or they do not reach the database."""
        return self.oldest > 60.0 and self.held == 0


def queue_figures(connection: Connection) -> QueueFigures:
    """The figures as they are now."""
    now = clock(connection)
    due = select(func.min(jobs.c.due)).where(jobs.c.state == State.QUEUED, jobs.c.due <= now)
    first = connection.execute(due).scalar_one_or_none()
    running = select(func.count()).where(jobs.c.state == State.RUNNING)
    silent = connection.execute(running.where(jobs.c.lease_until < now)).scalar_one()
    held = connection.execute(running.where(jobs.c.lease_until >= now)).scalar_one()
    oldest = 0.0 if first is None else now - first
    return QueueFigures(
        count_by_state(connection), oldest, silent, held, live(connection), _ended(connection, now - HOUR)
    )


def _ended(connection: Connection, since: float) -> Sequence[Ended]:
    outcome = func.coalesce(jobs.c.outcome, jobs.c.state)
    begun = func.coalesce(jobs.c.started, jobs.c.finished)
    queued, running = begun - jobs.c.created, jobs.c.finished - begun
    chosen = (
        select(
            jobs.c.kind,
            outcome,
            func.count(),
            func.avg(queued),
            func.max(queued),
            func.avg(running),
            func.max(running),
        )
        .where(jobs.c.finished >= since)
        .group_by(jobs.c.kind, outcome)
        .order_by(jobs.c.kind, outcome)
    )
    # Clocks of those who answer at once may run ahead of the database's by a little.
    return tuple(
        Ended(kind, word, number, (max(0.0, a), max(0.0, b)), (max(0.0, c), max(0.0, d)))
        for kind, word, number, a, b, c, d in connection.execute(chosen)
    )
