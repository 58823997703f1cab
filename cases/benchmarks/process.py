"""Run a process on one core, with one thread, within limits, and tell what it used."""

import os
import re
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

PATIENCE = 6
WAIT = 60.0
"""Wall seconds per CPU second, and beside, after which a process is stopped too: a machine may be shared, a process may
wait for ever."""


FOLDER = re.compile(r"/(?:[^\s/:'\"]+/)+")
"""A path up to its last part: results are published."""


@dataclass(frozen=True)
class Usage:
    """How a process ended (negative: the signal) and what it used: CPU seconds with its children, wall seconds."""

    code: int
    cpu: float
    wall: float
    errors: str

    @property
    def stopped(self) -> bool:
        """The limit of CPU seconds was reached."""
        return self.code == -signal.SIGXCPU

    @property
    def last_error(self) -> str:
        """The last line of what it said on standard error, without folders, or how it ended without a word."""
        if self.code == -signal.SIGKILL:
            return f"killed after {self.wall:.0f} wall seconds: too little processor time, or too little memory"
        lines = self.errors.strip().splitlines()
        return FOLDER.sub("", lines[-1])[:200] if lines else f"exit code {self.code}"


def run(command: Sequence[str], *, core: int | None, cpu_limit: float) -> Usage:
    """Run a command from the project's folder; its standard output is thrown away.

    It may keep bytecode, as every installed program does: the first run compiles it.

    cpu_limit: CPU seconds after which it is stopped.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {**dict.fromkeys(THREADS, "1"), "PYTHONPATH": path}
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
        )
        _confine(process.pid, core, cpu_limit)
        timer = Timer(WAIT + PATIENCE * cpu_limit, lambda: os.killpg(process.pid, signal.SIGKILL))
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


def _confine(process: int, core: int | None, cpu_limit: float) -> None:
    """Keep a process on one core and within limits, where the system can (Linux)."""
    with suppress(ProcessLookupError):  # it has ended already
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(process, {core})
        if hasattr(resource, "prlimit"):
            memory = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * SHARE_OF_MEMORY)
            resource.prlimit(process, resource.RLIMIT_CPU, (int(cpu_limit) + 1, resource.RLIM_INFINITY))
            resource.prlimit(process, resource.RLIMIT_AS, (memory, memory))


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
