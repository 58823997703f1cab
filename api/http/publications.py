"""/v1/publications: what is out already under a name, what a new release does to it, and what was taken back."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from tableseal.api.http.audits import EXAMPLE
from tableseal.api.http.described import READING, body, gives, problems, work
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import Asked, taken
from tableseal.api.http.parameters import Said, said
from tableseal.api.http.resources import own_job
from tableseal.api.http.service import Officer, Reader, Service, ServiceDep, require
from tableseal.api.http.uploads import RELEASE
from tableseal.api.jobs.ledger import ENTRY
from tableseal.api.jobs.publication_kind import KIND, NAME
from tableseal.api.problems import Problem
from tableseal.api.store.files import content_of, files_of
from tableseal.api.store.job import Job, State
from tableseal.api.store.log import note
from tableseal.api.store.publications import Kept, append, names_of, publication, set_withdrawn
from tableseal.api.store.tokens import Principal, Role

router = APIRouter(prefix="/v1/publications", tags=["publications"])

Name = Annotated[str, Path(pattern=NAME, description="Name of the publication: letters, digits, spaces, `_.-`.")]
Number = Annotated[int, Path(ge=1, le=10**9, description="Number of the entry.")]

_CHANGED = Problem(
    "publication-changed",
    "The publication has changed",
    409,
    "Something else was published or withdrawn under this name in the meantime. Look again, then send it again.",
)


_ENTRY = gives("The entry.", "Publication.entry")


class PublicationResource(BaseModel):
    """A publication in a list."""

    name: str
    entries: Annotated[int, Field(description="Number of releases that were published, withdrawn ones included.")]
    links: dict[str, str]


class Acceptance(BaseModel):
    """That a release which was audited with the publication goes out."""

    model_config = ConfigDict(extra="forbid")

    job: Annotated[str, Field(max_length=32, description="The job of the audit.")]
    despite: Annotated[
        str | None,
        Field(min_length=1, max_length=1000, description="Why it goes out although it was not found safe; kept."),
    ] = None


class Retraction(BaseModel):
    """That an entry is taken back."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, Field(pattern=r"\S", max_length=1000, description="Why; kept with the entry.")]
    was_out: Annotated[
        bool,
        Field(description="Somebody may have it: later releases are audited with it. false: nobody ever had."),
    ]


@router.get("", responses=problems(401, 403, 422, 500, 503))
def list_publications(at: ServiceDep, asking: Reader) -> list[PublicationResource]:
    """All names under which something was published."""
    with at.store.reading() as connection:
        found = [publication(connection, asking.owner, name) for name in names_of(connection, asking.owner)]
    return [
        PublicationResource(name=kept.name, entries=len(kept.entries), links={"self": f"/v1/publications/{kept.name}"})
        for kept in found
    ]


@router.get(
    "/{name}",
    response_class=Response,
    responses={200: gives("The publication.", "Publication"), **problems(*READING)},
)
def get_publication(
    name: Name,
    request: Request,
    at: ServiceDep,
    asking: Reader,
    releases: Annotated[bool, Query(description="With the releases themselves (role officer).")] = False,
) -> Response:
    """Everything that was published under this name, withdrawn entries included."""
    if releases:
        require(request, at, asking, Role.OFFICER)
    kept = published(at, asking, name, releases=releases)
    if releases:
        with at.store.writing() as connection:
            note(connection, asking, "publication.read", name)
    return JSONResponse({"schema": "tableseal/publication/1", "name": kept.name, "entries": list(kept.entries)})


@router.post("/{name}/releases", **work("PublicationAudit", KIND, body(EXAMPLE, RELEASE)))
async def post_release(name: Name, ask: Asked, options: Annotated[Said, Depends(said(KIND.request))]) -> Response:
    """Audit a release together with everything that was published before under this name.

    The answer names the cells that fall, and the earlier tables that make them fall. With `publish=true` the release is
    published if it is safe; of several that come at once, each is audited with those that were quicker.
    """
    if options["options"].get("publish"):
        require(ask.http, ask.at, ask.asking, Role.OFFICER)
    return await taken(ask, KIND, RELEASE, options, name=name, by=ask.asking.who)


