"""Pages on patterns: which cells to withhold besides the sensitive ones. Compare methods, and protect a release."""

import json

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from tableseal.api.http.renderings import offered
from tableseal.api.http.resources import document_response, note_read, own_job
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.jobs.comparison_kind import KIND as COMPARISON
from tableseal.api.jobs.pattern import DECISIONS
from tableseal.api.jobs.suppression_kind import KIND as SUPPRESSION
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.beside import beside
from tableseal.api.web.decisions import CHOICES, pattern_of
from tableseal.api.web.drafts import begun, has_file, result_file
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, parts_of
from tableseal.api.web.progress import job_page
from tableseal.api.web.workbench import bench_of, page_file, shown

CHOSEN = ("optimal", "heuristic", "network")
"""Methods that are compared if nobody says otherwise."""

router = APIRouter()


@router.post("/releases/{draft}/comparisons")
async def post_comparison(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Compare methods on a release."""
    form = await plain_form(request)
    # Where none is ticked, none is asked for: not those that are compared if nobody says otherwise.
    methods = ",".join(filter(None, map(str, (*form.getlist("method"), *form.getlist("changing"))))) or ","
    return await begun(at, asking, draft, COMPARISON, FormData([*form.multi_items(), ("methods", methods)]))


@router.post("/releases/{draft}/suppressions")
async def post_suppression(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Protect a release."""
    return await begun(at, asking, draft, SUPPRESSION, await plain_form(request))


@router.get("/jobs/{job}/files/{name}")
def get_file(job: str, name: str, at: ServiceDep, asking: Reader) -> Response:
    """A file of a result."""
    found = own_job(at, asking, job)
    note_read(at, asking, found)
    return document_response(at, found, name)


def _in_the_way(at: Service, job: Job) -> str:
    """Why there is no pattern, in words."""
    conflict = json.loads(result_file(at.store, job, "suppression.json") or b"{}").get("conflict") or {}
    return str(conflict.get("text", ""))


def comparison_page(request: Request, at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """Methods side by side, with the chart of cost against protection."""
    name = page_file(request, at, job)
    title, body = parts_of(result_file(at.store, job, name).decode())
    return page(
        request,
        "comparison.html",
        job=job,
        title=title,
        body=body,
        name=name,
        draft=draft,
        forms=offered(COMPARISON.rows),
    )


def suppression_page(request: Request, at: Service, asking: Principal, job: Job, draft: str | None) -> Response:
    """The protected release and its audit, or why there is none."""
    safe = has_file(at.store, job, "protected.zip")
    bench = bench_of(at, job)
    if bench is None and has_file(at.store, job, "report.html"):  # made by an earlier version
        return job_page(request, at, job, draft)
    if bench is None:
        return page(
            request,
            "suppression.html",
            job=job,
            title="No pattern protects this release",
            why=_in_the_way(at, job),
            safe=safe,
            draft=draft,
            forms=offered(SUPPRESSION.rows),
        )
    title = f"{bench.front.called.capitalize()}: {bench.front.title}"
    return page(
        request,
        "suppression.html",
        job=job,
        title=title,
        **shown(bench, job, request.query_params),
        file=page_file(request, at, job),
        pattern=pattern_of(at, job, request.query_params),
        choices=CHOICES,
        beside=beside(at, asking, draft, job),
        chosen=CHOSEN,
        decided=has_file(at.store, job, DECISIONS),
        safe=safe,
        draft=draft,
        forms=offered(SUPPRESSION.rows),
    )
