"""Pages on jobs: how far they are, what came of them, how to end and erase them."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.resources import note_read, own_job, places_of
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.problems import Problem, problem_of
from tableseal.api.store.job import Job, State
from tableseal.api.store.jobs import erase, job_by_id, request_cancel
from tableseal.api.store.listing import PAGE, STATES, Wanted, listed
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal
from tableseal.api.web.attacks import attack_page
from tableseal.api.web.audits import audit_page
from tableseal.api.web.batches import batch_page
from tableseal.api.web.drafts import draft_behind
from tableseal.api.web.pages import erase_page, page, see
from tableseal.api.web.patterns import comparison_page, suppression_page
from tableseal.api.web.plans import plan_page, published_page
from tableseal.api.web.progress import job_page
from tableseal.api.web.protections import protection_page
from tableseal.api.web.publications import assessment_page
from tableseal.api.web.tables import table_page
from tableseal.api.web.workbench import whole
from tableseal.audit.errors import InputError

RESULTS: Mapping[str, Callable[[Request, Service, Principal, Job, str | None], Response]] = {
    "attack": attack_page,
    "audit": audit_page,
    "batch": batch_page,
    "comparison": comparison_page,
    "plan": plan_page,
    "protection": protection_page,
    "publication": assessment_page,
    "published": published_page,
    "suppression": suppression_page,
    "table": table_page,
}
"""Kinds whose results have a page, made of the job and the draft it worked on if that is still kept; what the page of
a report shows is said by the query of the request."""

LONGEST = 200
"""Signs of what a list is asked for."""

router = APIRouter(prefix="/jobs")


@router.get("")
def list_jobs(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """Jobs, newest first: those that the query asks for, a page at a time."""
    params = request.query_params
    said = {name: params.get(name, "")[:LONGEST] for name in ("kind", "state", "who", "words")}
    try:
        wanted = Wanted(**said, page=whole(params, "page"))
    except InputError as error:
        raise ProblemError(problem_of(error)) from None
    with at.store.reading() as connection:
        found = listed(connection, asking.owner, wanted)
    more = {name: text for name, text in said.items() if text}
    return page(
        request,
        "jobs.html",
        listing=found,
        wanted=wanted,
        states=STATES,
        size=PAGE,
        places=places_of(at, found.jobs),
        turned=lambda number: f"/jobs?{urlencode({**more, 'page': number})}",
    )


@router.get("/{job}")
def get_job(job: str, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """One job: its progress, its result, or what went wrong."""
    found = own_job(at, asking, job)
    if found.kind == "draft" and found.state is State.SUCCEEDED:
        return see(f"/releases/{found.id}")
    draft = _draft_there(at, asking, found)
    if found.state is not State.SUCCEEDED or found.kind not in RESULTS:
        return job_page(request, at, found, draft)
    note_read(at, asking, found)
    return RESULTS[found.kind](request, at, asking, found, draft)


@router.post("/{job}/cancel")
def post_cancel(job: str, at: ServiceDep, asking: Analyst) -> Response:
    """End a job."""
    found = own_job(at, asking, job)
    with at.store.writing() as connection:
        request_cancel(connection, asking.owner, found.id)
        note(connection, asking, "job.cancel", found.id)
    return see(f"/jobs/{found.id}")


@router.get("/{job}/erase")
def get_erase(job: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Ask before a job is erased."""
    found = own_job(at, asking, job)
    return erase_page(request, found, found.title, back=f"/jobs/{found.id}")


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
