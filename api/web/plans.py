"""Pages on plans: bring one with its files, see which tables hang together, have all of it made safe."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import begin, ordered, submitted
from tableseal.api.http.renderings import offered
from tableseal.api.http.resources import own_job
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep, may, require
from tableseal.api.http.spool import Spool
from tableseal.api.http.uploads import Fields, main_among
from tableseal.api.jobs.plan_kind import FILES, ShownRequest
from tableseal.api.jobs.plan_kind import KIND as PLAN
from tableseal.api.jobs.published_kind import CERTIFICATE, PublishedRequest
from tableseal.api.jobs.published_kind import KIND as PUBLISHED
from tableseal.api.problems import Problem, problem_of
from tableseal.api.store.job import Document, Job, State
from tableseal.api.store.jobs import jobs_of
from tableseal.api.store.publications import names_of
from tableseal.api.store.tokens import Principal, Role
from tableseal.api.web.drafts import result_file
from tableseal.api.web.fields import fields_of, filled
from tableseal.api.web.intake import brought, laid_open, plain_form
from tableseal.api.web.pages import page, see
from tableseal.audit.errors import InputError

LISTED = 200
"""Plans on the page, the newest, and as many publications of plans."""

UNDER = ("publication", "revises", "despite")
"""Options for officers: what enters the ledger."""

router = APIRouter(prefix="/plans")


@router.get("")
def list_plans(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """The form for a plan, plans that are kept, and what was made of them."""
    return _list(request, at, asking)


@router.post("")
async def post_plan(request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """A plan has been brought: which tables hang together."""
    with Spool(at.settings.working_folder) as spool:
        try:
            form = await brought(request, at.settings, spool)
            files = await laid_open(form.files, at.settings, spool)
            names = tuple(file.name for file in files)
            plan = form.roles.get("plan") or main_among(names, "what was brought", Fields("plan"))
            done = await begin(at, asking, ordered(at, PLAN, ShownRequest(plan=plan, kept=names), files))
        except ProblemError as error:
            done = error.problem
        except InputError as error:
            done = problem_of(error)
        if isinstance(done, Problem):
            return await run_in_threadpool(_list, request, at, asking, done)
    return see(f"/jobs/{done.id}")


@router.post("/{plan}/published")
async def post_published(plan: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Make everything of a plan safe. What is wrong with a field is said above the form."""
    job = await run_in_threadpool(own_job, at, asking, plan)
    form = await plain_form(request)
    if any(str(form.get(name, "")).strip() for name in UNDER):
        require(request, at, asking, Role.OFFICER)
    brought_with = ShownRequest.model_validate_json(job.request) if job.kind == PLAN.name else None
    if brought_with is None or not brought_with.kept or job.state is not State.SUCCEEDED:
        raise ProblemError(Problem("no-such-plan", "No such plan", 404, "There is no plan here whose files are kept."))
    try:
        named = {"plan": brought_with.plan, "draft": job.id, "by": asking.who}
        wanted = filled(PublishedRequest, form, **named)
        files = await run_in_threadpool(_files, at, job, brought_with.kept)
        order = await run_in_threadpool(ordered, at, PUBLISHED, wanted, files, job.title)
        done = await submitted(at, asking, order)
    except ProblemError as error:
        return await run_in_threadpool(_plan, request, at, asking, job, error.problem)
    except InputError as error:
        return await run_in_threadpool(_plan, request, at, asking, job, problem_of(error))
    return see(f"/jobs/{done.id}")


def plan_page(request: Request, at: Service, asking: Principal, job: Job, draft: str | None) -> Response:
    """Which tables of a plan hang together, and the form with which all of it is made safe."""
    return _plan(request, at, asking, job)


def published_page(request: Request, at: Service, asking: Principal, job: Job, draft: str | None) -> Response:
    """What came out for every cluster of a plan."""
    said = json.loads(result_file(at.store, job, "published.json"))
    return page(
        request,
        "published.html",
        job=job,
        said=said,
        certificate=json.loads(result_file(at.store, job, CERTIFICATE)),
        out=[name for one in said["clusters"] for name in one["files"] if name.startswith("public/")],
        plan=draft,
        report_of=lambda file: f"/v1/jobs/{job.id}/reports/{_report(file)}",
        forms=offered(PUBLISHED.rows),
    )


def _report(file: str) -> str:
    """agency/food.report.html -> food.html"""
    return file.removeprefix("agency/").replace(".report.", ".")


def _plan(request: Request, at: Service, asking: Principal, job: Job, problem: Problem | None = None) -> Response:
    fields = dict(fields_of(PublishedRequest))
    if problem is not None and problem.parameter in fields:
        fields[problem.parameter] = replace(fields[problem.parameter], error=problem.detail)
    with at.store.reading() as connection:
        names = names_of(connection, asking.owner)
    return page(
        request,
        "plan.html",
        job=job,
        said=json.loads(result_file(at.store, job, "plan.json")),
        kept=bool(ShownRequest.model_validate_json(job.request).kept),
        fields=fields,
        under=UNDER,
        officer=may(asking, Role.OFFICER),
        names=names,
        forms=offered(PLAN.rows),
        problem=problem,
    )


def _files(at: Service, job: Job, names: tuple[str, ...]) -> tuple[Document, ...]:
    return tuple(Document(n, "application/octet-stream", result_file(at.store, job, FILES + n)) for n in names)


def _list(request: Request, at: Service, asking: Principal, problem: Problem | None = None) -> Response:
    with at.store.reading() as connection:
        found: Mapping[str, Any] = {
            kind.name: jobs_of(connection, asking.owner, limit=LISTED, kind=kind.name) or ()
            for kind in (PLAN, PUBLISHED)
        }
    return page(request, "plans.html", plans=found[PLAN.name], made=found[PUBLISHED.name], problem=problem)
