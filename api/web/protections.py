"""Pages on methods that change values: choose one and its settings, and look at what it did."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import begin
from tableseal.api.http.renderings import offered
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.jobs.protection_kind import DONE, KIND
from tableseal.api.problems import Problem
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import Draft, asked_for, has_file, ready_draft, result_file
from tableseal.api.web.fields import Field, answered, demanded, fields_of
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, see
from tableseal.api.web.progress import job_page
from tableseal.api.web.workbench import bench_of, page_file, shown
from tableseal.suppression.protections.names import NEEDS, TAKES, WORDS

FIRST = "controlled-rounding"
"""The method whose form is shown if nobody says which."""

SHARED = ("seed", "time_limit", "symbol")
"""Options of every method."""

router = APIRouter()


@router.get("/releases/{draft}/protections")
def get_form(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """The form for a method: its own settings, and those of all."""
    found = ready_draft(at, asking, draft)
    return _form(request, found, FormData({"method": request.query_params.get("method", FIRST)}))


@router.post("/releases/{draft}/protections")
async def post_protection(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Change the values of a release. What is wrong with a setting is said beside its field."""
    found = await run_in_threadpool(ready_draft, at, asking, draft)
    form = await plain_form(request)
    method = str(form.get("method", ""))
    try:
        demanded(form, NEEDS.get(method, ()), method)
        others = set(fields_of(KIND.request)) - {"method", *SHARED, *_settings(method)}
        done = await begin(at, asking, await asked_for(at, asking, draft, KIND, form, without=others))
    except ProblemError as error:
        return _form(request, found, form, error.problem)
    return _form(request, found, form, done) if isinstance(done, Problem) else see(f"/jobs/{done.id}")


def protection_page(request: Request, at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """What was done to the values, the audit of what is released, risk and utility."""
    bench = bench_of(at, job)
    done = result_file(at.store, job, DONE)
    if bench is None or not done:  # made by an earlier version
        return job_page(request, at, job, draft)
    said = json.loads(done)
    return page(
        request,
        "protection.html",
        job=job,
        done=said,
        compared=compared_as(said["statement"]),
        again=_again(draft, said["statement"]),
        **shown(bench, job, request.query_params),
        file=page_file(request, at, job),
        safe=has_file(at.store, job, "protected.zip"),
        draft=draft,
        forms=offered(KIND.rows),
    )


def compared_as(statement: Mapping[str, Any]) -> str:
    """A method with its settings as a comparison names it."""
    said = ",".join(f"{name}={value}" for name, value in statement["settings"].items())
    return f"{statement['method']}:{said}" if said else str(statement["method"])


def _again(draft: str | None, statement: Mapping[str, Any]) -> str | None:
    """Where its form is."""
    return None if draft is None else f"/releases/{draft}/protections?method={statement['method']}"


def _settings(method: str) -> tuple[str, ...]:
    return (*NEEDS.get(method, ()), *TAKES.get(method, ()))


def _form(request: Request, draft: Draft, form: FormData, problem: Problem | None = None) -> Response:
    method = str(form.get("method", ""))
    if method not in WORDS:
        expected = f"expected one of {', '.join(WORDS)}."
        problem = Problem("invalid-parameter", "A parameter cannot be used", 422, f"method: {expected}")
        method = FIRST
    asked = (*_settings(method), *SHARED)
    fields: Mapping[str, Field] = answered(fields_of(KIND.request), asked, form, NEEDS.get(method, ()), problem)
    return page(
        request,
        "protect.html",
        draft=draft,
        method=method,
        methods=WORDS,
        fields=fields,
        own=_settings(method),
        shared=SHARED,
        problem=problem,
    )
