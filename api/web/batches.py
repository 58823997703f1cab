"""Pages on batches: bring many releases at once, and see what came out for each."""

import json

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import ordered, submitted
from tableseal.api.http.renderings import offered
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import bad_upload, refuse_too_much
from tableseal.api.jobs.batch_kind import ALL, KIND, BatchRequest
from tableseal.api.store.job import Document, Job
from tableseal.api.store.jobs import jobs_of
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import result_file
from tableseal.api.web.fields import fields_of, filled
from tableseal.api.web.intake import Brought, brought, laid_open
from tableseal.api.web.pages import page, see
from tableseal.audit.report.applied import applied_to_each, word_of

LISTED = 200
"""Batches on the page, the newest."""

WORST_FIRST = ("unsafe", "undecided", "failed", "safe")

router = APIRouter(prefix="/batches")


@router.get("")
def list_batches(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """The form for a batch, and batches that are kept."""
    return _list(request, at, asking)


@router.post("")
async def post_batch(request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Begin a batch."""
    with Spool(at.settings.working_folder) as spool:
        try:
            form = await brought(request, at.settings, spool)
            files, releases = await _releases(form, at, spool)
            manifest, policy = form.roles.get("manifest"), form.roles.get("policy")
            wanted = await run_in_threadpool(
                lambda: filled(BatchRequest, form.fields, releases=releases, manifest=manifest, policy=policy)
            )
            order = ordered(at, KIND, wanted, files)
        except ProblemError as error:
            return await run_in_threadpool(_list, request, at, asking, error)
        job = await submitted(at, asking, order)
    return see(f"/jobs/{job.id}")


def batch_page(request: Request, at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """What came out for each release of a batch that has ended, the worst first."""
    batch = json.loads(result_file(at.store, job, "batch.json"))
    releases = sorted(batch["releases"], key=lambda entry: WORST_FIRST.index(entry["verdict"]))
    applied = applied_to_each((e["rules"], e["judged"]) for e in releases if e.get("rules") is not None)
    word = word_of(releases[0] if batch["together"] else batch)
    return page(
        request,
        "batch.html",
        job=job,
        batch=batch,
        releases=releases,
        word=word,
        applied=applied,
        forms=offered(KIND.rows),
    )


async def _releases(form: Brought, at: Service, spool: Spool) -> tuple[tuple[Document, ...], str]:
    """Files of a batch, and which of them is the archive of the releases: ALL if they lie there as they are."""
    archive = form.archive
    if archive is not None:
        await run_in_threadpool(refuse_too_much, archive.content, at.settings)
        return form.files, archive.name
    files = await laid_open(form.files, at.settings, spool)
    if not [file for file in files if file.name not in form.roles.values()]:
        raise bad_upload("There is nothing to audit yet: choose an archive, or the files of the releases.")
    return files, ALL


def _list(request: Request, at: Service, asking: Principal, error: ProblemError | None = None) -> Response:
    with at.store.reading() as connection:
        found = jobs_of(connection, asking.owner, limit=LISTED, kind=KIND.name) or ()
    problem = None if error is None else error.problem
    return page(request, "batches.html", batches=found, fields=fields_of(BatchRequest), problem=problem)
