"""Many small audits of one owner at the same time, and another owner who wants something meanwhile."""

import itertools
import random
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cases.service import orders
from cases.service.figures import Figure
from cases.service.running import address, ask, patiently, started
from tableseal.api.settings import Settings
from tableseal.api.store.migrate import opened
from tableseal.api.store.tokens import Role, create_token


@dataclass(frozen=True)
class Plan:
    """requests: of one owner at once. seconds: for which the other asks at most. read, small: seconds in which another
    owner has a list of jobs and the audit of nine cells."""

    requests: int
    seconds: float
    read: float
    small: float


FULL = Plan(requests=60, seconds=20.0, read=0.2, small=2.0)
SHORT = Plan(requests=12, seconds=4.0, read=2.0, small=10.0)
"""The tests' machines do other things meanwhile."""

_SIZE = 11
"""Codes of each of three variables: some 36 kB, and an audit of many seconds."""

_PATIENCE = 1.0
"""Seconds for which the crowd waits (`Prefer: wait`)."""


def run(plan: Plan, folder: Path) -> list[Figure]:
    """Send the crowd's requests at once; the other reads and audits again and again until the crowd is answered."""
    log, data = folder / "log", folder / "data"
    settings = Settings(data=data)
    with opened(settings.database_url, settings.keys) as store, store.writing() as connection:
        keys = [create_token(connection, owner, Role.ANALYST) for owner in ("crowd", "other")]
    crowd, other = ({"Authorization": f"Bearer {key}"} for key in keys)
    with started("serve", "--port", "0", "--data", str(data), log=log, access="keys") as server:
        at = address(server, log)
        one, waiting = orders.release(1), {**other, "Prefer": "wait=60"}
        ask(f"{at}/v1/audits", one, headers=waiting)  # what is loaded late is loaded now
        reads: list[tuple[int, float]] = []
        audits: list[tuple[int, float]] = []
        # The crowd sends from a process of its own: what it takes to send is not to be measured.
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
            elsewhere.submit(large).result()  # it has started
            crowded_in = elsewhere.submit(crowded, at, crowd, plan.requests)
            for passed in patiently("the crowd is not answered", 600, pause=0.02):
                reads.append(_timed(lambda: ask(f"{at}/v1/jobs", headers=other, timeout=600)))
                if len(reads) % 10 == 1:
                    audits.append(_timed(lambda: ask(f"{at}/v1/audits", one, headers=waiting, timeout=600)))
                if passed > plan.seconds:
                    break
            answers = crowded_in.result()
    read, small, slowest = (max(seconds for _, seconds in found) for found in (reads, audits, answers))
    statuses = [sorted({status for status, _ in found}) for found in (reads, audits, answers)]
    return [
        Figure(f"{plan.requests} audits of one owner, `wait={_PATIENCE:g}`", f"{statuses[2]}", statuses[2] == [202]),
        Figure("slowest answer to them", f"{slowest:.1f} s", slowest < _PATIENCE + plan.small),
        Figure("median read of another owner", f"{1000 * statistics.median(seconds for _, seconds in reads):.0f} ms"),
        Figure(f"slowest of {len(reads)} reads of another owner", f"{1000 * read:.0f} ms", read < plan.read),
        Figure(f"slowest of {len(audits)} audits of 9 cells of another owner", f"{small:.2f} s", small < plan.small),
        Figure("these were answered", f"{statuses[0]}, {statuses[1]}", statuses[:2] == [[200], [200]]),
    ]


def crowded(at: str, key: Mapping[str, str], requests: int) -> list[tuple[int, float]]:
    """Status and seconds of the answers to so many audits at once."""
    answers: list[tuple[int, float]] = []
    headers, many = {**key, "Prefer": f"wait={_PATIENCE:g}"}, large()

    def send() -> None:
        answers.append(_timed(lambda: ask(f"{at}/v1/audits", many, headers=headers, timeout=600)))

    threads = [threading.Thread(target=send) for _ in range(requests)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def large() -> dict[str, Any]:
    """A table of three variables of which half of the inner cells are withheld."""
    choice, codes = random.Random(1), [str(k) for k in range(_SIZE)]
    base = {cell: choice.randint(1, 40) for cell in itertools.product(codes, repeat=3)}
    cells: dict[str, list[Any]] = {name: [] for name in ("a", "b", "c", "value")}
    for cell in itertools.product([*codes, "T"], repeat=3):
        for name, code in zip("abc", cell, strict=True):
            cells[name].append(code)
        withheld = "T" not in cell and choice.random() < 0.5
        total = sum(v for parts, v in base.items() if all(c in ("T", p) for c, p in zip(cell, parts, strict=True)))
        cells["value"].append(None if withheld else total)
    variables = {name: {"total": "T", "codes": codes} for name in "abc"}
    return {"tableseal": 1, "kind": "count", "variables": variables, "tables": [{"name": "crowd", "cells": cells}]}


def _timed(asked: Callable[[], tuple[int, bytes]]) -> tuple[int, float]:
    """Status of an answer, and the seconds that it took."""
    begun = time.monotonic()
    status, _ = asked()
    return status, time.monotonic() - begun
