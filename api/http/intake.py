"""From a request to its answer: at once, as a job, or as the job that was made of the same request before."""

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from tableseal.api.http.errors import ProblemError, problem_response
from tableseal.api.http.resources import at_once_response, job_resource, negotiated, result_response
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import Fields, read_upload, refuse_too_much
from tableseal.api.jobs.bound import given_by_store, taken_by_store
from tableseal.api.jobs.kinds import Kind, OutdatedError, Result, all_kinds
from tableseal.api.problems import Problem
from tableseal.api.store.job import Document, Job
from tableseal.api.store.jobs import Idempotency, KeyReusedError, job_by_id, record, same_request, submit
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal

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
        for text in (self.kind, self.request, *(file.name for file in self.files)):
            digest.update(len(text.encode()).to_bytes(8, "big") + text.encode())
        for file in self.files:
            digest.update(file.size.to_bytes(8, "big"))
            for piece in file.pieces():
                digest.update(piece)
        return digest.hexdigest()


@dataclass(frozen=True)
class Ask:
    """A request for work: who asks where, and how the answer is to come.

    wait: seconds that the client waits for the result; key: Idempotency-Key; accept: media types of the result.
    """

    http: Request
    at: Service
    asking: Principal
    wait: float
    key: str | None
    accept: str | None


async def _ask(
    request: Request,
    at: ServiceDep,
    asking: Analyst,
    prefer: Annotated[
        str | None, Header(description="`wait=N`: answer with the result if it is there within N seconds.")
    ] = None,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="A key of your choice: the same request with it is never worked on twice.",
            min_length=1,
            max_length=255,
        ),
    ] = None,
    accept: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> Ask:
    return Ask(request, at, asking, wait_of(prefer, at.settings.max_wait), idempotency_key, accept)


Asked = Annotated[Ask, Depends(_ask)]


async def taken(ask: Ask, kind: Kind, fields: Fields, said: Mapping[str, Any], **more: str) -> Response:
    """The answer to what comes with a request for work. said: what its options say; more: what else its model needs.

    Raises
    ------
    ProblemError: what comes cannot be used; as `answer`.
    """
    with Spool(ask.at.settings.working_folder) as spool:
        upload = await read_upload(ask.http, ask.at.settings, spool, fields)
        if fields.packed:
            packed = next(file.content for file in upload.files if file.name == upload.main)
            await run_in_threadpool(refuse_too_much, packed, ask.at.settings)
        wanted = kind.request.model_validate({fields.main: upload.main, **upload.roles, **said, **more})
        return await answer(ask, Order(kind.name, wanted.model_dump_json(), upload.files))


async def answer(ask: Ask, order: Order) -> Response:
    """The result if the client waits and it is there in time, else the job (202).

    Raises
    ------
    ProblemError: the key came with another request before; the result cannot be had in the form that is asked for.
    """
    if ask.wait > 0:
        negotiated(order.kind, ask.accept)
    once = None if ask.key is None else Idempotency(ask.key, await run_in_threadpool(lambda: order.fingerprint))
    try:
        job = await _existing(ask, once)
        if job is None and ask.wait > 0 and _is_small(ask.at, order):
            done = await run_in_threadpool(_at_once, ask.at, ask.asking, order, once)
            if done is not None:
                return _applied(_response(done, ask.accept), ask.wait)
        if job is None:
            job = await run_in_threadpool(submitted, ask.at, ask.asking, order, once)
    except KeyReusedError:
        text = "This Idempotency-Key came with another request before. Use a new key for a new request."
        problem = Problem("idempotency-key-reused", "The key was used before", 422, text, parameter="Idempotency-Key")
        raise ProblemError(problem) from None
    return _applied(await _answered(ask, job), ask.wait)


