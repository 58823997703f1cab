"""Jobs as clients see them."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from tableseal.api.http.errors import MEDIA_TYPE, ProblemError
from tableseal.api.http.renderings import JSON, chosen, offered, rendered
from tableseal.api.http.service import Service
from tableseal.api.jobs.kinds import Rows, all_kinds
from tableseal.api.jobs.table_kind import KIND as TABLE_KIND
from tableseal.api.problems import Problem
from tableseal.api.store.files import content_of, files_of
from tableseal.api.store.job import Job, State, StoredFile
from tableseal.api.store.jobs import job_by_id
from tableseal.api.store.log import note
from tableseal.api.store.stored import member
from tableseal.api.store.tokens import Principal, Role
from tableseal.api.store.turns import places

TABLE = TABLE_KIND.name

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
    place: Annotated[
        int | None,
        Field(description="of a job that waits: its place in the queue if no other comes, 1 for the next to begin"),
    ]
    progress: ProgressResource | None
    timings: Timings
    problem: Annotated[dict[str, Any] | None, Field(description="RFC 9457 problem of a job that failed")]
    links: dict[str, str]


def job_resource(job: Job, places: Mapping[str, int]) -> JobResource:
    """The job as clients see it. places: of jobs that wait (`places_of`)."""
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
        place=places.get(job.id) if job.state is State.QUEUED else None,
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


def places_of(at: Service, jobs: Iterable[Job]) -> Mapping[str, int]:
    """Places in the queue, if any of these jobs of one owner waits."""
    owner = next((job.owner for job in jobs if job.state is State.QUEUED), None)
    if owner is None:
        return {}
    with at.store.reading() as connection:
        return places(connection, owner)


def resource_of(at: Service, job: Job) -> JobResource:
    """One job as clients see it, with its place in the queue."""
    return job_resource(job, places_of(at, [job]))


def own_job(at: Service, asking: Principal, job: str) -> Job:
    """The job; that of another owner, and a table that another user was given, is as if it were not there.

    Raises
    ------
    ProblemError: 404.
    """
    with at.store.reading() as connection:
        found = job_by_id(connection, asking.owner, job)
    if found is None or not _may_see(asking, found):
        raise ProblemError(Problem("no-such-job", "No such job", 404, "There is no job with this id."))
    return found


def _may_see(asking: Principal, job: Job) -> bool:
    """A table that a user was given is known to that user; others of the owner would hold it unremembered. What users
    hold is for officers."""
    return job.kind != TABLE or job.who == asking.who or asking.role in (Role.OFFICER, Role.ADMIN)


def note_read(at: Service, asking: Principal, job: Job) -> None:
    """Results are confidential: that somebody read one is in the log."""
    with at.store.writing() as connection:
        note(connection, asking, "result.read", job.id, job.state)


def result_response(at: Service, job: Job, accept: str | None = None, *, here: bool = True) -> Response:
    """The answer of a finished job as the client likes it, or its problem; 409 while there is none.

    Parameters
    ----------
    here: this is the address of the result itself.

    Raises
    ------
    ProblemError: 409, or 406 if the answer cannot be had in a form that `accept` takes.
    """
    if job.state is State.FAILED:
        problem = dict(job.problem or {})
        return JSONResponse(problem, int(problem.get("status", 500)), media_type=MEDIA_TYPE)
    first = _file(at, job, None)
    media_type = negotiated(job.kind, accept)
    headers = _headers(job) if here else _headers(job) | _elsewhere(job)
    if media_type == JSON:
        return _streamed(at, first, headers)
    return StreamingResponse(
        rendered(content_of(at.store, first), media_type, _rows(job.kind)), headers=headers, media_type=media_type
    )


def at_once_response(job: Job, content: bytes, accept: str | None) -> Response:
    """The same of an answer that is at hand."""
    media_type = negotiated(job.kind, accept)
    if media_type != JSON:
        content = b"".join(rendered([content], media_type, _rows(job.kind)))
    return Response(content, 200, _headers(job) | _elsewhere(job), media_type)


def negotiated(kind: str, accept: str | None) -> str:
    """The media type of the answer of a kind of work.

    Raises
    ------
    ProblemError: 406.
    """
    types = offered(all_kinds()[kind].rows)
    media_type = chosen(accept, types)
    if media_type is None:
        text = f"The answer can be had as {', '.join(types)}; the request accepts none of them."
        raise ProblemError(Problem("not-acceptable", "Not in this form", 406, text, parameter="Accept"))
    return media_type


def document_response(at: Service, job: Job, name: str) -> Response:
    """A file of a result.

    Raises
    ------
    ProblemError: 409 if the job has no result (yet), 404 if the result has no such file.
    """
    return _streamed(at, _file(at, job, name), _headers(job))


def document_content(at: Service, job: Job, name: str) -> bytes:
    """The content of a file of a result.

    Raises
    ------
    ProblemError: as for `document_response`.
    """
    return b"".join(content_of(at.store, _file(at, job, name)))


def member_response(at: Service, job: Job, archive: str, name: str, media_type: str) -> Response:
    """A file in an archive of a result.

    Raises
    ------
    ProblemError: 409 if the job has no result (yet), 404 if the result has no such file.
    """
    content = member(at.store, _file(at, job, archive), name)
    if content is None:
        raise ProblemError(_no_document(name))
    return Response(content, 200, _headers(job), media_type)


def _rows(kind: str) -> Rows:
    rows = all_kinds()[kind].rows
    assert rows is not None  # else no other form is offered
    return rows


def _file(at: Service, job: Job, name: str | None) -> StoredFile:
    """A file of a result by name; None: the answer itself."""
    if job.state is not State.SUCCEEDED:
        text = f"The job is {job.state}; it has no result{'' if job.state.final else ' yet'}."
        raise ProblemError(Problem("no-result", "No result", 409, text))
    with at.store.reading() as connection:
        files = files_of(connection, job.id, "result")
    for file in files:
        if name is None or file.name == name:  # the first is the answer
            return file
    raise ProblemError(_no_document(name))


def _no_document(name: str | None) -> Problem:
    text = f"The result has no {name}; it was not asked for, or this kind of job has none."
    return Problem("no-such-document", "No such document", 404, text)


def _headers(job: Job) -> dict[str, str]:
    return {**SAFETY, "Link": f'</v1/jobs/{job.id}>; rel="describedby"', "Vary": "Accept"}


def _elsewhere(job: Job) -> dict[str, str]:
    """RFC 9110, 8.7: the answer to a request for work is what is found at another address."""
    return {"Content-Location": f"/v1/jobs/{job.id}/result"}


def _streamed(at: Service, file: StoredFile, headers: Mapping[str, str]) -> Response:
    length = {"Content-Length": str(file.size)}
    return StreamingResponse(content_of(at.store, file), headers={**headers, **length}, media_type=file.media_type)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
