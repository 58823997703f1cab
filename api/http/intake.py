"""From a request to its answer: at once, as a job, or as the job that was made of the same request before."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from tableseal.api.http.errors import ProblemError, problem_response
from tableseal.api.http.resources import at_once_response, negotiated, resource_of, result_response
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import Fields, read_upload, refuse_too_much
from tableseal.api.http.waiting import left_of, wait_of
from tableseal.api.jobs.bound import given_by_store, taken_by_store
from tableseal.api.jobs.kinds import Kind, OutdatedError, Result, all_kinds
from tableseal.api.jobs.shapes import check_shapes
from tableseal.api.options.request import groups_of
from tableseal.api.problems import Problem
from tableseal.api.store.job import Document, Job
from tableseal.api.store.jobs import Idempotency, KeyReusedError, QueueFullError, record, same_request, submit
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal

TIME = "time_limit"
"""Option of many kinds of work: seconds that a search or an audit may take."""

FULL_PAUSE = "10"
"""Seconds after which somebody may ask again of whom too many jobs wait (`Retry-After`)."""


@dataclass(frozen=True)
class Order:
    """What is wanted: a kind of work, its request as its model wrote it, and the files. title: of the release, if it
    is known already."""

    kind: str
    request: str
    files: tuple[Document, ...]
    title: str = ""

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

    wait: seconds that the client waits for the result, from when its request came; key: Idempotency-Key; accept: media
    types of the result.
    """

    http: Request
    at: Service
    asking: Principal
    wait: float
    key: str | None
    accept: str | None

    @property
    def left(self) -> float:
        """Seconds that are left of these."""
        return left_of(self.wait, self.http)


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
        named = {fields.main: upload.main, **upload.roles}
        files = {file.name: file for file in upload.files}
        wanted = kind.request.model_validate({**named, **said, **more})
        roles = {field: files[name] for field, name in named.items()}
        return await answer(ask, ordered(ask.at, kind, wanted, upload.files), roles)


def ordered(at: Service, kind: Kind, wanted: BaseModel, files: tuple[Document, ...], title: str = "") -> Order:
    """The order for a kind of work. title: of the release, if it is known already.

    Raises
    ------
    ProblemError: it asks for more time than an attempt has here.
    """
    most = at.settings.job_seconds
    for group in groups_of(kind.request):
        asked = getattr(getattr(wanted, group), TIME, None)
        if asked is not None and asked > most:
            text = f"time_limit: found {asked:g} seconds, expected at most {most:g}, the limit of this service."
            raise ProblemError(Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter=TIME))
    return Order(kind.name, wanted.model_dump_json(), files, title)


async def answer(ask: Ask, order: Order, roles: Mapping[str, Document]) -> Response:
    """The result if the client waits and it is there in time, else the job (202). roles: files by the fields of the
    request that name them.

    Raises
    ------
    InputError: one of these can be used in no way.
    ProblemError: the key came with another request before; the result cannot be had in the form that is asked for.
    """
    if ask.wait > 0:
        negotiated(order.kind, ask.accept)
    at, asking = ask.at, ask.asking
    once = None if ask.key is None else Idempotency(ask.key, await run_in_threadpool(lambda: order.fingerprint))
    try:
        job = await _existing(ask, once)
        if job is None and ask.wait > 0 and _is_small(at, order):
            done = await _at_once(at, asking, order, once, ask.left)
            if done is not None:
                return _applied(_response(done, ask.accept), ask.wait)
        if job is None:
            await at.checks.run(check_shapes, {role: file for role, file in roles.items() if _is_short(at, [file])})
            job = await submitted(at, asking, order, once)
    except KeyReusedError:
        text = "This Idempotency-Key came with another request before. Use a new key for a new request."
        problem = Problem("idempotency-key-reused", "The key was used before", 422, text, parameter="Idempotency-Key")
        raise ProblemError(problem) from None
    return _applied(await _answered(ask, job), ask.wait)


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

    return await ask.at.threads.run(look)


