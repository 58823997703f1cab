"""Worker processes of this machine."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from types import TracebackType
from typing import Any, Self

from tableseal.audit.errors import LimitError, OptionName
from tableseal.audit.execution.executor import Item, Lost, Result
from tableseal.audit.execution.guard import refuse_if_unguarded, refuse_while_importing, refuse_without_file

LOSSES = 3
"""Times that a pool may lose workers before the work is given up: an item that kills whoever takes it."""


class Processes:
    """A pool of worker processes, started when it is first needed. Use as a context manager.

    Work that was under way in a worker that dies (killed, out of memory) is done again by a new pool.
    """

    def __init__(self, workers: int) -> None:
        refuse_while_importing()
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
        LimitError: workers died again and again. UnguardedError: workers cannot import the main program.
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
                self._drop()
                if losses > LOSSES:
                    raise LimitError(
                        f"Worker processes ended {losses} times before they were done (killed, or out of memory). "
                        "Use fewer with ",
                        OptionName("jobs"),
                        ", or give the machine more memory.",
                    ) from None
                waiting = {k: f for k, f in waiting.items() if _is_done(f)}
                continue
            except BaseException:
                self._stop(wait=False)
                raise
            del waiting[position]
            position += 1

    def as_completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result | Lost]]:
        """See Executor. A pool that loses a worker loses all that was under way; each of that is then done alone, which
        shows which of it was to blame."""
        waiting = enumerate(items)
        running: dict[Future[Result], tuple[int, Item]] = {}
        try:
            while True:
                # One more than there are workers, so that none waits for the next item to be made.
                for position, item in islice(waiting, self._workers + 1 - len(running)):
                    running[self._submit(work, item)] = (position, item)
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                    done, _ = wait(running)
                    self._drop()
                for future in sorted(done, key=lambda f: running[f][0]):
                    position, item = running.pop(future)
                    broken = isinstance(future.exception(), BrokenProcessPool)
                    yield position, self._alone(work, item) if broken else future.result()
        except BaseException:
            self._stop(wait=False)
            raise

    def _alone(self, work: Callable[[Item], Result], item: Item) -> Result | Lost:
        """The result of an item that nothing runs beside."""
        try:
            return self._submit(work, item).result()
        except BrokenProcessPool:
            self._drop()
            return Lost("The worker process ended before it was done, twice (killed, crashed or out of memory).")

    def _submit(self, work: Callable[[Item], Result], item: Item) -> "Future[Result]":
        try:
            return self._running().submit(work, item)
        except BrokenProcessPool:  # a worker was killed while it had nothing to do
            self._drop()
            return self._running().submit(work, item)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            refuse_without_file()
            # Not fork: solver and BLAS threads of the parent would be copied in the middle of what they do.
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=get_context("spawn"), initializer=_end_with_parent
            )
        return self._pool

    def _drop(self) -> None:
        """Leave a pool that has lost a worker."""
        workers = [] if self._pool is None else list((self._pool._processes or {}).values())
        self._stop(wait=False)
        refuse_if_unguarded(workers)

    def _stop(self, *, wait: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=True)
            self._pool = None


def _end_with_parent() -> None:
    """In a worker: end when the parent does. A parent that is killed cannot tell its workers, and they would wait for
    work for ever."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _is_done(future: "Future[Any]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
