"""Many queued jobs; the server, its workers and all their processes are killed without warning, at random."""

import os
import random
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cases.service import orders
from cases.service.figures import Figure
from cases.service.running import Process, address, descendants, gone, launch, patiently


@dataclass(frozen=True)
class Plan:
    """jobs: how many. workers: at once. every: at most so many jobs end between two kills. seed: of the random choices.

    servers: how many in a hundred kills hit the server itself, the others one of its processes.
    """

    jobs: int
    workers: int
    every: int
    servers: int = 10
    seed: int = 0


FULL = Plan(jobs=1000, workers=2, every=40)
SHORT = Plan(jobs=8, workers=1, every=2, servers=0)


def run(plan: Plan, folder: Path, database: str | None = None) -> list[Figure]:
    """Kill until all jobs are finished.

    Parameters
    ----------
    database: URL of an empty database; none: SQLite in the folder.
    """
    url = database or f"sqlite:///{folder / 'jobs.db'}"
    with Victim(folder, url, plan.workers) as victim:
        numbers = [1 + k % orders.VARIANTS for k in range(plan.jobs)]
        jobs = [(number, orders.submit(victim.at, number)) for number in numbers]
        begun = time.monotonic()
        _kill(plan, victim)
        seconds = time.monotonic() - begun
        figures = orders.checked(victim.at, jobs, folder)
    total = victim.servers + victim.processes
    return [
        Figure("kill -9", f"{victim.servers} times the server, {victim.processes} times a process of it", total > 1),
        Figure("processes that outlived their server", str(victim.orphans), victim.orphans == 0),
        *figures,
        Figure("seconds for all jobs", f"{seconds:.0f} ({plan.jobs / seconds:.1f} a second)"),
    ]


class Victim:
    """A server with workers, which is killed and started again. Use as a context manager, which ends it."""

    def __init__(self, folder: Path, database: str, workers: int) -> None:
        self._folder = folder
        self._options = ("--port", "0", "--workers", str(workers), "--data", str(folder), "--database", database)
        self.servers = self.processes = self.orphans = 0
        self._start()

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def kill(self) -> None:
        """Kill the server, wait until its processes are gone, and start it again."""
        family = descendants(self._process.pid)
        self._process.kill()
        self._process.wait()
        self.servers += 1
        for passed in patiently("processes of a dead server go on", 60):
            family = [process for process in family if not gone(process)]
            if not family or passed > 30:
                break
        self.orphans += len(family)
        self._start()

    def kill_one(self, choice: random.Random) -> None:
        """Kill one of its processes: a worker, an attempt, what attempts are copied from, who answers at once."""
        found = sorted(descendants(self._process.pid))
        if found:
            with suppress(ProcessLookupError):  # it may have ended since
                os.kill(choice.choice(found), signal.SIGKILL)
                self.processes += 1

    def _start(self) -> None:
        log = self._folder / f"server-{self.servers}.log"
        self._process: Process = launch("serve", *self._options, log=log, **orders.QUICK)
        self.at = address(self._process, log)


def _kill(plan: Plan, victim: Victim) -> None:
    """The server at its first job, then again and again somebody, until nothing is left to do.

    Jobs are counted, not seconds: a slow machine would never get anywhere between two kills.
    """
    choice = random.Random(plan.seed)
    due = plan.jobs
    for _ in patiently("some jobs are never finished", 120 + 10 * plan.jobs):
        waiting, running = orders.open_jobs(victim.at)
        left = waiting + running
        if left == 0:
            return
        if running and left <= due:
            if victim.servers == 0 or choice.randrange(100) < plan.servers:
                victim.kill()
            else:
                victim.kill_one(choice)
            due = left - choice.randint(1, plan.every)
