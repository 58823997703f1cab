"""A large upload, and many that drip in: how much memory the server takes, and whether it answers others meanwhile."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cases.service.figures import Figure
from cases.service.running import address, ask, memory, started
from tableseal.api.http.audits import EXAMPLE

PIECE = 2**20


@dataclass(frozen=True)
class Plan:
    """megabytes: of the large upload. drips: slow uploads at once. seconds: that they may take."""

    megabytes: int
    drips: int
    seconds: float


FULL = Plan(megabytes=100, drips=200, seconds=15.0)
SHORT = Plan(megabytes=24, drips=10, seconds=1.5)

ALLOWED = 48.0
"""Megabytes that the server may take more than before, whatever comes."""


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Upload a release with a file too large for memory to matter, then let many uploads drip."""
    log = folder / "log"
    options = ("--port", "0", "--workers", "0", "--data", str(folder / "data"))
    most = str((plan.megabytes + 1) * 2**20)
    limits = {"max_body": most, "upload_seconds": str(plan.seconds), "inline_workers": "0"}
    with started("serve", *options, log=log, **limits) as server:
        at = address(server, log)
        ask(f"{at}/v1/audits", EXAMPLE)  # what is loaded late is loaded now
        before = memory(server.pid)
        begun = time.monotonic()
        status, problem = _large(at, plan.megabytes)
        seconds = time.monotonic() - begun
        after = memory(server.pid, "VmHWM")
        refused, slowest = _dripping(at, plan)
        dripped = memory(server.pid, "VmHWM")
    return [
        Figure("memory of the server before", f"{before:.0f} MB"),
        Figure(
            f"upload of {plan.megabytes} MB", f"{status} {problem} in {seconds:.1f} s".replace("  ", " "), status == 202
        ),
        Figure("most memory after it", f"{after:.0f} MB", after - before < ALLOWED),
        Figure(f"of {plan.drips} uploads that drip, refused (408)", str(refused), refused == plan.drips),
        Figure("slowest answer to others meanwhile", f"{slowest * 1000:.0f} ms"),
        Figure("most memory after them", f"{dripped:.0f} MB", dripped - before < ALLOWED),
    ]


def _large(at: str, megabytes: int) -> tuple[int, str]:
    """A form with a release and a file of so many megabytes, in pieces."""
    boundary = "tableseal-boundary"
    part = '--{}\r\nContent-Disposition: form-data; name="{}"; filename="{}"\r\n\r\n'
    head = part.format(boundary, "release", "release.json") + json.dumps(EXAMPLE) + "\r\n"
    head += part.format(boundary, "file", "large.csv")
    tail = f"\r\n--{boundary}--\r\n"
    line = b"N,small,17\n"
    piece = line * (PIECE // len(line))

    def body() -> Iterator[bytes]:
        yield head.encode()
        for _ in range(megabytes):
            yield piece
        yield tail.encode()

    length = len(head) + len(tail) + megabytes * len(piece)
    connection = http.client.HTTPConnection(urlsplit(at).netloc, timeout=300)
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(length)}
    connection.request("POST", "/v1/audits", body(), headers)
    response = connection.getresponse()
    found = json.loads(response.read())
    connection.close()
    return response.status, str(found.get("type", "")).rpartition(":")[2]


def _dripping(at: str, plan: Plan) -> tuple[int, float]:
    """Many uploads of a byte now and then: how many are refused, and the slowest answer to somebody else meanwhile."""
    netloc = urlsplit(at)
    head = f"POST /v1/audits HTTP/1.1\r\nHost: {netloc.netloc}\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 100000\r\n\r\n{"
    slowest = 0.0
    with ExitStack() as stack:
        drips = []
        for _ in range(plan.drips):
            drips.append(stack.enter_context(socket.create_connection((netloc.hostname or "", netloc.port or 0))))
            drips[-1].sendall(head.encode())
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.2):
                for connection in drips:
                    with suppress(OSError):  # refused meanwhile
                        connection.sendall(b" ")

        thread = threading.Thread(target=drip)
        thread.start()
        until = time.monotonic() + plan.seconds
        while time.monotonic() < until:
            begun = time.monotonic()
            ask(f"{at}/v1/jobs?limit=1")
            slowest = max(slowest, time.monotonic() - begun)
            time.sleep(0.05)
        refused = 0
        for connection in drips:
            connection.settimeout(60)
            with suppress(OSError):
                refused += connection.recv(64).startswith(b"HTTP/1.1 408")
        stop.set()
        thread.join()
    return refused, slowest
