"""Drafts as pages see them: looked up, described, and taken as the input of other jobs."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from tableseal.api.drafts.kind import DESCRIPTION, FILES, MARKED, DraftRequest
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import Order, ordered, submitted
from tableseal.api.http.service import Service
from tableseal.api.jobs.kinds import Kind
from tableseal.api.problems import Problem
from tableseal.api.store.engine import Store
from tableseal.api.store.files import content_of, files_of
from tableseal.api.store.job import Document, Job, State
from tableseal.api.store.jobs import job_by_id, jobs_of
from tableseal.api.store.tokens import Principal
from tableseal.api.web.fields import filled
from tableseal.api.web.pages import see

RECENT = 500
"""Jobs that are looked through for those of a draft."""


@dataclass(frozen=True)
class Draft:
    """A draft. said: what the kind `draft` says of it."""

    job: Job
    said: dict[str, Any]

    @property
    def title(self) -> str:
        """Of the release; empty if nobody has read it yet, or it has none."""
        return str(self.said.get("title") or "")

    @property
    def plain(self) -> Sequence[str]:
        """Its files without what was written from marks."""
        return [name for name in self.said["names"] if name != MARKED]


def order_of(request: DraftRequest, files: tuple[Document, ...]) -> Order:
    """The order for a draft."""
    return Order("draft", request.model_dump_json(), files)


def own_draft(at: Service, asking: Principal, draft: str) -> Draft:
    """The draft; that of another owner is as if it were not there.

    Raises
    ------
    ProblemError: 404.
    """
    with at.store.reading() as connection:
        job = job_by_id(connection, asking.owner, draft)
    if job is None or job.kind != "draft" or job.state is not State.SUCCEEDED:
        text = "There is no such release here; it may have been erased."
        raise ProblemError(Problem("no-such-release", "No such release", 404, text))
    return Draft(job, json.loads(result_file(at.store, job, DESCRIPTION)))


def drafts_of(at: Service, asking: Principal) -> list[Draft]:
    """All drafts, newest first."""
    with at.store.reading() as connection:
        jobs = jobs_of(connection, asking.owner, limit=RECENT, kind="draft", state=State.SUCCEEDED)
    return [Draft(job, json.loads(result_file(at.store, job, DESCRIPTION))) for job in jobs or ()]


def result_file(store: Store, job: Job, name: str) -> bytes:
    """A file of a result, b"" if there is none."""
    with store.reading() as connection:
        found = [file for file in files_of(connection, job.id, "result") if file.name == name]
    return b"".join(content_of(store, found[0])) if found else b""


def has_file(store: Store, job: Job, name: str) -> bool:
    """Whether a result has such a file."""
    with store.reading() as connection:
        return any(file.name == name for file in files_of(connection, job.id, "result"))


async def files_of_draft(at: Service, draft: Draft, names: Sequence[str]) -> tuple[Document, ...]:
    """Files of a draft as files of a request."""

    def read() -> tuple[Document, ...]:
        return tuple(
            Document(name, "application/octet-stream", result_file(at.store, draft.job, FILES + name)) for name in names
        )

    return await run_in_threadpool(read)


def jobs_of_draft(at: Service, owner: str, draft: str) -> list[Job]:
    """What was done with a draft, newest first."""
    with at.store.reading() as connection:
        jobs = jobs_of(connection, owner, limit=RECENT)
    return [job for job in jobs or () if draft_behind(job) == draft]


def draft_behind(job: Job) -> str | None:
    """The draft whose files a job works on."""
    found = json.loads(job.request).get("draft")
    return found if isinstance(found, str) else None


_MISSING = {
    "choose": "choose which of its files is the release",
    "columns": "mark what its columns are",
    "unbalanced": "mend the values that do not add up",
    "ready": "begin with it",
}
"""State of a draft -> what is to be done next, on its page."""


def not_ready(draft: Draft, what: str) -> Problem:
    """Something cannot be done with a draft as it is; where to go on instead."""
    text = f"{what}: {_MISSING[draft.said['state']]} at /releases/{draft.job.id}."
    return Problem("not-ready", "Not ready", 409, text)


def ready_draft(at: Service, asking: Principal, draft: str) -> Draft:
    """A draft that jobs can work on.

    Raises
    ------
    ProblemError: as `own_draft`; it is not ready.
    """
    found = own_draft(at, asking, draft)
    if found.said["state"] != "ready":
        raise ProblemError(not_ready(found, "The release cannot be audited yet"))
    return found


async def asked_for(
    at: Service,
    asking: Principal,
    draft: str,
    kind: Kind,
    form: FormData,
    without: Collection[str] = (),
    **more: object,
) -> Order:
    """What a form asks for with a draft. without, more: see `filled`.

    Raises
    ------
    ProblemError: as `ready_draft` and `filled`.
    """
    found = await run_in_threadpool(ready_draft, at, asking, draft)
    given = {"release": found.said["release"], "policy": found.said["policy"], "draft": draft, **more}
    wanted = await run_in_threadpool(lambda: filled(kind.request, form, without=without, **given))
    files = await files_of_draft(at, found, found.said["names"])
    return ordered(at, kind, wanted, files, found.title)


async def begun(
    at: Service,
    asking: Principal,
    draft: str,
    kind: Kind,
    form: FormData,
    without: Collection[str] = (),
    **more: object,
) -> Response:
    """Begin that, and go to its job.

    Raises
    ------
    ProblemError: as `asked_for`.
    """
    job = await submitted(at, asking, await asked_for(at, asking, draft, kind, form, without, **more))
    return see(f"/jobs/{job.id}")
