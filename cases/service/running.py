"""The service as real processes, asked as any program would ask."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tableseal.api.cli import main; main()"]
DEADLINE = 120.0
"""Seconds after which something that should happen soon has failed to."""

Process = subprocess.Popen[bytes]


@contextmanager
def started(*arguments: str, log: Path, **environment: str) -> Iterator[Process]:
    """A tableseal command in the background; killed at the end if it is still there."""
    process = launch(*arguments, log=log, **environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def launch(*arguments: str, log: Path, **environment: str) -> Process:
    """A tableseal command in the background; environment: settings, without their prefix."""
    names = {f"TABLESEAL_{name.upper()}": value for name, value in environment.items()}
    with open(log, "wb") as target:
        return subprocess.Popen(
            [*COMMAND, *arguments], stderr=target, stdout=target, env={**os.environ, "PYTHONPATH": str(ROOT), **names}
        )


def address(process: Process, log: Path) -> str:
    """Where a server listens, as soon as it does."""
    for _ in patiently("the server did not start"):
        found = re.search(r"running on (http://\S+)", log.read_text("utf-8"))
        if found:
            return found.group(1)
        assert process.poll() is None, log.read_text("utf-8")
    raise AssertionError


def ask(
    url: str,
    body: object = None,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = DEADLINE,
) -> tuple[int, bytes]:
    """Status and body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    request = Request(url, data, sent, method=method)
    try:
        with urlopen(request, timeout=timeout) as response:
            return response.status, response.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def until_state(url: str, *states: str) -> dict[str, Any]:
    """The job at this URL, once it is in one of the states."""
    job: dict[str, Any] = {}
    for _ in patiently(f"not {' or '.join(states)}"):
        job = json.loads(ask(url)[1])
        if job["state"] in states:
            break
    return job


def patiently(otherwise: str, seconds: float = DEADLINE, pause: float = 0.05) -> Iterator[float]:
    """Goes round and round, with pauses, until the loop is left; an error if that takes too long."""
    begun = time.monotonic()
    while (passed := time.monotonic() - begun) < seconds:
        yield passed
        time.sleep(pause)
    raise AssertionError(f"{otherwise} within {seconds:g} s")


def descendants(process: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    children = [int(fields[0]) for fields in _processes() if fields[2] == str(process)]
    return children + [further for child in children for further in descendants(child)]


def gone(process: int) -> bool:
    """Whether a process has ended."""
    return all(fields[0] != str(process) or fields[1] == "Z" for fields in _processes())


def memory(process: int, what: str = "VmRSS") -> float:
    """Megabytes that a process takes (VmHWM: took at most); 0 if it is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    found = re.search(rf"{what}:\s+(\d+) kB", text)
    return int(found.group(1)) / 1024 if found else 0.0


def _processes() -> Iterator[tuple[str, str, str]]:
    """Number, state and parent of all processes."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = path.read_text("utf-8").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield path.parent.name, state, parent


def cpu_seconds(process: int) -> float:
    """Seconds of processor time that a process has used; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
