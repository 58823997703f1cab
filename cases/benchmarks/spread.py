"""Jobs of a benchmark on several cores at once, each on a core of its own."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import TypeVar

Result = TypeVar("Result")

Job = Callable[[int | None], Result]
"""Measures something on a core (None: on any) and gives the outcome."""


def spread(jobs: Sequence[Job[Result]], cores: Sequence[int | None]) -> Iterator[Result]:
    """Outcomes as they come; jobs begin in their order, the longest should be first.

    cores: on each of them one job at a time.
    """
    free: SimpleQueue[int | None] = SimpleQueue()
    for core in cores:
        free.put(core)

    def one(job: Job[Result]) -> Result:
        core = free.get()
        try:
            return job(core)
        finally:
            free.put(core)

    pool = ThreadPoolExecutor(len(cores))
    try:
        for done in as_completed([pool.submit(one, job) for job in jobs]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
