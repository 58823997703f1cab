"""Run a process on one core, with one thread, within limits, and tell what it used."""

import os
import resource
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)

SHARE_OF_MEMORY = 0.8
"""Of the memory of the machine that a process may address, so that a wasteful one fails and not the machine."""

PATIENCE = 4
"""Wall seconds per CPU second after which a process is stopped too (a machine may be shared, a process may wait)."""

STOPPED = (-signal.SIGXCPU, -signal.SIGKILL)


@dataclass(frozen=True)
class Usage:
    """How a process ended (negative: the signal) and what it used: CPU seconds with its children, wall seconds."""

    code: int
    cpu: float
    wall: float
    errors: str

    @property
    def stopped(self) -> bool:
        """A limit was reached."""
        return self.code in STOPPED

    @property
    def last_error(self) -> str:
        """The last line of what it said on standard error."""
        lines = self.errors.strip().splitlines()
        return lines[-1][:200] if lines else f"exit code {self.code}"


def run(command: Sequence[str], *, core: int | None, cpu_limit: float) -> Usage:
    """Run a command from the project's folder; its standard output is thrown away.

    cpu_limit: CPU seconds after which it is stopped.
    """

    def confine() -> None:
        pin(core)
        limit_cpu(cpu_limit)
        memory = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * SHARE_OF_MEMORY)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": path}
    with TemporaryFile() as errors:
        start = perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            preexec_fn=confine,
        )
        timer = Timer(PATIENCE * cpu_limit, lambda: os.killpg(process.pid, signal.SIGKILL))
        timer.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # solvers that it started and left behind
        wall = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return Usage(process.returncode, used.ru_utime + used.ru_stime, wall, errors.read().decode("utf-8", "replace"))


def pin(core: int | None) -> None:
    """Keep this process on one core, where the system can."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def limit_cpu(seconds: float) -> None:
    """Stop this process once it has used so many more CPU seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, hard))


def peak_megabytes() -> float:
    """Most memory that this process has held at once."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass  # not Linux
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
