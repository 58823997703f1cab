"""/v1/jobs: how far a job is, what came out of it, and how to end or erase it."""

import asyncio
import time
from collections.abc import AsyncIterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from tableseal.api.http.described import READING, gives, problems, results
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.renderings import FORMATS
from tableseal.api.http.resources import (
    JobResource,
    document_response,
    job_resource,
    member_response,
    note_read,
    own_job,
    places_of,
    resource_of,
    result_response,
)
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep, principal_of_request
from tableseal.api.http.uploads import ARCHIVES
from tableseal.api.http.waiting import left_of, wait_of
from tableseal.api.jobs.audit_kind import KIND
from tableseal.api.jobs.published_kind import AGENCY, CERTIFICATE, PUBLIC
from tableseal.api.jobs.published_kind import KIND as PUBLISHED_KIND
from tableseal.api.problems import Problem
from tableseal.api.store.events import events_after
from tableseal.api.store.job import Event, Job, State
from tableseal.api.store.jobs import erase, jobs_of, request_cancel, under_way
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal

POLL = 0.25
"""Seconds between two looks for events."""

LOOK = 1.0
"""Seconds between two looks whether the key of who listens is still good."""

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

JobId = Annotated[str, Path(max_length=32, description="Id of a job.")]


def _own(job: JobId, at: ServiceDep, asking: Reader) -> Job:
    return own_job(at, asking, job)


OwnJob = Annotated[Job, Depends(_own)]


@router.get("", responses=problems(401, 403, 422, 500, 503))
def list_jobs(
    at: ServiceDep,
    asking: Reader,
    response: Response,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Annotated[
        str | None,
        Query(max_length=32, description="Only jobs behind this one: the last of the page before."),
    ] = None,
    state: Annotated[State | None, Query(description="Only jobs in this state.")] = None,
    kind: Annotated[str | None, Query(max_length=40, description="Only jobs of this kind, such as audit.")] = None,
) -> list[JobResource]:
    """Your jobs, newest first. If there are more, `Link` says where (`rel="next"`)."""
    with at.store.reading() as connection:
        found = jobs_of(connection, asking.owner, limit=limit + 1, after=after, state=state, kind=kind)
    if found is None:
        text = f"after: there is no job {after} of yours; expected the id of the last job of the page before."
        raise ProblemError(Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter="after"))
    if len(found) > limit:
        chosen = {"limit": limit, "after": found[limit - 1].id, "state": state, "kind": kind}
        query = "&".join(f"{name}={value}" for name, value in chosen.items() if value is not None)
        response.headers["Link"] = f'</v1/jobs?{query}>; rel="next"'
    waiting = places_of(at, found)
    return [job_resource(job, waiting) for job in found[:limit]]


@router.get("/{job}", responses=problems(*READING))
async def get_job(
    request: Request,
    found: OwnJob,
    at: ServiceDep,
    asking: Reader,
    response: Response,
    prefer: Annotated[
        str | None, Header(description="`wait=N`: answer when the job has ended, or after N seconds.")
    ] = None,
) -> JobResource:
    """State, progress and timings of a job. Ask again and again, or wait, or listen to its events."""
    wait = wait_of(prefer, at.settings.max_wait)
    if wait > 0:
        response.headers["Preference-Applied"] = f"wait={wait:g}"
        done = await at.watch.final(found, left_of(wait, request))
        found = await run_in_threadpool(own_job, at, asking, found.id) if done is None else done
    if not found.state.final:
        response.headers["Retry-After"] = "1"
    return await run_in_threadpool(resource_of, at, found)


@router.get("/{job}/events", response_class=EventSourceResponse, responses=problems(*READING))
async def get_events(
    request: Request,
    found: OwnJob,
    at: ServiceDep,
    asking: Reader,
    last_event_id: Annotated[int, Header(ge=0, le=2**63 - 1)] = 0,
) -> AsyncIterable[ServerSentEvent]:
    """What happens to a job, as server-sent events `state` and `progress`; ends when the job does, or the key.

    After a broken connection browsers go on behind the last event they saw (`Last-Event-ID`). A comment comes when
    nothing has happened for some seconds. Where events do not get through, `GET /v1/jobs/{job}` says the same.
    """
    last, looked = last_event_id, time.monotonic()
    while True:
        if time.monotonic() - looked >= LOOK:
            if not await run_in_threadpool(_still, request, at, asking):
                return
            looked = time.monotonic()
        events, final = await run_in_threadpool(_news, at, found, last)
        for event in events:
            last = event.id
            yield ServerSentEvent(data=dict(event.data), event=event.name, id=str(event.id))
        if final:
            return
        await asyncio.sleep(POLL)


def _still(request: Request, at: Service, asking: Principal) -> bool:
    """Whether whoever listens may go on: keys are revoked, sessions and tokens end."""
    try:
        return principal_of_request(request, at, request.headers.get("authorization")) == asking
    except ProblemError:
        return False


def _news(at: Service, job: Job, last: int) -> tuple[tuple[Event, ...], bool]:
    """Events after the last, and whether there will be no more."""
    with at.store.reading() as connection:
        over = not under_way(connection, [job.id])  # before its events are read: the last of them comes with its end
        events = events_after(connection, job.id, last)
    ended = any(e.name == "state" and e.data["state"] in ("succeeded", "failed", "cancelled") for e in events)
    return events, ended or (not events and over)


