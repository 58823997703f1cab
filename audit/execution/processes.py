"""Worker processes of this machine."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Self

from audit.errors import LimitError
from audit.execution.executor import HERE, Executor, Item, Result

LOSSES = 3
"""Times that a pool may lose workers before the work is given up: an item that kills whoever takes it."""


class Processes:
    """A pool of worker processes, started when it is first needed. Use as a context manager.

    Work that was under way in a worker that dies (killed, out of memory) is done again by a new pool.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop(wait=kind is None)

    def map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """See Executor.

        Raises
        ------
        LimitError: workers died again and again.
        """
        waiting: dict[int, Future[Result]] = {}
        losses = 0
        position = 0
        while position < len(items):
            try:
                for k in range(position, len(items)):
                    if k not in waiting:
                        waiting[k] = self._running().submit(work, items[k])
                yield waiting[position].result()
            except BrokenProcessPool:
                losses += 1
                self._stop(wait=False)
                if losses > LOSSES:
                    raise LimitError(
                        f"Worker processes ended {losses} times before they were done (killed, or out of memory). "
                        "Use fewer with --jobs, or give the machine more memory."
                    ) from None
                waiting = {k: f for k, f in waiting.items() if _is_done(f)}
                continue
            except BaseException:
                self._stop(wait=False)
                raise
            del waiting[position]
            position += 1

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Not fork: solver and BLAS threads of the parent would be copied in the middle of what they do.
            self._pool = ProcessPoolExecutor(self._workers, mp_context=get_context("spawn"))
        return self._pool

    def _stop(self, *, wait: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=True)
            self._pool = None


@contextmanager
def local(workers: int) -> Iterator[Executor]:
    """This process for one worker, a pool of processes for more."""
    if workers == 1:
        yield HERE
    else:
        with Processes(workers) as pool:
            yield pool


def _is_done(future: "Future[Any]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
