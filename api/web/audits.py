"""Pages on audits: begin one, and look at what came of it."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.auditing import AuditOptions
from tableseal.api.http.intake import Order, submitted
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.jobs.audit_kind import AuditRequest
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import files_of_draft, has_file, own_draft, result_file
from tableseal.api.web.intake import checked, chosen, plain_form
from tableseal.api.web.pages import page, parts_of, see

FLAGS = ("withhold_primaries", "cumulative", "proof")
FIELDS = ("bounds", "entropy", "time_limit")

router = APIRouter()


@router.post("/releases/{draft}/audits")
async def post_audit(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Begin an audit of a release that was brought."""
    found = await run_in_threadpool(own_draft, at, asking, draft)
    options = checked(AuditOptions, chosen(await plain_form(request), FIELDS, FLAGS))
    said = found.said
    wanted = AuditRequest(release=said["release"], policy=said["policy"], options=options, draft=draft)
    files = await files_of_draft(at, found, said["names"])
    job = await run_in_threadpool(submitted, at, asking, Order("audit", wanted.model_dump_json(), files), None)
    return see(f"/jobs/{job.id}")


def audit_page(at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """The report of an audit that succeeded, with what can be done next."""
    title, body = parts_of(result_file(at.store, job, "report.html").decode())
    return page(
        "audit.html",
        job=job,
        title=title,
        body=body,
        proof=has_file(at.store, job, "proof.json"),
        draft=draft,
    )
