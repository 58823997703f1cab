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
COMMAND = [sys.executable, "-c", "from api.cli import main; main()"]
DEADLINE = 120.0


@contextmanager
def started(*arguments: str, log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A tableseal command in the background; killed at the end if it is still there."""
    names = {f"TABLESEAL_{name.upper()}": value for name, value in environment.items()}
    with open(log, "wb") as target:
        process = subprocess.Popen(
            [*COMMAND, *arguments], stderr=target, stdout=target, env={**os.environ, "PYTHONPATH": str(ROOT), **names}
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where a server listens, as soon as it does."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        text = log.read_text("utf-8")
        found = re.search(r"running on (http://\S+)", text)
        if found:
            return found.group(1)
        assert process.poll() is None, text
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text('utf-8')}")


def ask(
    url: str, body: object = None, *, method: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Status and body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    request = Request(url, data, sent, method=method)
    try:
        with urlopen(request, timeout=DEADLINE) as response:
            return response.status, response.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def until_state(url: str, *states: str) -> dict[str, Any]:
    """The job at this URL, once it is in one of the states."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        job: dict[str, Any] = json.loads(ask(url)[1])
        if job["state"] in states:
            return job
        time.sleep(0.05)
    raise AssertionError(f"still {job['state']}: {job}")
