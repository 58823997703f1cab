"""Clients that wait: until when, and for what."""

import asyncio
import re
import time
from collections import defaultdict

from starlette.requests import Request

from tableseal.api.http.threads import Threads
from tableseal.api.store.engine import Store, Unreachable
from tableseal.api.store.job import Job
from tableseal.api.store.jobs import ended

POLL = 0.05
"""Seconds between two looks at the jobs that somebody waits for."""

ARRIVED = "tableseal.arrived"
"""Key of the scope: when the request came (`time.monotonic`)."""

_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})\"?(?=$|[,;\s])", re.IGNORECASE)


def wait_of(prefer: str | None, most: float) -> float:
    """Seconds that a header `Prefer` asks to wait for; 0 if it does not."""
    found = _WAIT.search(prefer or "")
    return min(float(found.group(1)), most) if found else 0.0


def left_of(wait: float, request: Request) -> float:
    """Seconds that are left of those that a client waits for, which began when its request came."""
    now = time.monotonic()
    arrived: float = request.scope.get(ARRIVED, now)
    return max(0.0, wait - (now - arrived))


class Watch:
    """Looks at all jobs that somebody waits for at once, however many wait. For one event loop."""

    def __init__(self, store: Store, threads: Threads) -> None:
        self._store, self._threads = store, threads
        self._waiting: dict[str, list[asyncio.Future[Job]]] = defaultdict(list)
        self._looking: asyncio.Task[None] | None = None

    async def final(self, job: Job, seconds: float) -> Job | None:
        """The job as soon as it has ended; None if it has not within so many seconds.

        Raises
        ------
        Unreachable: the database does not answer.
        """
        if job.state.final:
            return job
        news = asyncio.get_running_loop().create_future()
        self._waiting[job.id].append(news)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            await asyncio.wait([news], timeout=seconds)
            return news.result() if news.done() else None
        finally:
            self._waiting[job.id].remove(news)
            if not self._waiting[job.id]:
                del self._waiting[job.id]

    async def _look(self) -> None:
        while self._waiting:
            try:
                for job in await self._threads.run(self._ended, list(self._waiting)):
                    for news in self._waiting.get(job.id, ()):
                        if not news.done():
                            news.set_result(job)
            except Unreachable as error:
                for news in (news for several in self._waiting.values() for news in several if not news.done()):
                    news.set_exception(error)
            await asyncio.sleep(POLL)

    def _ended(self, wanted: list[str]) -> tuple[Job, ...]:
        with self._store.reading() as connection:
            return ended(connection, wanted)
