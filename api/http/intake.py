"""From a request to its answer: at once, as a job, or as the job that was made of the same request before."""

import asyncio
import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import IntegrityError

from api.http.errors import ProblemError, problem_response
from api.http.resources import SAFETY, job_resource, result_response
from api.http.service import Service
from api.jobs.kinds import Result
from api.problems import Problem
from api.store.job import Document, Job
from api.store.jobs import Idempotency, KeyReusedError, job_by_id, record, same_request, submit
from api.store.log import note
from api.store.tokens import Principal

POLL = 0.05
"""Seconds between two looks at a job that somebody waits for."""

_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})\"?(?=$|[,;\s])", re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """What is wanted: a kind of work, its request as its model wrote it, and the files."""

    kind: str
    request: str
    files: tuple[Document, ...]

    @property
    def fingerprint(self) -> str:
        """Digest of all of it."""
        digest = hashlib.sha256()
        parts: Sequence[bytes | str] = [self.kind, self.request, *(p for f in self.files for p in (f.name, _bytes(f)))]
        for part in parts:
            content = part.encode() if isinstance(part, str) else part
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()


async def answer(at: Service, asking: Principal, order: Order, prefer: str | None, key: str | None) -> Response:
    """The result if the client waits and it is there in time, else the job (202).

    Parameters
    ----------
    prefer: the header `Prefer`; `wait=N` asks for the result within N seconds. key: the header `Idempotency-Key`.
    """
    wait = _wait(prefer, at.settings.max_wait)
    once = None if key is None else Idempotency(_checked(key), order.fingerprint)
    try:
        job = await _existing(at, asking, once)
        if job is None and wait > 0 and _is_small(at, order):
            done = await run_in_threadpool(_at_once, at, asking, order, once)
            if done is not None:
                return _response(done)
        if job is None:
            job = await run_in_threadpool(submitted, at, asking, order, once)
    except KeyReusedError:
        text = "This Idempotency-Key came with another request before. Use a new key for a new request."
        problem = Problem("idempotency-key-reused", "The key was used before", 422, text, parameter="Idempotency-Key")
        raise ProblemError(problem) from None
    return await _answered(at, job, wait)


async def _existing(at: Service, asking: Principal, once: Idempotency | None) -> Job | None:
    if once is None:
        return None

    def look() -> Job | None:
        with at.store.reading() as connection:
            return same_request(connection, asking.owner, once)

    return await run_in_threadpool(look)


async def begin(at: Service, asking: Principal, order: Order) -> Job | Problem:
    """For those who look at a job rather than at its result: done at once if it is small, else under way.

    A problem is what came of a job that was done at once; nothing is kept of it.
    """
    if _is_small(at, order):
        done = await run_in_threadpool(_at_once, at, asking, order, None)
        if done is not None:
            return done if isinstance(done, Problem) else done[0]
    return await run_in_threadpool(submitted, at, asking, order, None)


def _is_small(at: Service, order: Order) -> bool:
    return sum(len(_bytes(file)) for file in order.files) <= at.settings.inline_bytes


def _at_once(
    at: Service, asking: Principal, order: Order, once: Idempotency | None
) -> tuple[Job, Result] | Problem | None:
    """The result or the problem; None if it is to be a job after all."""
    begun = time.monotonic()
    found = at.inline.answer(order.kind, order.request, {file.name: _bytes(file) for file in order.files})
    at.metrics.inline.labels(type(found).__name__.lower() if found else "job").inc()
    if found is None or isinstance(found, Problem):
        return found
    return _recorded(at, asking, order, found, time.monotonic() - begun, once), found


def _response(done: tuple[Job, Result] | Problem) -> Response:
    if isinstance(done, Problem):
        return problem_response(done)
    job, result = done
    first = result.documents[0]
    headers = {**SAFETY, "Link": f'</v1/jobs/{job.id}>; rel="describedby"'}
    return Response(_bytes(first), 200, headers, first.media_type)


def _recorded(
    at: Service, asking: Principal, order: Order, result: Result, seconds: float, once: Idempotency | None
) -> Job:
    def write() -> Job:
        with at.store.writing() as connection:
            job = record(
                connection,
                asking.owner,
                order.kind,
                order.request,
                result.documents,
                outcome=result.outcome,
                seconds=seconds,
                once=once,
            )
            note(connection, asking.owner, f"{order.kind}.done", job.id)
            return job

    try:
        return write()
    except IntegrityError:  # the same key at the same moment: the other one is there now
        return write()


def submitted(at: Service, asking: Principal, order: Order, once: Idempotency | None) -> Job:
    """A job that is under way."""

    def write() -> Job:
        with at.store.writing() as connection:
            job = submit(connection, asking.owner, order.kind, order.request, order.files, once=once)
            note(connection, asking.owner, f"{order.kind}.submit", job.id)
            return job

    try:
        return write()
    except IntegrityError:  # the same key at the same moment: the other one is there now
        return write()


async def _answered(at: Service, job: Job, wait: float) -> Response:
    until = time.monotonic() + wait
    while not job.state.final and time.monotonic() < until:
        await asyncio.sleep(POLL)
        job = await run_in_threadpool(_again, at, job)
    if job.state.final and wait > 0:
        return await run_in_threadpool(result_response, at, job)
    headers = {"Location": f"/v1/jobs/{job.id}", "Retry-After": "1"}
    return Response(job_resource(job).model_dump_json(), 202, headers, "application/json")


def _again(at: Service, job: Job) -> Job:
    with at.store.reading() as connection:
        return job_by_id(connection, job.owner, job.id) or job


def _wait(prefer: str | None, most: float) -> float:
    found = _WAIT.search(prefer or "")
    return min(float(found.group(1)), most) if found else 0.0


def _checked(key: str) -> str:
    if not 1 <= len(key) <= 255 or not key.isprintable():
        text = "Idempotency-Key: expected 1 to 255 printable signs."
        problem = Problem("invalid-parameter", "A header cannot be used", 422, text, parameter="Idempotency-Key")
        raise ProblemError(problem)
    return key


def _bytes(file: Document) -> bytes:
    return file.content if isinstance(file.content, bytes) else file.content.read_bytes()
