"""Pages on publications: what is out already under a name, what a new release does to it, and what was taken back."""

import json
import re
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.publications import Acceptance, Name, Number, Retraction, accept, entry_of, published, retract
from tableseal.api.http.service import Analyst, Officer, Reader, Service, ServiceDep
from tableseal.api.jobs.ledger import ENTRY
from tableseal.api.jobs.publication_kind import KIND, NAME, PublicationRequest
from tableseal.api.problems import Problem
from tableseal.api.store.job import Job
from tableseal.api.store.publications import names_of, publication
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import Draft, begun, drafts_of, result_file
from tableseal.api.web.fields import checked, fields_of
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, see

SHOWN = 500
"""Cells that fall on a page; all of them are in the answer as JSON."""

FIELDS = fields_of(PublicationRequest)

router = APIRouter(prefix="/publications")


@router.get("")
def list_publications(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """All publications, and the form for a new one."""
    with at.store.reading() as connection:
        found = [publication(connection, asking.owner, name) for name in names_of(connection, asking.owner)]
    return page(request, "publications.html", publications=found, drafts=_ready(at, asking), fields=FIELDS)


@router.post("")
async def post_audit(request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Audit a release that was brought with all that was published under a name."""
    form = await plain_form(request)
    name = str(form.get("name", "")).strip()
    if not re.search(NAME, name):
        text = (
            "The name of a publication has letters, digits, spaces and the signs _ . - , and none of the signs first."
        )
        raise ProblemError(Problem("invalid-parameter", "A field cannot be used", 422, text, parameter="name"))
    kept_for_officers = ("publish", "despite")
    draft = str(form.get("draft", ""))
    return await begun(at, asking, draft, KIND, form, without=kept_for_officers, name=name, by=asking.who)


@router.get("/{name}")
def get_publication(name: Name, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """One publication: its entries, and the form for the next release."""
    return page(
        request, "publication.html", publication=published(at, asking, name), drafts=_ready(at, asking), fields=FIELDS
    )


@router.post("/{name}/entries")
async def post_entry(name: Name, request: Request, at: ServiceDep, asking: Officer) -> Response:
    """Publish a release that was audited."""
    form = await plain_form(request)
    given = checked(Acceptance, {"job": str(form.get("job", "")), **_said(form, "despite")})
    await run_in_threadpool(accept, at, asking, name, given)
    return see(_path(name))


@router.get("/{name}/entries/{number}")
def get_entry(name: Name, number: Number, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """One entry, and the form with which it is taken back."""
    _, entry = entry_of(at, asking, name, number)
    return page(request, "entry.html", name=name, entry=entry)


@router.post("/{name}/entries/{number}/withdrawal")
async def post_withdrawal(name: Name, number: Number, request: Request, at: ServiceDep, asking: Officer) -> Response:
    """Take an entry back."""
    await run_in_threadpool(entry_of, at, asking, name, number)  # what is another's is not there, whatever is sent
    taken = checked(Retraction, _said(await plain_form(request), "reason", "was_out"))
    await run_in_threadpool(retract, at, asking, name, number, taken)
    return see(f"{_path(name)}/entries/{number}")


def assessment_page(request: Request, at: Service, asking: Principal, job: Job, draft: str | None) -> Response:
    """What a new release does to a publication: which cells fall, and which earlier tables make them fall."""
    found = json.loads(result_file(at.store, job, "publication-audit.json"))
    return page(
        request,
        "assessment.html",
        job=job,
        found=found,
        draft=draft,
        shown=SHOWN,
        **_state(at, asking, job, found),
    )


def _state(at: Service, asking: Principal, job: Job, found: dict[str, Any]) -> dict[str, Any]:
    """number: of the entry that the release has become; changed: the publication has changed since it was audited."""
    if found["published"] is not None:
        return {"number": found["published"], "changed": False}
    audited = json.loads(result_file(at.store, job, ENTRY))
    with at.store.reading() as connection:
        kept = publication(connection, asking.owner, found["publication"])
    own = audited["entry"]
    out = any((entry["number"], entry["sha256"]) == (own["number"], own["sha256"]) for entry in kept.entries)
    return {"number": own["number"] if out else None, "changed": kept.version != audited["version"]}


def _ready(at: Service, asking: Principal) -> list[Draft]:
    """Releases that can be audited."""
    return [draft for draft in drafts_of(at, asking) if draft.said["state"] == "ready"]


def _said(form: FormData, *fields: str) -> dict[str, str]:
    """Fields that are filled in."""
    return {name: text for name in fields if (text := str(form.get(name, "")).strip())}


def _path(name: str) -> str:
    return f"/publications/{quote(name)}"
