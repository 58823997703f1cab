"""What the service says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True)
class Failure:
    """A problem document (RFC 9457).

    type: its last word, such as `additivity`. pointer: place in the release (JSON pointer); parameter: of the request.
    """

    type: str
    title: str
    status: int
    detail: str
    pointer: str | None
    parameter: str | None

    @staticmethod
    def of(document: Mapping[str, Any], status: int) -> "Failure":
        """From a problem document, or from whatever else came with this status."""
        return Failure(
            type=str(document.get("type", "unknown")).rpartition(":")[2],
            title=str(document.get("title", "Failed")),
            status=int(document.get("status", status)),
            detail=str(document.get("detail", "")),
            pointer=document.get("pointer"),
            parameter=document.get("parameter"),
        )


class ServiceError(Exception):
    """The service says that something cannot be done, and why (`failure`)."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.title}: {failure.detail}" if failure.detail else failure.title)
        self.failure = failure


class UnreachableError(Exception):
    """The service did not answer, however often it was asked."""


@dataclass(frozen=True)
class Job:
    """A piece of work.

    state: queued, running, succeeded, failed or cancelled. place: in the queue, of a job that waits. outcome: of one
    that succeeded, such as the verdict of an audit. progress: (stage, steps done, steps in all; 0: unknown). failure:
    of a job that failed.
    """

    id: str
    kind: str
    state: str
    outcome: str | None
    attempts: int
    progress: tuple[str, int, int] | None
    failure: Failure | None
    place: int | None = None

    @property
    def final(self) -> bool:
        """Nothing changes any more."""
        return self.state not in ("queued", "running")

    @staticmethod
    def of(document: Mapping[str, Any]) -> "Job":
        """From the service's words."""
        step, problem = document.get("progress"), document.get("problem")
        return Job(
            id=document["id"],
            kind=document["kind"],
            state=document["state"],
            outcome=document.get("outcome"),
            attempts=document["attempts"],
            progress=None if step is None else (step["stage"], step["done"], step["total"]),
            failure=None if problem is None else Failure.of(problem, 500),
            place=document.get("place"),
        )
