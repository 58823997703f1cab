"""Pages on audits: begin one, and look at what came of it."""

from fastapi import APIRouter, Request, Response

from tableseal.api.http.renderings import offered
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.jobs.audit_kind import KIND
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import begun, has_file
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page
from tableseal.api.web.progress import job_page
from tableseal.api.web.workbench import bench_of, page_file, shown

router = APIRouter()


@router.post("/releases/{draft}/audits")
async def post_audit(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Begin an audit of a release that was brought."""
    return await begun(at, asking, draft, KIND, await plain_form(request), html=True)


def audit_page(request: Request, at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """The report of an audit that succeeded, with what can be done next; of one that was not asked for pages, the
    way to its answer."""
    bench = bench_of(at, job)
    if bench is None:
        return job_page(request, at, job, draft)
    return page(
        request,
        "audit.html",
        job=job,
        **shown(bench, job, request.query_params),
        file=page_file(request, at, job),
        forms=offered(KIND.rows),
        proof=has_file(at.store, job, "proof.json"),
        draft=draft,
    )
