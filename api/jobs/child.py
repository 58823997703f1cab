"""The process in which one attempt at a job runs: limited, stoppable, and gone when its worker is."""

import os
import signal
import threading
import time
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tableseal.api.jobs.attempt import Limits, attempt
from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.logs import trace_of
from tableseal.api.problems import UNEXPECTED, Problem

PAUSE = 0.25
"""Seconds between two messages on the progress of a stage."""

STAND_BACK = 10
"""Niceness of processes that work on jobs: the server that answers everybody, and small work on which somebody waits,
get the processor before them."""


@dataclass(frozen=True)
class Step:
    """A message from the child: how far the work is."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class Kept:
    """A message from the child: what is the answer if no other one comes."""

    result: Result


@dataclass(frozen=True)
class Fault:
    """A message from the child: where in the program something went wrong that is not the user's, without values."""

    trace: str


Message = Step | Kept | Fault | Result | Problem


class Child:
    """A running attempt. Ask `poll` again and again; use as a context manager, which ends it."""

    def __init__(self, kind: str, request: str, folder: Path, limits: Limits, lasting: Path | None = None) -> None:
        context = forkserver()
        self._messages, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_main, args=(theirs, kind, request, folder, limits, lasting))
        self._process.start()
        theirs.close()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._messages.close()

    def poll(self, seconds: float) -> Message | None:
        """The next message, None if there is none within so many seconds.

        Raises
        ------
        EOFError: the process ended without an answer.
        """
        if not self._messages.poll(seconds):
            return None
        message: Message = self._messages.recv()
        return message


def forkserver() -> ForkServerContext:
    """Children are copies of a process that has loaded the engines and done nothing else: started in milliseconds."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tableseal.api.jobs.preload"])
    return context


def leave_with_parent() -> None:
    """From now on this process ends when the one that asked for it does, however that ends."""
    # Ctrl-C goes to the whole group of processes; the parent decides what becomes of us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


def _main(messages: Connection, kind: str, request: str, folder: Path, limits: Limits, lasting: Path | None) -> None:
    leave_with_parent()
    if hasattr(os, "nice"):  # not on Windows
        os.nice(STAND_BACK)
    last, at = -PAUSE, ""

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal last, at
        now = time.monotonic()
        if stage != at or now - last >= PAUSE:  # a stage that begins may be long
            last, at = now, stage
            messages.send(Step(stage, done, total))

    def keep(result: Result) -> None:
        messages.send(Kept(_on_disk(result, folder, "kept")))

    try:
        answer = attempt(all_kinds()[kind], request, folder, limits, progress, keep, lasting)
        if isinstance(answer, Result):
            answer = _on_disk(answer, folder, "result")
    except OSError:
        os._exit(1)  # such as a full disk: it may pass, so this is no answer
    except Exception as error:
        messages.send(Fault(trace_of(error)))
        answer = replace(UNEXPECTED, detail=f"{UNEXPECTED.detail} ({type(error).__name__})")
    messages.send(answer)


def _on_disk(result: Result, folder: Path, name: str) -> Result:
    """The same with its files in the folder, under names that begin so: the worker takes them from there piece by
    piece."""
    documents = []
    for number, document in enumerate(result.documents):
        if isinstance(document.content, bytes):
            path = folder / f".{name}-{number}"
            path.write_bytes(document.content)
            document = replace(document, content=path)
        documents.append(document)
    return replace(result, documents=tuple(documents))
