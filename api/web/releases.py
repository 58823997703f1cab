"""Pages on releases: bring one, say what its columns are, look at it, erase it."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.drafts.kind import DraftRequest
from tableseal.api.drafts.marks import Marks, Role
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import Order, begin
from tableseal.api.http.resources import note_read
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.http.spool import Spool
from tableseal.api.jobs.audit_kind import KIND as AUDIT
from tableseal.api.jobs.comparison_kind import KIND as COMPARISON
from tableseal.api.jobs.suppression_kind import KIND as SUPPRESSION
from tableseal.api.options.rules import form_fields
from tableseal.api.options.suppress import METHODS
from tableseal.api.problems import Problem
from tableseal.api.store.job import Document, Job
from tableseal.api.store.jobs import erase
from tableseal.api.store.log import note
from tableseal.api.store.publications import names_of
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import (
    Draft,
    drafts_of,
    files_of_draft,
    jobs_of_draft,
    not_ready,
    order_of,
    own_draft,
)
from tableseal.api.web.fields import fields_of
from tableseal.api.web.intake import files_of_form, marks_of, missing, plain_form
from tableseal.api.web.pages import erase_page, page, see
from tableseal.api.web.patterns import CHOSEN
from tableseal.audit.errors import Place

EXAMPLE = ("french_business", "turnover.yaml")
"""Case and release that the start page offers."""

ENDINGS = (
    *(
        ".xlsx",
        ".xlsm",
        ".csv",
        ".tsv",
        ".txt",
        ".parquet",
        ".pq",
        ".sas7bdat",
        ".xpt",
        ".sav",
        ".zsav",
        ".por",
        ".dta",
    ),
    *(".px", ".jsonstat", ".yaml", ".yml", ".json", ".hrc", ".rda", ".zip"),
)
"""Endings of files that browsers offer to choose from."""

router = APIRouter()


@router.get("/")
def start(request: Request, asking: Reader) -> Response:
    """Bring a release."""
    return _start(request)


@router.post("/releases")
async def post_release(request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """A release has been brought."""
    with Spool(at.settings.working_folder) as spool:
        try:
            files, policy = await files_of_form(request, at.settings, spool)
        except ProblemError as error:
            return _start(request, error.problem)
        wanted = DraftRequest(names=tuple(file.name for file in files), policy=policy)
        return await _drafted(request, at, asking, wanted, files)


@router.post("/example")
async def post_example(request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """The example of the start page, as if it had been brought."""
    case, release = EXAMPLE
    files = await run_in_threadpool(_example, case)
    wanted = DraftRequest(names=tuple(file.name for file in files), release=release)
    return await _drafted(request, at, asking, wanted, files)


@router.get("/releases")
def list_releases(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """Releases that are kept."""
    return page(request, "releases.html", drafts=drafts_of(at, asking))


@router.get("/releases/{draft}")
def get_release(draft: str, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """One release: what it is, and what can be done with it."""
    found = own_draft(at, asking, draft)
    note_read(at, asking, found.job)
    if found.said["state"] == "choose":
        return page(request, "choose.html", draft=found)
    if found.said["state"] == "columns":
        return _columns(request, found, Marks.model_validate(found.said["marks"]))
    jobs = jobs_of_draft(at, asking.owner, draft)
    with at.store.reading() as connection:
        names = names_of(connection, asking.owner)
    forms = {kind.name: fields_of(kind.request) for kind in (AUDIT, COMPARISON, SUPPRESSION)}
    return page(
        request, "release.html", draft=found, jobs=jobs, methods=METHODS, chosen=CHOSEN, publications=names, forms=forms
    )


@router.post("/releases/{draft}/choice")
async def post_choice(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Which of several files the release is."""
    found = await run_in_threadpool(own_draft, at, asking, draft)
    if found.said["state"] != "choose":
        raise ProblemError(not_ready(found, "There is no choice of files"))
    chosen = str((await plain_form(request)).get("release", ""))
    if chosen not in found.plain:
        return page(request, "choose.html", status=422, draft=found)
    policy = found.said.get("policy")
    files = await files_of_draft(at, found, found.plain)
    wanted = DraftRequest(names=tuple(found.plain), release=chosen, policy=policy)
    return await _drafted(request, at, asking, wanted, files, instead_of=found)


