"""What is said to the service and what follows from its answers, without any network: both clients speak so.

A conversation is a generator: it yields requests and pauses, is sent the answers, and returns what came of it.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from tableseal.api.client.model import Failure, Job, Json, ServiceError, UnreachableError

T = TypeVar("T")

Release = Mapping[str, Any] | Path
"""A release document, or its file: JSON, YAML, bare CSV, or a zip archive with all that belongs to it."""

Progress = Callable[[Job], None]

_TYPES = {
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".csv": "text/csv",
    ".zip": "application/zip",
}

AGAIN = (429, 502, 503, 504)
"""Answers after which the same request is worth another try."""

TRIES = 6
LONGEST = 30.0
"""Seconds between two tries, at most."""


@dataclass(frozen=True)
class Call:
    """One request. It may be sent twice without harm: what asks for work carries an Idempotency-Key."""

    method: str
    path: str
    params: Mapping[str, str | list[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    files: Sequence[tuple[str, tuple[str, bytes]]] = ()


@dataclass(frozen=True)
class Answer:
    """What came back; status 0: nothing did."""

    status: int
    headers: Mapping[str, str]
    content: bytes


NOTHING = Answer(0, {}, b"")
"""The service cannot be reached, or the connection broke."""


@dataclass(frozen=True)
class Pause:
    """Time to let pass."""

    seconds: float


Talk = Generator[Call | Pause, Answer | None, T]


def asked(call: Call) -> Talk[Answer]:
    """Send a request until it is answered.

    Raises
    ------
    ServiceError: the service refuses. UnreachableError: it does not answer.
    """
    pause, answer = 0.5, NOTHING
    for attempt in range(1, TRIES + 1):
        answer = (yield call) or NOTHING
        if answer.status not in (0, *AGAIN) or attempt == TRIES:
            break
        said = answer.headers.get("retry-after", "")
        yield Pause(min(float(said) if said.isdigit() else pause, LONGEST))
        pause *= 2
    if answer.status == 0:
        raise UnreachableError(f"The service did not answer {call.method} {call.path} in {TRIES} tries.")
    if answer.status >= 400:
        raise ServiceError(Failure.of(document(answer), answer.status))
    return answer


def submitted(
    kind: str,
    main: tuple[str, Release],
    others: Sequence[tuple[str, str, Path]],
    options: Mapping[str, object],
    key: str | None,
) -> Talk[Job]:
    """Ask for work.

    Parameters
    ----------
    kind: last part of the path, such as `audits`. main: form field and what is sent as it. others: form field, name and
    place of further files. options: query parameters. key: Idempotency-Key; none: one of its own.
    """
    headers = {"Idempotency-Key": key or str(uuid4())}
    params = {name: word(value) for name, value in options.items() if value is not None}
    role, release = main
    name, media_type, content = _named(release)
    if others:
        files = [(role, (name, content)), *((field_, (as_, path.read_bytes())) for field_, as_, path in others)]
        call = Call("POST", f"/v1/{kind}", params, headers, None, files)
    else:
        call = Call("POST", f"/v1/{kind}", params, headers | {"Content-Type": media_type}, content)
    answer = yield from asked(call)
    return Job.of(document(answer))


def arguments(call: Call) -> dict[str, Any]:
    """The same for httpx2, besides method and path."""
    found: dict[str, Any] = {"params": dict(call.params), "headers": dict(call.headers)}
    if call.files:
        return found | {"files": list(call.files)}
    return found if call.content is None else found | {"content": call.content}


def _named(release: Release) -> tuple[str, str, bytes]:
    """Name, media type and content."""
    if isinstance(release, Path):
        media_type = _TYPES.get(release.suffix.lower())
        if media_type is None:
            raise ValueError(f"{release.name}: expected a file that ends in {', '.join(_TYPES)}")
        return release.name, media_type, release.read_bytes()
    return "release.json", "application/json", json.dumps(release).encode()


def document(answer: Answer) -> Json:
    """The JSON object that came back; empty if none did."""
    try:
        found = json.loads(answer.content)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def word(value: object) -> str | list[str]:
    """A value as a query parameter."""
    if isinstance(value, list | tuple):
        return [str(entry) for entry in value]
    return str(value).lower() if isinstance(value, bool) else str(value)