async def finished(at: Service, job: Job, wait: float) -> Job:
    """The job as soon as it is final, or as it is after so many seconds."""
    until = time.monotonic() + wait
    while not job.state.final and time.monotonic() < until:
        await asyncio.sleep(POLL)
        job = await run_in_threadpool(_again, at, job)
    return job


def wait_of(prefer: str | None, most: float) -> float:
    """Seconds that a header `Prefer` asks to wait for; 0 if it does not."""
    found = _WAIT.search(prefer or "")
    return min(float(found.group(1)), most) if found else 0.0


def _applied(response: Response, wait: float) -> Response:
    """RFC 7240: say which preference was honoured."""
    if wait > 0:
        response.headers["Preference-Applied"] = f"wait={wait:g}"
    return response


async def _existing(ask: Ask, once: Idempotency | None) -> Job | None:
    if once is None:
        return None

    def look() -> Job | None:
        with ask.at.store.reading() as connection:
            return same_request(connection, ask.asking.owner, once)

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
    small = sum(file.size for file in order.files) <= at.settings.inline_bytes
    return small and all_kinds()[order.kind].inline


def _at_once(
    at: Service, asking: Principal, order: Order, once: Idempotency | None
) -> tuple[Job, Result] | Problem | None:
    """The result or the problem; None if it is to be a job after all."""
    begun = time.monotonic()
    beside: tuple[Document, ...] = ()
    if all_kinds()[order.kind].ledger is not None:
        with at.store.reading() as connection:
            beside = tuple(given_by_store(connection, asking.owner, order.kind, order.request))
    if sum(file.size for file in beside) > at.settings.inline_bytes:
        return None
    files = {file.name: file.read() for file in (*order.files, *beside)}
    found = at.inline.answer(order.kind, order.request, files)
    at.metrics.inline.labels(type(found).__name__.lower() if found else "job").inc()
    if found is None or isinstance(found, Problem):
        return found
    result, seconds, owner = found, time.monotonic() - begun, asking.owner

    def keep(connection: Connection) -> Job:
        before = None if once is None else same_request(connection, owner, once)
        if before is not None:  # what else it did is done
            return before
        kept = taken_by_store(connection, owner, order.kind, order.request, result)
        job = record(
            connection,
            owner,
            order.kind,
            order.request,
            kept.documents,
            outcome=kept.outcome,
            seconds=seconds,
            once=once,
        )
        note(connection, asking, f"{order.kind}.done", job.id, kept.outcome or "done")
        return job

    try:
        return _written(at, keep), result
    except OutdatedError:
        return None


def _response(done: tuple[Job, Result] | Problem, accept: str | None) -> Response:
    if isinstance(done, Problem):
        return problem_response(done)
    job, result = done
    return at_once_response(job, result.documents[0].read(), accept)


def submitted(at: Service, asking: Principal, order: Order, once: Idempotency | None) -> Job:
    """A job that is under way."""
    owner = asking.owner

    def keep(connection: Connection) -> Job:
        job = submit(connection, owner, order.kind, order.request, order.files, once=once)
        note(connection, asking, f"{order.kind}.submit", job.id)
        return job

    return _written(at, keep)


def _written(at: Service, keep: Callable[[Connection], Job]) -> Job:
    """What a transaction gives."""

    def write() -> Job:
        with at.store.writing() as connection:
            return keep(connection)

    try:
        return write()
    except IntegrityError:  # the same key at the same moment: the other one is there now
        return write()


async def _answered(ask: Ask, job: Job) -> Response:
    job = await finished(ask.at, job, ask.wait)
    if job.state.final and ask.wait > 0:
        return await run_in_threadpool(result_response, ask.at, job, ask.accept)
    headers = {"Location": f"/v1/jobs/{job.id}", "Retry-After": "1"}
    return Response(job_resource(job).model_dump_json(), 202, headers, "application/json")


def _again(at: Service, job: Job) -> Job:
    with at.store.reading() as connection:
        return job_by_id(connection, job.owner, job.id) or job