@router.get("/releases/{draft}/columns")
def get_columns(draft: str, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """What the columns of a plain table are."""
    found = own_draft(at, asking, draft)
    if "columns" not in found.said:
        return see(f"/releases/{draft}")
    note_read(at, asking, found.job)
    return _columns(request, found, Marks.model_validate(found.said["marks"]))


@router.post("/releases/{draft}/columns")
async def post_columns(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """The columns have been marked."""
    found = await run_in_threadpool(own_draft, at, asking, draft)
    if "columns" not in found.said:
        return see(f"/releases/{draft}")
    marks = marks_of(await plain_form(request), [column["name"] for column in found.said["columns"]])
    wrong = missing(marks)
    if wrong is not None:
        return _columns(request, found, marks, Problem("invalid-marks", "The columns are not clear yet", 422, wrong))
    files = await files_of_draft(at, found, found.plain)
    wanted = DraftRequest(names=tuple(found.plain), release=found.said["table"], marks=marks)
    done = await begin(at, asking, order_of(wanted, files))
    if isinstance(done, Problem):
        return _columns(request, found, marks, done)
    return await _instead(at, asking, done, found)


@router.get("/releases/{draft}/erase")
def get_erase(draft: str, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Ask before a release is erased."""
    found = own_draft(at, asking, draft)
    return erase_page(request, found.job, found.title, f"/releases/{draft}")


@router.post("/releases/{draft}/erase")
def post_erase(draft: str, at: ServiceDep, asking: Analyst) -> Response:
    """Erase a release and its files."""
    found = own_draft(at, asking, draft)
    _erased(at, asking, found)
    return see("/releases")


def _start(request: Request, problem: Problem | None = None, text: str = "") -> Response:
    """The page that asks for files. text: what was pasted."""
    return page(request, "start.html", problem=problem, text=text, endings=",".join(ENDINGS))


def _columns(request: Request, draft: Draft, marks: Marks, problem: Problem | None = None) -> Response:
    """The form for the columns, with what is wrong beside the fields it concerns."""
    from tableseal.audit.io.statuses.schemes import SCHEMES  # loads numpy

    return page(
        request,
        "columns.html",
        draft=draft,
        marks=marks,
        roles=list(Role),
        schemes=list(SCHEMES),
        rules=list(form_fields()),
        problem=problem,
        fields=set() if problem is None else fields_in(problem, [c["name"] for c in draft.said["columns"]]),
    )


_FIELDS = {
    "unit": ("unit",),
    **{name: tuple(filter(None, (rule, asked.part))) for name, rule, asked in form_fields()},
    "risk": ("risk",),
    "scheme": ("scheme",),
    "absent": ("absent",),
    "decimal": ("decimal",),
    "thousands": ("thousands",),
    "texts": ("marks",),
}
"""Field of the form -> keys of the release file that it says."""


def fields_in(problem: Problem, columns: Sequence[str]) -> set[str]:
    """Fields of the form that a problem speaks of: `role-N` of a column, or the name of a field of Marks."""
    place = problem.places[0] if problem.places else Place()
    variable = place.path[1] if place.path[:1] == ("variables",) else None
    found = {f"role-{number}" for number, name in enumerate(columns) if name in (place.column, variable)}
    said = {*problem.keys, *place.path} - {variable}
    return found | {field for field, keys in _FIELDS.items() if said.issuperset(keys)}


async def _drafted(
    request: Request,
    at: Service,
    asking: Principal,
    wanted: DraftRequest,
    files: tuple[Document, ...],
    instead_of: Draft | None = None,
) -> Response:
    order: Order = order_of(wanted, files)
    done = await begin(at, asking, order)
    if isinstance(done, Problem):
        return _start(request, done, _text_of(files))
    if instead_of is not None:
        return await _instead(at, asking, done, instead_of)
    return see(f"/jobs/{done.id}")


async def _instead(at: Service, asking: Principal, done: Job, old: Draft) -> Response:
    """Show the new draft; the one that it came from goes as soon as the new one is there."""
    if done.state.final:
        await run_in_threadpool(_erased, at, asking, old)
    return see(f"/jobs/{done.id}")


def _erased(at: Service, asking: Principal, draft: Draft) -> None:
    with at.store.writing() as connection:
        if erase(connection, asking.owner, draft.job.id):
            note(connection, asking, "job.erase", draft.job.id)
    at.store.scrub()


def _text_of(files: Sequence[Document]) -> str:
    """Text that was pasted, so that it can be mended where it stands."""
    if len(files) == 1 and files[0].name in ("release.json", "release.yaml", "table.csv"):
        return files[0].read().decode("utf-8", "replace")
    return ""


def _example(case: str) -> tuple[Document, ...]:
    from tableseal.api.cases import cases_folder

    names = sorted(p for p in (cases_folder() / case).iterdir() if p.suffix in (".yaml", ".csv"))
    return tuple(
        Document(Path(p).name, "application/octet-stream", p.read_bytes()) for p in names if p.name != "case.yaml"
    )
