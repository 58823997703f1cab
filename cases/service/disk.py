"""No room is left on the disk of the service; then there is some again."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cases.service import orders
from cases.service.figures import Figure, SkippedError
from cases.service.running import address, ask, patiently, started


@dataclass(frozen=True)
class Plan:
    """megabytes: size of the disk. more: requests that are sent after the first that finds no room."""

    megabytes: int
    more: int


FULL = Plan(megabytes=64, more=50)
SHORT = Plan(megabytes=8, more=2)

_ROOM = 256 * 1024
"""Bytes that are left free: less than a result and the notes about it take."""


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Fill the disk beside the database, ask until there is no room, make room, ask again.

    Raises
    ------
    SkippedError: this user may not mount a file system.
    """
    log = folder / "log"
    with small_disk(folder / "disk", plan.megabytes) as disk:
        options = ("--port", "0", "--workers", "1", "--data", str(disk))
        with started("serve", *options, log=log, **orders.QUICK) as server:
            at = address(server, log)
            before = [(1, orders.submit(at, 1))]
            for _ in patiently("the first job is not finished"):
                if sum(orders.open_jobs(at)) == 0:
                    break
            _fill(disk / "ballast")
            wait = {"Prefer": "wait=30"}
            answers = []
            for _ in patiently("the disk is never full"):
                answers.append(ask(f"{at}/v1/audits", orders.release(1), headers=wait))
                if answers[-1][0] != 200:
                    break
            answers += [ask(f"{at}/v1/audits", orders.release(1), headers=wait) for _ in range(plan.more)]
            refused = [json.loads(body) for status, body in answers if status != 200]
            statuses = sorted({int(problem["status"]) for problem in refused})
            alive = ask(f"{at}/healthz")[0], ask(at + before[0][1])[0]
            (disk / "ballast").unlink()
            after = [(2, orders.submit(at, 2))]
            for _ in patiently("no job is finished after there is room again"):
                if sum(orders.open_jobs(at)) == 0:
                    break
            figures = orders.checked(at, before + after, folder)
    kinds = ", ".join(sorted({problem["type"].rpartition(":")[2] for problem in refused}))
    return [
        Figure("refused for want of room", f"{len(refused)}, {statuses} {kinds}", statuses == [507]),
        Figure("/healthz and a job meanwhile", str(alive), alive == (200, 200)),
        *figures,
    ]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system in memory, of so many megabytes.

    Raises
    ------
    SkippedError: this user may not mount one.
    """
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(command, capture_output=True).returncode:
        raise SkippedError("mounting a small file system needs the rights of root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(ballast: Path) -> None:
    """Leave next to no room."""
    free = os.statvfs(ballast.parent)
    left = free.f_bavail * free.f_frsize - _ROOM
    with suppress(OSError), open(ballast, "wb") as file:
        file.write(bytes(max(0, left)))
