"""Small audits that are answered at once: how many a second, and how long one takes."""

import http.client
import json
import os
import statistics
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cases.service import orders
from cases.service.figures import Figure
from cases.service.running import Process, address, cpu_seconds, descendants, started


@dataclass(frozen=True)
class Plan:
    """seconds: of asking. clients: that ask at the same time, each on one connection. processes: that answer."""

    seconds: float
    clients: int
    processes: int


FULL = Plan(seconds=60.0, clients=4, processes=2)
SHORT = Plan(seconds=2.0, clients=2, processes=1)


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Ask for audits of the example of the documentation (9 cells) with `Prefer: wait`, one after another."""
    log = folder / "log"
    options = ("--port", "0", "--workers", "0", "--data", str(folder / "data"))
    settings = {"inline_workers": str(plan.processes), "inline_seconds": "60"}
    expected = orders.report_of_the_command(orders.release(1), folder)
    with started("serve", *options, log=log, **settings) as server:
        at = address(server, log)
        _asked(at, 0.5, plan.clients, expected)  # processes start
        cpu = _cpu(server)
        begun = time.monotonic()
        times, wrong = _asked(at, plan.seconds, plan.clients, expected)
        seconds = time.monotonic() - begun
        spent = [after - before for before, after in zip(cpu, _cpu(server), strict=True)]
    count = len(times)
    cuts = statistics.quantiles(times, n=100) if count > 1 else times * 99
    each = [1000 * used / max(1, count) for used in spent]
    return [
        Figure("audits of 9 cells a second", f"{count / seconds:.1f}"),
        Figure("answers equal to the report of the command", f"{count} of {count + wrong}", wrong == 0 < count),
        Figure("p50, p99 of an answer", f"{1000 * cuts[49]:.0f} ms, {1000 * cuts[98]:.0f} ms"),
        Figure("processor time of an audit", f"{each[0]:.1f} ms server, {each[1]:.1f} ms processes that audit"),
        Figure("so at most, on this many cores", f"{1000 * (os.cpu_count() or 1) / sum(each):.0f} a second"),
    ]


def _cpu(server: Process) -> tuple[float, float]:
    """Seconds of processor time: of the server, and of all that it has started."""
    return cpu_seconds(server.pid), sum(cpu_seconds(process) for process in descendants(server.pid))


def _asked(at: str, seconds: float, clients: int, expected: bytes) -> tuple[list[float], int]:
    """How long each answer took, and how many were not as expected."""
    times: list[float] = []
    wrong: list[int] = []
    body = json.dumps(orders.release(1)).encode()
    headers = {"Content-Type": "application/json", "Prefer": "wait=60"}
    until = time.monotonic() + seconds

    def client() -> None:
        connection = http.client.HTTPConnection(urlsplit(at).netloc, timeout=120)
        while (begun := time.monotonic()) < until:
            connection.request("POST", "/v1/audits", body, headers)
            response = connection.getresponse()
            if response.read() == expected:
                times.append(time.monotonic() - begun)
            else:
                wrong.append(response.status)
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, len(wrong)
