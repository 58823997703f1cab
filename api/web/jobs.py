"""Pages on jobs: how far they are, what came of them, how to end and erase them."""

from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request, Response
from starlette.datastructures import QueryParams

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.resources import note_read, own_job, places_of
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.problems import Problem
from tableseal.api.store.job import Job, State
from tableseal.api.store.jobs import erase, job_by_id, jobs_of, request_cancel
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal
from tableseal.api.web.audits import audit_page
from tableseal.api.web.batches import batch_page
from tableseal.api.web.drafts import draft_behind, drafts_of
from tableseal.api.web.pages import page, see
from tableseal.api.web.patterns import comparison_page, suppression_page
from tableseal.api.web.publications import assessment_page

LISTED = 200
"""Jobs on one page."""

RESULTS: Mapping[str, Callable[[Service, Principal, Job, str | None], Response]] = {
    "batch": batch_page,
    "comparison": comparison_page,
    "publication": assessment_page,
}
"""Kinds whose results have a page, made of the job and the draft it worked on if that is still kept."""

WORKBENCHES: Mapping[str, Callable[[Service, Job, str | None, QueryParams], Response]] = {
    "audit": audit_page,
    "suppression": suppression_page,
}
"""Kinds whose results are reports: what their page shows is said by its query."""

router = APIRouter(prefix="/jobs")


@router.get("")
def list_jobs(at: ServiceDep, asking: Reader, after: str | None = None) -> Response:
    """Jobs, newest first."""
    with at.store.reading() as connection:
        found = jobs_of(connection, asking.owner, limit=LISTED + 1, after=after) or ()
    shown = [job for job in found[:LISTED] if job.kind != "draft" or job.state is not State.SUCCEEDED]
    titles = {draft.job.id: draft.said["title"] for draft in drafts_of(at, asking)}
    return page(
        "jobs.html",
        jobs=[(job, titles.get(draft_behind(job) or "")) for job in shown],
        places=places_of(at, shown),
        after=found[LISTED - 1].id if len(found) > LISTED else None,
    )


@router.get("/{job}")
def get_job(job: str, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """One job: its progress, its result, or what went wrong."""
    found = own_job(at, asking, job)
    if found.kind == "draft" and found.state is State.SUCCEEDED:
        return see(f"/releases/{found.id}")
    draft = _draft_there(at, asking, found)
    if found.state is not State.SUCCEEDED or found.kind not in (*RESULTS, *WORKBENCHES):
        return page("job.html", job=found, draft=draft, place=places_of(at, [found]).get(found.id))
    note_read(at, asking, found)
    if found.kind in WORKBENCHES:
        return WORKBENCHES[found.kind](at, found, draft, request.query_params)
    return RESULTS[found.kind](at, asking, found, draft)


@router.post("/{job}/cancel")
def post_cancel(job: str, at: ServiceDep, asking: Analyst) -> Response:
    """End a job."""
    found = own_job(at, asking, job)
    with at.store.writing() as connection:
        request_cancel(connection, asking.owner, found.id)
        note(connection, asking, "job.cancel", found.id)
    return see(f"/jobs/{found.id}")


@router.post("/{job}/erase")
def post_erase(job: str, at: ServiceDep, asking: Analyst) -> Response:
    """Erase a job that has ended, with its result."""
    found = own_job(at, asking, job)
    with at.store.writing() as connection:
        if not erase(connection, asking.owner, found.id):
            text = "The job is still at work; end it first."
            raise ProblemError(Problem("not-ended", "The job has not ended", 409, text))
        note(connection, asking, "job.erase", found.id)
    at.store.scrub()
    return see("/jobs")


def _draft_there(at: Service, asking: Principal, job: Job) -> str | None:
    """The draft that a job works on, if it is still kept."""
    draft = draft_behind(job)
    if draft is None:
        return None
    with at.store.reading() as connection:
        return draft if job_by_id(connection, asking.owner, draft) is not None else None