async def begin(at: Service, asking: Principal, order: Order) -> Job | Problem:
    """For those who look at a job rather than at its result: done at once if it is small, else under way.

    A problem is what came of a job that was done at once; nothing is kept of it.

    Raises
    ------
    ProblemError: as `submitted`.
    """
    if _is_small(at, order):
        done = await _at_once(at, asking, order, None, at.settings.inline_seconds)
        if done is not None:
            return done if isinstance(done, Problem) else done[0]
    return await submitted(at, asking, order)


def _is_small(at: Service, order: Order) -> bool:
    return _is_short(at, order.files) and all_kinds()[order.kind].inline


def _is_short(at: Service, files: Iterable[Document]) -> bool:
    return sum(file.size for file in files) <= at.settings.inline_bytes


async def _at_once(
    at: Service, asking: Principal, order: Order, once: Idempotency | None, left: float
) -> tuple[Job, Result] | Problem | None:
    """The result or the problem; None if it is to be a job after all. left: seconds that somebody waits for it."""
    begun = time.monotonic()
    files: Mapping[str, bytes] = {file.name: file.read() for file in order.files}  # few bytes: not worth a thread
    if all_kinds()[order.kind].ledger is not None:
        beside = await at.threads.run(_beside, at, asking, order)
        if sum(map(len, beside.values())) > at.settings.inline_bytes:
            return None
        files = {**files, **beside}
    found = await at.inline.answer(
        asking.owner,
        order.kind,
        order.request,
        files,
        wait=at.settings.inline_wait,
        seconds=min(at.settings.inline_seconds, left),
    )
    at.metrics.inline.labels(type(found).__name__.lower() if found else "job").inc()
    if found is None or isinstance(found, Problem):
        return found
    seconds = time.monotonic() - begun
    try:
        return await at.threads.run(_kept, at, asking, order, once, found, seconds), found
    except OutdatedError:
        return None


def _beside(at: Service, asking: Principal, order: Order) -> Mapping[str, bytes]:
    """What the database gives besides the files of an order."""
    with at.store.reading() as connection:
        given = given_by_store(connection, asking.owner, order.kind, order.request)
        return {document.name: document.read() for document in given}


def _kept(
    at: Service, asking: Principal, order: Order, once: Idempotency | None, result: Result, seconds: float
) -> Job:
    """The finished job of a result that was had at once."""
    owner = asking.owner

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
            title=kept.title,
            who=asking.who,
        )
        note(connection, asking, f"{order.kind}.done", job.id, kept.outcome or "done")
        return job

    return _written(at, keep)


def _response(done: tuple[Job, Result] | Problem, accept: str | None) -> Response:
    if isinstance(done, Problem):
        return problem_response(done)
    job, result = done
    return at_once_response(job, result.documents[0].read(), accept)


async def submitted(at: Service, asking: Principal, order: Order, once: Idempotency | None = None) -> Job:
    """A job that is under way.

    Raises
    ------
    InputError: no files could make the request good. KeyReusedError: see there. ProblemError: too many jobs of the
        owner wait.
    """
    owner, most, small = asking.owner, at.settings.owner_queued, _is_small(at, order)
    await at.checks.run(_refuse_unusable, order)

    def keep(connection: Connection) -> Job:
        job = submit(
            connection,
            owner,
            order.kind,
            order.request,
            order.files,
            once=once,
            small=small,
            most=most,
            title=order.title,
            who=asking.who,
        )
        note(connection, asking, f"{order.kind}.submit", job.id)
        return job

    try:
        return await at.threads.run(_written, at, keep)
    except QueueFullError as error:
        text = f"{error.most:,} jobs of yours wait already, the limit of this service. Ask again when some have ended."
        raise ProblemError(
            Problem("queue-full", "Too many jobs wait", 429, text), {"Retry-After": FULL_PAUSE}
        ) from None


def _refuse_unusable(order: Order) -> None:
    kind = all_kinds()[order.kind]
    kind.check(kind.request.model_validate_json(order.request))


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
    done = await ask.at.watch.final(job, ask.left)
    if done is not None and ask.wait > 0:
        return await run_in_threadpool(result_response, ask.at, done, ask.accept, here=False)
    headers = {"Location": f"/v1/jobs/{job.id}", "Retry-After": "1"}
    content = await run_in_threadpool(lambda: resource_of(ask.at, done or job).model_dump_json())
    return Response(content, 202, headers, "application/json")
