"""/v1/jobs: how far a job is, what came out of it, and how to end it."""

import asyncio
from collections.abc import AsyncIterable
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from api.http.resources import JobResource, document_response, job_resource, own_job, result_response
from api.http.service import Analyst, Reader, Service, ServiceDep
from api.store.events import events_after
from api.store.job import Event, Job
from api.store.jobs import jobs_of, request_cancel
from api.store.log import note

POLL = 0.25
"""Seconds between two looks for events."""

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


def _own(job: str, at: ServiceDep, asking: Reader) -> Job:
    return own_job(at, asking, job)


OwnJob = Annotated[Job, Depends(_own)]


@router.get("")
def list_jobs(
    at: ServiceDep,
    asking: Reader,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    before: Annotated[float | None, Query(description="Only jobs created before (seconds since 1970).")] = None,
) -> list[JobResource]:
    """Your jobs, newest first."""
    with at.store.reading() as connection:
        return [job_resource(job) for job in jobs_of(connection, asking.owner, limit=limit, before=before)]


@router.get("/{job}")
def get_job(found: OwnJob) -> JobResource:
    """State, progress and timings of a job."""
    return job_resource(found)


@router.get("/{job}/events", response_class=EventSourceResponse)
async def get_events(
    found: OwnJob, at: ServiceDep, last_event_id: Annotated[int, Header(ge=0)] = 0
) -> AsyncIterable[ServerSentEvent]:
    """What happens to a job, as server-sent events `state` and `progress`; ends when the job does.

    After a broken connection browsers go on behind the last event they saw (`Last-Event-ID`).
    """
    last = last_event_id
    while True:
        events, final = await run_in_threadpool(_news, at, found, last)
        for event in events:
            last = event.id
            yield ServerSentEvent(data=dict(event.data), event=event.name, id=str(event.id))
        if final:
            return
        await asyncio.sleep(POLL)


def _news(at: Service, job: Job, last: int) -> tuple[tuple[Event, ...], bool]:
    """Events after the last, and whether there will be no more."""
    with at.store.reading() as connection:
        events = events_after(connection, job.id, last)
    ended = any(e.name == "state" and e.data["state"] in ("succeeded", "failed", "cancelled") for e in events)
    return events, ended or (not events and job.state.final)


@router.get("/{job}/result")
def get_result(found: OwnJob, at: ServiceDep) -> Response:
    """The answer of a job that succeeded, such as the report of an audit; the problem of one that failed."""
    return result_response(at, found)


@router.get("/{job}/report.html")
def get_page(found: OwnJob, at: ServiceDep) -> Response:
    """The report as one self-contained page."""
    return document_response(at, found, "report.html")


@router.get("/{job}/proof")
def get_proof(found: OwnJob, at: ServiceDep) -> Response:
    """The proof, if the audit was asked for one (`proof=true`)."""
    return document_response(at, found, "proof.json")


@router.delete("/{job}")
def cancel_job(found: OwnJob, at: ServiceDep, asking: Analyst) -> JobResource:
    """End a job: one that waits at once, one that runs within seconds. One that has ended stays as it is."""
    with at.store.writing() as connection:
        job = request_cancel(connection, asking.owner, found.id)
        note(connection, asking.owner, "job.cancel", found.id)
    return job_resource(job or found)
