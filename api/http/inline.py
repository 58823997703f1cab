"""Small work is answered at once, by processes that are already warm."""

import asyncio
import signal
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

from tableseal.api.http.slots import Slots
from tableseal.api.http.threads import Threads
from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.child import forkserver, leave_with_parent
from tableseal.api.jobs.folder import job_folder, lay_out
from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.problems import Problem
from tableseal.audit.execution.memory import load_libraries
from tableseal.audit.progress import silent


class Inline:
    """A few processes that do small work at once; what takes too long is left to the workers.

    each: of the processes, as many may work for one owner at the same time.
    """

    def __init__(self, processes: int, *, each: int, folder: Path, memory: int, cells: int) -> None:
        self._processes = processes
        self._folder, self._limits = folder, Limits(memory, cells)
        self._slots, self._threads = Slots(processes, each), Threads(processes, "inline")
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None

    async def answer(
        self, owner: str, kind: str, request: str, files: Mapping[str, bytes], *, wait: float, seconds: float
    ) -> Result | Problem | None:
        """Result or problem; None if it is to become a job: no process was free within `wait` seconds, it took longer
        than `seconds`, waiting included, or the process was lost.

        Raises
        ------
        Exception: a fault of ours, as in any job.
        """
        begun = time.monotonic()
        if self._processes == 0 or not await self._slots.take(owner, min(wait, seconds)):
            return None
        loop = asyncio.get_running_loop()

        def work() -> Result | Problem | None:
            try:
                return self._answer(kind, request, files, seconds - (time.monotonic() - begun))
            finally:  # and not when nobody waits for it any more: the process works until then
                with suppress(RuntimeError):  # the loop is closed: nobody needs a slot again
                    loop.call_soon_threadsafe(self._slots.give_back, owner)

        return await self._threads.run(work)

    def _answer(self, kind: str, request: str, files: Mapping[str, bytes], seconds: float) -> Result | Problem | None:
        if seconds <= 0:
            return None
        pool = self._running()
        try:
            task = (kind, request, files, self._folder, self._limits, seconds)
            return pool.submit(_answer, *task).result()
        except BrokenProcessPool:
            with self._lock:
                if self._pool is pool:
                    self._pool = None
            return None

    def warm(self) -> None:
        """Start a process, so that the first answer does not wait for it."""
        if self._processes:
            self._running().submit(silent, "", 0, 0)

    def close(self) -> None:
        """End the processes."""
        self._threads.close()
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
                self._pool = None

    def _running(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self._processes, mp_context=forkserver(), initializer=_begin)
            return self._pool


class _TooLong(BaseException):
    """The time for an answer at once is over; nothing that handles errors may stop it."""


def _begin() -> None:
    leave_with_parent()
    load_libraries()

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    signal.signal(signal.SIGALRM, ring)


def _answer(
    kind: str, request: str, files: Mapping[str, bytes], parent: Path, limits: Limits, seconds: float
) -> Result | Problem | None:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            with job_folder(parent) as folder:
                for name, content in files.items():
                    lay_out(folder, name, (content,))
                return _taken_along(attempt(all_kinds()[kind], request, folder, limits, silent))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooLong:
        return None


def _taken_along(answer: Result | Problem) -> Result | Problem:
    """The same with the content of its files: the folder that they lie in goes."""
    if isinstance(answer, Problem):
        return answer
    return replace(answer, documents=tuple(replace(one, content=one.read()) for one in answer.documents))
