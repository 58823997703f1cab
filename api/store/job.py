"""A job as the rest of the service sees it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import RowMapping

from tableseal.api.store.sealing import JobKey

CHUNK = 2**20
"""Bytes of a piece of a file."""

TITLE = 300
"""Signs of a title that are kept."""


class State(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    """Waits for a worker, or for its next attempt."""
    RUNNING = "running"
    """A worker holds its lease (or held it and is silent: it will be given to another)."""
    SUCCEEDED = "succeeded"
    """There is a result; whether the release is safe is the outcome."""
    FAILED = "failed"
    """There is a problem document and no result."""
    CANCELLED = "cancelled"
    """Somebody asked for it to end before it was done."""

    @property
    def final(self) -> bool:
        """Nothing changes any more."""
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(frozen=True)
class Job:
    """One piece of work.

    request: what the kind's request model wrote. created, due, started, finished: seconds since 1970.
    attempts: times it was begun. small: workers that only do small jobs may take it. progress: (stage, steps done,
    steps in all; 0: unknown). outcome: of a job that succeeded, such as the verdict. problem: of one that failed.
    title: of the release that it is about; empty if it has none, nobody has read it yet, its key is lost, or a worker
    looks. who: asked for it, as the log says it.
    """

    id: str
    owner: str
    kind: str
    request: str
    state: State
    created: float
    due: float
    started: float | None
    finished: float | None
    attempts: int
    cancel: bool
    small: bool
    progress: tuple[str, int, int] | None
    outcome: str | None
    problem: Mapping[str, Any] | None
    title: str
    who: str


@dataclass(frozen=True)
class Lease:
    """The right to finish an attempt; it ends when another attempt begins."""

    job: Job
    token: str


@dataclass(frozen=True)
class Document:
    """A file of a request or of a result: its content, or where it lies."""

    name: str
    media_type: str
    content: bytes | Path

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    def read(self) -> bytes:
        """All of it."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()

    def pieces(self) -> Iterator[bytes]:
        """All of it, in pieces of `CHUNK` bytes."""
        if isinstance(self.content, bytes):
            for first in range(0, len(self.content), CHUNK):
                yield self.content[first : first + CHUNK]
            return
        with open(self.content, "rb") as file:
            while piece := file.read(CHUNK):
                yield piece


@dataclass(frozen=True)
class StoredFile:
    """A file that is kept. size: bytes, not encrypted. position: among the files of its role."""

    id: str
    job: str
    name: str
    media_type: str
    size: int
    position: int
    key: JobKey


@dataclass(frozen=True)
class Event:
    """Something that happened to a job; numbers grow."""

    id: int
    at: float
    name: str
    data: Mapping[str, Any]


def titled(title: str) -> str:
    """A title as it is kept: on one line, and shortened."""
    line = " ".join(title.split())
    return line if len(line) <= TITLE else f"{line[: TITLE - 1]}…"


def job_of(row: Mapping[str, Any] | RowMapping, title: str = "", problem: Mapping[str, Any] | None = None) -> Job:
    """The job in a row of the table `jobs`; its title and its problem stand there encrypted."""
    return Job(
        id=row["id"],
        owner=row["owner"],
        kind=row["kind"],
        request=row["request"],
        state=State(row["state"]),
        created=row["created"],
        due=row["due"],
        started=row["started"],
        finished=row["finished"],
        attempts=row["attempts"],
        cancel=row["cancel"],
        small=row["small"],
        progress=None if row["stage"] is None else (row["stage"], row["done"], row["total"]),
        outcome=row["outcome"],
        problem=problem,
        title=title,
        who=row["who"] or "",
    )
