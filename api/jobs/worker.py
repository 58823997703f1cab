"""A worker: takes job after job from the store and has each done by a child process."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from multiprocessing import parent_process
from secrets import token_hex
from typing import TypeVar

from sqlalchemy import Connection

from tableseal.api.jobs.attempt import Limits
from tableseal.api.jobs.bound import given_by_store, taken_by_store
from tableseal.api.jobs.child import Child, Fault, Kept, Step
from tableseal.api.jobs.folder import job_folder, lasting_folder, lay_out, sweep, sweep_lasting
from tableseal.api.jobs.kinds import OutdatedError, Result, all_kinds
from tableseal.api.logs import fields, log_to_stderr
from tableseal.api.problems import POISON, TIME_LIMIT, Problem
from tableseal.api.settings import Settings
from tableseal.api.store import queue, workers
from tableseal.api.store.engine import Store, Unreachable
from tableseal.api.store.files import add_files, content_of, files_of
from tableseal.api.store.job import Lease
from tableseal.api.store.jobs import under_way
from tableseal.api.store.retention import tidy

logger = logging.getLogger(__name__)

TICK = 0.2
"""Seconds after which a worker looks up from what it waits for."""

SWEEP = 60.0
"""Seconds between two looks for what is to be erased."""

T = TypeVar("T")


class Worker:
    """Works until told to stop. Any number of workers may share a store.

    small: only does small jobs, and leaves those to others that take longer than `small_seconds` after all.
    """

    def __init__(self, settings: Settings, store: Store, stop: threading.Event, *, small: bool = False) -> None:
        self._settings, self._store, self._stop, self._small = settings, store, stop, small
        self._limits = Limits(settings.job_memory, settings.max_cells, settings.signing_key, settings.hypercubes)
        self._name = token_hex(16)
        self._swept, self._beaten = -SWEEP, -workers.BEAT

    def run(self) -> None:
        """Work until `stop` is set or the process that started this one is gone."""
        try:
            while not self._stopped():
                if not self.step():
                    self._stop.wait(self._settings.poll_seconds)
        finally:
            with suppress(Unreachable), self._store.writing() as connection:
                workers.leave(connection, self._name)

    def step(self) -> bool:
        """Do one job if there is one; False if there was none, or the database does not answer."""
        try:
            self._beat()
            self._tidy()
            with self._store.writing() as connection:
                lease = queue.claim(
                    connection,
                    all_kinds(),
                    lease_seconds=self._settings.lease_seconds,
                    attempts=self._settings.attempts,
                    poison=POISON.document(),
                    small=self._small,
                    most=self._settings.owner_running,
                )
        except Unreachable:
            logger.warning("the database does not answer")
            return False
        if lease is None:
            return False
        said = fields(job=lease.job.id, kind=lease.job.kind, attempt=lease.job.attempts)
        logger.info("job %s: attempt %d", lease.job.id, lease.job.attempts, extra=said)
        self._work(lease)
        if all_kinds()[lease.job.kind].lasting:
            self._sweep_lasting()
        return True

    def _work(self, lease: Lease) -> None:
        try:
            with job_folder(self._settings.working_folder) as folder:
                for file in self._patiently(lambda c: files_of(c, lease.job.id, "input")):
                    lay_out(folder, file.name, content_of(self._store, file))
                job = lease.job
                for document in self._patiently(lambda c: given_by_store(c, job.owner, job.kind, job.request)):
                    lay_out(folder, document.name, document.pieces())
                lasting = lasting_folder(folder.parent, job.id) if all_kinds()[job.kind].lasting else None
                with Child(job.kind, job.request, folder, self._limits, lasting) as child:
                    self._watch(lease, child)
        except Unreachable:
            logger.warning("job %s: the database does not answer; given back when its lease ends", lease.job.id)
        except OSError as error:  # such as a full disk: it may pass
            logger.warning("job %s: %s", lease.job.id, error.strerror)
            self._lost(lease)

    def _watch(self, lease: Lease, child: Child) -> None:
        """Until the child answers, is to be stopped, or is lost: keep the lease, pass progress on.

        A child that has kept an answer is never without one, however it ends.
        """
        settings = self._settings
        begun = renewed = time.monotonic()
        step: Step | None = None
        kept: Result | None = None

        def end(otherwise: Callable[[Connection], object]) -> None:
            if kept is None:
                self._patiently(otherwise)
            else:
                self._answer(lease, kept)

        while True:
            try:
                message = child.poll(TICK)
            except EOFError:
                if kept is None:
                    self._lost(lease)
                else:
                    self._answer(lease, kept)
                return
            if isinstance(message, Result | Problem):
                self._answer(lease, message if kept is None or isinstance(message, Result) else kept)
                return
            if isinstance(message, Fault):
                said = fields(job=lease.job.id)
                logger.error("job %s: unexpected error\n%s", lease.job.id, message.trace, extra=said)
            elif isinstance(message, Kept):
                kept = message.result
            else:
                step = message or step
            now = time.monotonic()
            if self._stopped():
                end(lambda c: queue.release(c, lease))
                return
            if self._small and now - begun > settings.small_seconds:
                logger.info("job %s: not small after all", lease.job.id)
                self._patiently(lambda c: queue.release(c, lease, small=False))
                return
            if now - begun > settings.job_seconds:
                end(lambda c: queue.fail(c, lease, TIME_LIMIT.document()))
                return
            if now - renewed >= min(1.0, settings.lease_seconds / 4):
                held = self._renew(lease, step)
                step, renewed = None, now
                if held is queue.Held.CANCEL:
                    end(lambda c: queue.cancelled(c, lease))
                if held is not queue.Held.YES:
                    logger.info("job %s: %s", lease.job.id, held.value)
                    return

    def _answer(self, lease: Lease, answer: Result | Problem) -> None:
        if isinstance(answer, Problem):
            kept = self._patiently(lambda c: queue.fail(c, lease, answer.document()))
        else:
            try:
                kept = self._patiently(lambda c: self._finish(c, lease, answer))
            except OutdatedError:
                logger.info("job %s: what it was given has changed; done again", lease.job.id)
                self._patiently(lambda c: queue.release(c, lease))
                return
        state = "lost" if not kept else "failed" if isinstance(answer, Problem) else "succeeded"
        logger.info("job %s: %s", lease.job.id, state, extra=fields(job=lease.job.id, kind=lease.job.kind, state=state))

    def _finish(self, connection: Connection, lease: Lease, answer: Result) -> bool:
        """Finish with a result, if the lease is still held: whatever else the kind writes stands and falls with it."""
        job = lease.job
        if not queue.succeed(connection, lease, (), answer.outcome, answer.title):
            return False
        kept = taken_by_store(connection, job.owner, job.kind, job.request, answer)
        add_files(connection, job.id, job.owner, "result", kept.documents)
        return True

    def _lost(self, lease: Lease) -> None:
        """No answer: the child was killed, by somebody or by a fault in compiled code, or the disk is full."""
        settings, attempts = self._settings, lease.job.attempts
        logger.warning("job %s: attempt %d ended without an answer", lease.job.id, attempts)
        if attempts >= settings.attempts:
            self._patiently(lambda c: queue.fail(c, lease, POISON.document()))
        else:
            pause = settings.backoff_seconds * 2 ** (attempts - 1)
            self._patiently(lambda c: queue.again(c, lease, pause=pause))

    def _renew(self, lease: Lease, step: Step | None) -> queue.Held:
        progress = None if step is None else (step.stage, step.done, step.total)
        seconds = self._settings.lease_seconds
        try:
            self._beat()
            with self._store.writing() as connection:
                return queue.renew(connection, lease, lease_seconds=seconds, progress=progress)
        except Unreachable:
            # Nobody else can take the job meanwhile; go on, and find out when the database is back.
            return queue.Held.YES

    def _patiently(self, change: Callable[[Connection], T]) -> T:
        """A transaction, again and again until the database answers (it may be restarting), or we are to stop."""
        while True:
            try:
                with self._store.writing() as connection:
                    return change(connection)
            except Unreachable:
                if self._stopped():
                    raise
                self._stop.wait(1.0)

    def _beat(self) -> None:
        """Say that this worker is there, as often as it has to be said."""
        if time.monotonic() - self._beaten >= workers.BEAT:
            with self._store.writing() as connection:
                workers.beat(connection, self._name)
            self._beaten = time.monotonic()

    def _tidy(self) -> None:
        if time.monotonic() - self._swept >= SWEEP:
            self._swept = time.monotonic()
            sweep(self._settings.working_folder)
            self._sweep_lasting()
            tidy(self._store, self._settings.retention_days)

    def _sweep_lasting(self) -> None:
        """Nothing is left of jobs that have ended, or were erased before their next attempt."""

        def look(jobs: Collection[str]) -> Collection[str]:
            with self._store.reading() as connection:
                return under_way(connection, jobs)

        with suppress(Unreachable):
            sweep_lasting(self._settings.working_folder, look)

    def _stopped(self) -> bool:
        parent = parent_process()
        return self._stop.is_set() or (parent is not None and not parent.is_alive())


def work(settings: Settings, small: bool = False) -> None:
    """A worker as the main thread of a process: until SIGTERM or SIGINT, when the job under way is given back."""
    log_to_stderr(settings.log)
    os.umask(0o077)  # nothing that is written is for others on this machine
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    store = Store(settings.database_url, settings.keys)
    try:
        Worker(settings, store, stop, small=small).run()
    finally:
        store.close()
