"""Jobs as clients see them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from api.http.errors import MEDIA_TYPE, ProblemError
from api.http.service import Service
from api.problems import Problem
from api.store.files import content_of, files_of
from api.store.job import Job, State, StoredFile
from api.store.jobs import job_by_id
from api.store.tokens import Principal

SAFETY = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every document: confidential, and shown as nothing but what it is."""


class ProgressResource(BaseModel):
    """How far the work is."""

    stage: str
    done: int
    total: Annotated[int, Field(description="0: not known")]


class Timings(BaseModel):
    """Seconds."""

    queued: Annotated[float | None, Field(description="until the first attempt began, so far if it has not")]
    running: Annotated[float | None, Field(description="from the first attempt to the end")]


class JobResource(BaseModel):
    """A job."""

    id: str
    kind: str
    state: State
    outcome: Annotated[str | None, Field(description="of an audit that succeeded: safe, unsafe or undecided")]
    created: datetime
    started: datetime | None
    finished: datetime | None
    attempts: int
    progress: ProgressResource | None
    timings: Timings
    problem: Annotated[dict[str, Any] | None, Field(description="RFC 9457 problem of a job that failed")]
    links: dict[str, str]


def job_resource(job: Job) -> JobResource:
    """The job as clients see it."""
    at = f"/v1/jobs/{job.id}"
    links = {"self": at, "events": f"{at}/events"}
    if job.state is State.SUCCEEDED:
        links["result"] = f"{at}/result"
    return JobResource(
        id=job.id,
        kind=job.kind,
        state=job.state,
        outcome=job.outcome,
        created=_time(job.created),
        started=None if job.started is None else _time(job.started),
        finished=None if job.finished is None else _time(job.finished),
        attempts=job.attempts,
        progress=None
        if job.progress is None
        else ProgressResource(stage=job.progress[0], done=job.progress[1], total=job.progress[2]),
        timings=Timings(
            queued=None if job.started is None else job.started - job.created,
            running=None if job.started is None or job.finished is None else job.finished - job.started,
        ),
        problem=None if job.problem is None else dict(job.problem),
        links=links,
    )


def own_job(at: Service, asking: Principal, job: str) -> Job:
    """The job; that of another owner is as if it were not there.

    Raises
    ------
    ProblemError: 404.
    """
    with at.store.reading() as connection:
        found = job_by_id(connection, asking.owner, job)
    if found is None:
        raise ProblemError(Problem("no-such-job", "No such job", 404, "There is no job with this id."))
    return found


def result_response(at: Service, job: Job) -> Response:
    """The answer of a finished job, or its problem; 409 while there is none."""
    if job.state is State.FAILED:
        problem = dict(job.problem or {})
        return JSONResponse(problem, int(problem.get("status", 500)), media_type=MEDIA_TYPE)
    return document_response(at, job, None)


def document_response(at: Service, job: Job, name: str | None) -> Response:
    """A file of a result (None: the answer itself).

    Raises
    ------
    ProblemError: 409 if the job has no result (yet), 404 if the result has no such file.
    """
    if job.state is not State.SUCCEEDED:
        text = f"The job is {job.state}; it has no result{'' if job.state.final else ' yet'}."
        raise ProblemError(Problem("no-result", "No result", 409, text))
    with at.store.reading() as connection:
        files = files_of(connection, job.id, "result")
    for file in files:
        if name is None or file.name == name:  # the first is the answer
            return _streamed(at, job, file)
    text = f"The result has no {name}; it was not asked for, or this kind of job has none."
    raise ProblemError(Problem("no-such-document", "No such document", 404, text))


def _streamed(at: Service, job: Job, file: StoredFile) -> Response:
    headers = {**SAFETY, "Content-Length": str(file.size), "Link": f'</v1/jobs/{job.id}>; rel="describedby"'}
    content: Iterator[bytes] = content_of(at.store, file)
    return StreamingResponse(content, headers=headers, media_type=file.media_type)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
