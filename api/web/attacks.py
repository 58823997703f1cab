"""Pages on attacks: which of them to try on changed counts, and what comes back."""

import json
from collections.abc import Collection

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import begin, ordered
from tableseal.api.http.resources import own_job
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.jobs.attack_kind import KIND
from tableseal.api.options.attack import MEANINGS
from tableseal.api.problems import Problem
from tableseal.api.store.job import Document, Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import Draft, asked_for, draft_behind, ready_draft, result_file
from tableseal.api.web.fields import answered, fields_of, filled
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, see

ASKED = ("curve", "tolerate", "widest", "draws", "seed", "time_limit")
"""Options of the form besides the attacks."""

AGENCY = "confidential.json"
"""Result of a protection: what is released, with true values beside it."""

router = APIRouter()


@router.get("/releases/{draft}/attacks")
def get_form(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """The form."""
    return _form(request, ready_draft(at, asking, draft), FormData({}), chosen=MEANINGS)


@router.post("/releases/{draft}/attacks")
async def post_attack(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Attack a release with changed counts. What is wrong with an option is said beside its field."""
    found = await run_in_threadpool(ready_draft, at, asking, draft)
    form = await plain_form(request)
    try:
        without = set(fields_of(KIND.request)) - {"attacks", *ASKED}
        done = await begin(at, asking, await asked_for(at, asking, draft, KIND, form, without=without))
    except ProblemError as error:
        done = error.problem
    if isinstance(done, Problem):
        return _form(request, found, form, [str(name) for name in form.getlist("attacks")], done)
    return see(f"/jobs/{done.id}")


@router.post("/jobs/{job}/attacks")
async def post_attack_on_result(job: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Attack what a protection made, as usual."""
    found = await run_in_threadpool(own_job, at, asking, job)
    content = await run_in_threadpool(result_file, at.store, found, AGENCY)
    if not content:
        text = "There is no protected release to attack: only one whose audit says safe is kept."
        raise ProblemError(Problem("no-result", "No result", 409, text))
    wanted = filled(KIND.request, await plain_form(request), release=AGENCY, draft=draft_behind(found))
    order = ordered(at, KIND, wanted, (Document(AGENCY, "application/json", content),), found.title)
    done = await begin(at, asking, order)
    if isinstance(done, Problem):
        raise ProblemError(done)
    return see(f"/jobs/{done.id}")


def attack_page(request: Request, at: Service, _: Principal, job: Job, draft: str | None) -> Response:
    """What comes back of the true counts."""
    found = json.loads(result_file(at.store, job, "attack.json"))
    tried = [one for one in found["attacks"] if one["guessed"]["all"]["counts"]]
    return page(request, "attack.html", job=job, found=found, tried=tried, meanings=MEANINGS, draft=draft)


def _form(
    request: Request, draft: Draft, form: FormData, chosen: Collection[str], problem: Problem | None = None
) -> Response:
    fields = answered(fields_of(KIND.request), ASKED, form, (), problem)
    return page(
        request,
        "attacks.html",
        draft=draft,
        fields=fields,
        attacks=MEANINGS,
        chosen=chosen,
        problem=problem,
    )
