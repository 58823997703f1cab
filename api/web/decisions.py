"""Decisions by hand about a pattern: keep a cell published or accept it as withheld, and search again with that."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import ordered, submitted
from tableseal.api.http.resources import own_job
from tableseal.api.http.service import Analyst, Service, ServiceDep
from tableseal.api.jobs.pattern import DECISIONS, PATTERN
from tableseal.api.jobs.suppression_kind import KIND
from tableseal.api.problems import Problem
from tableseal.api.store.job import Document, Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import draft_behind, files_of_draft, own_draft, result_file
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import see
from tableseal.api.web.workbench import bench_of, reading, whole
from tableseal.audit.errors import InputError
from tableseal.audit.language import words_of
from tableseal.audit.report.workbench.packed import Packed
from tableseal.audit.report.workbench.selection import PAGE

CHOICES = words_of({"keep_published": "Keep published", "accept": "Accept as withheld"})
"""What can be decided of a secondary cell -> what the button says."""

router = APIRouter(prefix="/jobs")


@dataclass(frozen=True)
class SecondaryCell:
    """A cell that is withheld for others. why: what needs it; number: its place in the list, from 1."""

    number: int
    name: str
    measure: str
    cost: str
    why: str
    accepted: bool


@dataclass(frozen=True)
class Pattern:
    """A page of a pattern. explained: nothing more could be found out of what needs each cell."""

    figures: tuple[str, ...]
    decided: tuple[str, ...]
    cells: tuple[SecondaryCell, ...]
    explained: bool
    found: int
    page: int
    pages: int


def pattern_of(at: Service, job: Job, params: QueryParams) -> Pattern | None:
    """The page of the pattern that is asked for; None if none was kept.

    Raises
    ------
    ProblemError: there is no such page.
    """
    read = reading(at, job, PATTERN)
    bench = bench_of(at, job)
    if read is None or bench is None:
        return None
    file = Packed(read)
    found = file.length("cells")
    pages = max(1, -(-found // PAGE))
    try:
        page = whole(params, "secondary")
    except InputError:
        page = 0
    if not 1 <= page <= pages:
        text = f"secondary: expected a page from 1 to {pages}."
        raise ProblemError(Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter="secondary"))
    numbers = range((page - 1) * PAGE, min(page * PAGE, found))
    cells = []
    for number, (codes, *rest) in file.entries("cells", numbers).items():
        named = zip(bench.variables, codes, strict=True)
        parts = [f"{v.name}={code}" for v, code in named if v.total < 0 or v.codes[v.total] != code]
        cells.append(SecondaryCell(number + 1, ", ".join(parts) or "grand total", *rest))
    front = file.document("front")
    return Pattern(
        tuple(front["figures"]), tuple(front["decided"]), tuple(cells), front.get("explained", True), found, page, pages
    )


@router.post("/{job}/decisions")
async def post_decision(job: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Decide about a secondary cell; the same search begins again with all decisions so far."""
    found = await run_in_threadpool(own_job, at, asking, job)
    form = await plain_form(request)
    return await _again(at, asking, found, await run_in_threadpool(_decisions, at, asking, found, form))


@router.post("/{job}/reasons")
async def post_reasons(job: str, at: ServiceDep, asking: Analyst) -> Response:
    """Search again, with the decisions so far, and find out what needs each cell however long that takes."""
    found = await run_in_threadpool(own_job, at, asking, job)
    if found.kind != KIND.name:
        raise ProblemError(Problem("no-such-pattern", "No such pattern", 404, "The job is no search for a pattern."))
    return await _again(at, asking, found, await run_in_threadpool(_kept, at, found), explain=True)


async def _again(
    at: Service, asking: Principal, job: Job, decisions: list[dict[str, Any]], **options: bool
) -> Response:
    """The same search with these decisions, and options that take the place of those before.

    Raises
    ------
    ProblemError: its release is not there.
    """
    draft = draft_behind(job)
    if draft is None:
        text = "The release that this pattern is of is not kept here; bring it again."
        raise ProblemError(Problem("no-such-release", "No such release", 404, text))
    release = await run_in_threadpool(own_draft, at, asking, draft)
    files = await files_of_draft(at, release, release.said["names"])
    asked = json.loads(job.request)
    asked["options"] = {**asked.get("options", {}), **options}
    if decisions:
        asked["decisions"] = name = _free(DECISIONS, {file.name for file in files})
        content = json.dumps({"decisions": decisions}, ensure_ascii=False, indent=1).encode()
        files = (*files, Document(name, "application/json", content))
    order = ordered(at, KIND, KIND.request.model_validate(asked), files, release.title)
    return see(f"/jobs/{(await submitted(at, asking, order)).id}")


def _decisions(at: Service, asking: Principal, job: Job, form: FormData) -> list[dict[str, Any]]:
    """Decisions so far and the new one, which takes the place of one about the same cell.

    Raises
    ------
    ProblemError: no such cell; no reason or name.
    """
    read, bench = reading(at, job, PATTERN), bench_of(at, job)
    number, kind = str(form.get("cell", "")), str(form.get("decision", ""))
    file = None if read is None else Packed(read)
    if file is None or bench is None or not number.isdecimal() or not 1 <= int(number) <= file.length("cells"):
        raise ProblemError(Problem("no-such-cell", "No such cell", 404, "The pattern has no such cell."))
    said = {name: str(form.get(name, "")).strip() for name in ("reason", "name")}
    for name, text in {**said, "decision": kind if kind in CHOICES else ""}.items():
        if not text:
            problem = Problem("invalid-parameter", "A parameter cannot be used", 422, f"{name}: is missing.")
            raise ProblemError(problem)
    codes, measure, *_ = file.entries("cells", [int(number) - 1])[int(number) - 1]
    cell = {variable.name: code for variable, code in zip(bench.variables, codes, strict=True)}
    new = {"decision": kind, "cell": cell, **said, "date": datetime.now(UTC).date().isoformat()}
    if len(bench.measures) > 1:
        new["measure"] = measure
    return [one for one in _kept(at, job) if (one["cell"], one.get("measure")) != (cell, new.get("measure"))] + [new]


def _kept(at: Service, job: Job) -> list[dict[str, Any]]:
    """Decisions so far."""
    kept: list[dict[str, Any]] = json.loads(result_file(at.store, job, DECISIONS) or b'{"decisions": []}')["decisions"]
    return kept


def _free(name: str, taken: set[str]) -> str:
    """A name that no file has."""
    stem, _, ending = name.rpartition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}.{ending}"
    return name