@router.post(
    "/{name}/entries",
    status_code=201,
    response_class=Response,
    responses={201: _ENTRY, **problems(*READING, 400, 409, 507)},
)
def post_entry(name: Name, accepted: Acceptance, at: ServiceDep, asking: Officer) -> Response:
    """Publish a release that was audited before, if nothing else was published or withdrawn since."""
    written = accept(at, asking, name, accepted)
    return JSONResponse(dict(written), 201, {"Location": f"/v1/publications/{name}"})


def accept(at: Service, asking: Principal, name: str, accepted: Acceptance) -> Mapping[str, Any]:
    """The entry that an audited release has become.

    Raises
    ------
    ProblemError: 404 or 409, see `post_entry`.
    """
    job = own_job(at, asking, accepted.job)
    document = _audited(at, job, name)
    if job.outcome != "safe" and not (accepted.despite or "").strip():
        text = f"The release was found {job.outcome} beside what is out already; `despite` says why it goes out anyway."
        raise ProblemError(Problem("not-safe", "Not safe", 409, text, parameter="despite"))
    entry = {**document["entry"], "by": asking.who, "despite": None if job.outcome == "safe" else accepted.despite}
    with at.store.writing() as connection:
        written = append(connection, asking.owner, name, document["version"], entry)
        if written is not None:
            note(connection, asking, "publication.publish", f"{name}: {entry['number']}")
    if written is None:
        raise ProblemError(_CHANGED)
    return written


@router.post(
    "/{name}/entries/{number}/withdrawal",
    response_class=Response,
    responses={200: _ENTRY, **problems(*READING, 400, 409, 507)},
)
def post_withdrawal(name: Name, number: Number, taken: Retraction, at: ServiceDep, asking: Officer) -> Response:
    """Take an entry back. It stays in the list, with the reason and who did it."""
    return JSONResponse(dict(retract(at, asking, name, number, taken)))


def retract(at: Service, asking: Principal, name: str, number: int, taken: Retraction) -> Mapping[str, Any]:
    """The entry that has been taken back.

    Raises
    ------
    ProblemError: 404 or 409, see `post_withdrawal`.
    """
    kept, entry = entry_of(at, asking, name, number)
    if entry["withdrawn"] is not None:
        text = f"Entry {number} is withdrawn already."
        raise ProblemError(Problem("withdrawn", "Withdrawn already", 409, text))
    with at.store.writing() as connection:
        written = set_withdrawn(
            connection, asking.owner, kept, number, reason=taken.reason, by=asking.who, was_out=taken.was_out
        )
        if written is not None:
            note(connection, asking, "publication.withdraw", f"{name}: {number}")
    if written is None:
        raise ProblemError(_CHANGED)
    return written


def entry_of(at: Service, asking: Principal, name: str, number: int) -> tuple[Kept, Mapping[str, Any]]:
    """A publication and its entry of that number.

    Raises
    ------
    ProblemError: 404.
    """
    kept = published(at, asking, name)
    entry = next((entry for entry in kept.entries if entry["number"] == number), None)
    if entry is None:
        text = f"There is no entry {number}; entries are 1 to {len(kept.entries)}."
        raise ProblemError(Problem("no-such-entry", "No such entry", 404, text))
    return kept, entry


def published(at: Service, asking: Principal, name: str, *, releases: bool = False) -> Kept:
    """What is kept under a name; that of another owner is as if it were not there.

    Raises
    ------
    ProblemError: 404.
    """
    with at.store.reading() as connection:
        kept = publication(connection, asking.owner, name, releases=releases)
    if not kept.entries:
        text = "Nothing was published under this name."
        raise ProblemError(Problem("no-such-publication", "No such publication", 404, text))
    return kept


def _audited(at: Service, job: Job, name: str) -> Mapping[str, Any]:
    """The entry that a release becomes which a job audited.

    Raises
    ------
    ProblemError: 409 if the job is none that audited a release with this publication, or it was published then.
    """
    if job.kind != KIND.name or job.state is not State.SUCCEEDED or json.loads(job.request)["name"] != name:
        text = "The job is not the finished audit of a release with this publication."
        raise ProblemError(Problem("not-audited", "Not audited", 409, text))
    with at.store.reading() as connection:
        found = next((file for file in files_of(connection, job.id, "result") if file.name == ENTRY), None)
    if found is None:
        raise ProblemError(Problem("published", "Published already", 409, "The release of this job is published."))
    document: dict[str, Any] = json.loads(b"".join(content_of(at.store, found)))
    return document
