"""Pages on patterns: which cells to withhold besides the sensitive ones. Compare methods, and protect a release."""

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from tableseal.api.http.intake import Order, submitted
from tableseal.api.http.resources import document_response, note_read, own_job
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.jobs.comparison_kind import CompareOptions, ComparisonRequest
from tableseal.api.jobs.suppression_kind import SuppressionRequest
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.suppressing import SuppressOptions
from tableseal.api.web.drafts import files_of_draft, has_file, own_draft, result_file
from tableseal.api.web.intake import checked, chosen, plain_form
from tableseal.api.web.pages import page, parts_of, see

METHODS: Mapping[str, str] = {
    "optimal": "the cheapest pattern, proved to be so as far as time allows",
    "heuristic": "a cheap pattern, quickly",
    "network": "two-way tables: cheapest cycles of a network",
    "modular": "table after table, again and again until all agree",
    "elimination": "guards against exact values by elimination, then against intervals",
    "greedy-elimination": "guards against exact values only",
    "rank": "takes away as much rank as the cost allows, and protects",
    "rank-pure": "takes away rank only",
}
"""Methods in words."""

CHOSEN = ("optimal", "heuristic", "network")
"""Methods that are compared if nobody says otherwise."""

router = APIRouter()


@router.post("/releases/{draft}/comparisons")
async def post_comparison(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Compare methods on a release."""
    form = await plain_form(request)
    methods = ",".join(str(name) for name in form.getlist("method"))
    options = checked(CompareOptions, {"methods": methods, **chosen(form, ["time_limit"])})
    return await _begun(at, asking, draft, "comparison", ComparisonRequest, options=options)


@router.post("/releases/{draft}/suppressions")
async def post_suppression(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Protect a release."""
    form = await plain_form(request)
    given = {"method": str(form.get("method", "")), "cost": str(form.get("cost", "column"))}
    options = checked(SuppressOptions, {**given, **chosen(form, ["time_limit"])})
    written = {"tell_statuses": "tell_statuses" in form, "symbol": str(form.get("symbol", "")).strip() or None}
    return await _begun(at, asking, draft, "suppression", SuppressionRequest, options=options, **written)


@router.get("/jobs/{job}/files/{name}")
def get_file(job: str, name: str, at: ServiceDep, asking: Reader) -> Response:
    """A file of a result."""
    found = own_job(at, asking, job)
    note_read(at, asking, found)
    return document_response(at, found, name)


def comparison_page(at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """Methods side by side, with the chart of cost against protection."""
    title, body = parts_of(result_file(at.store, job, "report.html").decode())
    return page("comparison.html", job=job, title=title, body=body, draft=draft)


def suppression_page(at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """The protected release and its audit, or why there is none."""
    report = result_file(at.store, job, "report.html").decode()
    title, body = parts_of(report) if report else ("No pattern protects this release", "")
    safe = has_file(at.store, job, "protected.zip")
    return page("suppression.html", job=job, title=title, body=body, safe=safe, draft=draft)


async def _begun(
    at: Service, asking: Principal, draft: str, kind: str, request: type[BaseModel], **wanted: object
) -> Response:
    found = await run_in_threadpool(own_draft, at, asking, draft)
    said = {"release": found.said["release"], "policy": found.said["policy"], "draft": draft}
    files = await files_of_draft(at, found, found.said["names"])
    order = Order(kind, request.model_validate({**said, **wanted}).model_dump_json(), files)
    job = await run_in_threadpool(submitted, at, asking, order, None)
    return see(f"/jobs/{job.id}")