@router.get(
    "/{job}/result",
    response_class=Response,
    responses={
        200: results("Result", KIND.rows, "The answer of the job."),
        **problems(*READING, 406, 409),
    },
)
def get_result(
    found: OwnJob,
    at: ServiceDep,
    asking: Reader,
    accept: Annotated[str | None, Header(include_in_schema=False)] = None,
    form: Annotated[
        Literal["json", "jsonl", "csv", "parquet"] | None,
        Query(alias="format", description="Goes before `Accept`; all but json give only the rows of the answer."),
    ] = None,
) -> Response:
    """The answer of a job that succeeded, such as the report of an audit; the problem of one that failed.

    Answers that are tables at heart (the cells of a report) can be had as JSON lines, CSV or Parquet too, as `Accept`
    or `format` say.
    """
    note_read(at, asking, found)
    return result_response(at, found, accept if form is None else FORMATS[form])


def _file(description: str, schema: str | None = None, *, page: bool = False) -> dict[str, Any]:
    """What a route says of itself that gives a file of a result."""
    answers = {200: gives(description, schema, page=page), **problems(*READING, 409)}
    return {"response_class": Response, "responses": answers}


@router.get("/{job}/report.html", **_file("A page.", page=True))
def get_page(found: OwnJob, at: ServiceDep, asking: Reader) -> Response:
    """The report as one self-contained page."""
    note_read(at, asking, found)
    return document_response(at, found, "report.html")


@router.get("/{job}/proof", **_file("A proof.", "Proof"))
def get_proof(found: OwnJob, at: ServiceDep, asking: Reader) -> Response:
    """The proof, if the audit was asked for one (`proof=true`)."""
    note_read(at, asking, found)
    return document_response(at, found, "proof.json")


@router.get("/{job}/protected", **_file("A release.", "Release"))
def get_protected(found: OwnJob, at: ServiceDep) -> Response:
    """The protected release that a job made, if its audit said safe: nothing in it is confidential."""
    return document_response(at, found, "protected.json")


@router.get("/{job}/confidential", **_file("A release.", "Release"))
def get_confidential(found: OwnJob, at: ServiceDep, asking: Reader) -> Response:
    """The protected release of a job with all that the agency knows: what a publication needs of it."""
    note_read(at, asking, found)
    return document_response(at, found, "confidential.json")


def _archive(description: str) -> dict[str, Any]:
    """What a route says of itself that gives an archive."""
    content = {ARCHIVES[0]: {"schema": {"type": "string", "format": "binary"}}}
    answers = {200: {"description": description, "content": content}, **problems(*READING, 409)}
    return {"response_class": Response, "responses": answers}


@router.get("/{job}/public.zip", **_archive("Tables that may go out."))
def get_public_archive(found: OwnJob, at: ServiceDep) -> Response:
    """What a plan published: the tables of clusters whose audit says safe. Nothing in it is confidential."""
    return document_response(at, found, PUBLIC)


@router.get("/{job}/agency.zip", **_archive("Files of the agency."))
def get_agency_archive(found: OwnJob, at: ServiceDep, asking: Reader) -> Response:
    """All else of the folder: copies of these tables with true values, of all clusters the patterns and reports, what
    is held back, the certificate. Unpacked beside `public.zip` it is what `tableseal verify` checks."""
    note_read(at, asking, found)
    return document_response(at, found, AGENCY)


@router.get("/{job}/certificate", **_file("A certificate.", "Certificate"))
def get_certificate(found: OwnJob, at: ServiceDep, asking: Reader) -> Response:
    """The certificate of a plan that was published: digests of all that went in and came out."""
    note_read(at, asking, found)
    return document_response(at, found, CERTIFICATE)


@router.get("/{job}/reports/{name:path}", **_file("A report.", "Report", page=True))
def get_report(
    found: OwnJob,
    at: ServiceDep,
    asking: Reader,
    name: Annotated[
        str,
        Path(max_length=250, description="Name of the release, or of the cluster, with `.json` or `.html` behind it."),
    ],
) -> Response:
    """The report of one release of a batch, or of one cluster of a plan."""
    note_read(at, asking, found)
    if found.kind != PUBLISHED_KIND.name:
        return document_response(at, found, f"reports/{name}")
    stem, dot, ending = name.rpartition(".")
    media_type = "text/html; charset=utf-8" if ending == "html" else "application/json"
    return member_response(at, found, AGENCY, f"agency/{stem}.report{dot}{ending}", media_type)


@router.delete(
    "/{job}",
    responses={
        200: {"description": "The job, which has ended or is about to.", "model": JobResource},
        204: {"description": "The job had ended, and is erased with all that belongs to it."},
        **problems(*READING, 507),
    },
)
def delete_job(found: OwnJob, at: ServiceDep, asking: Analyst) -> Response:
    """End a job: one that waits at once, one that runs within seconds. One that has ended is erased."""
    with at.store.writing() as connection:
        gone = erase(connection, asking.owner, found.id)
        job = None if gone else request_cancel(connection, asking.owner, found.id)
        note(connection, asking, "job.erase" if gone else "job.cancel", found.id)
    if job is None:
        at.store.scrub()
        return Response(status_code=204)
    return Response(job_resource(job, {}).model_dump_json(), 200, media_type="application/json")
