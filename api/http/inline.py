"""Small work is answered at once, by processes that are already warm."""

import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import FrameType

from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.child import forkserver, leave_with_parent
from tableseal.api.jobs.folder import job_folder, lay_out
from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.problems import Problem
from tableseal.audit.execution.memory import load_libraries
from tableseal.audit.progress import silent


class Inline:
    """A few processes that do small work at once; what takes too long is left to the workers."""

    def __init__(self, processes: int, *, folder: Path, seconds: float, memory: int, cells: int) -> None:
        self._processes, self._seconds = processes, seconds
        self._folder, self._limits = folder, Limits(memory, cells)
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None

    def answer(self, kind: str, request: str, files: Mapping[str, bytes]) -> Result | Problem | None:
        """Result or problem; None if it took too long, or the process was lost: it is to become a job.

        Raises
        ------
        Exception: a fault of ours, as in any job.
        """
        if self._processes == 0:
            return None
        pool = self._running()
        try:
            task = (kind, request, files, self._folder, self._limits, self._seconds)
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
                return attempt(all_kinds()[kind], request, folder, limits, silent)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooLong:
        return None
