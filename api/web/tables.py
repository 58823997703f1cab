"""Pages on which users make their own tables of a hypercube."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from tableseal.api.generating.again import told_again
from tableseal.api.generating.code import as_code
from tableseal.api.generating.counter import Counter
from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.likely import Likely, likely
from tableseal.api.generating.reasons import HELD, reasons, steps_words
from tableseal.api.generating.said import request_said, stepped
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import ordered, submitted
from tableseal.api.http.renderings import FORMATS
from tableseal.api.http.resources import document_content
from tableseal.api.http.service import Analyst, Reader, Service, ServiceDep
from tableseal.api.http.tables import Name, counter_of, job_of, table_response, told_of
from tableseal.api.jobs.table_kind import KIND as TABLE_KIND
from tableseal.api.jobs.table_kind import TABLE, TableJob
from tableseal.api.problems import Problem, problem_of
from tableseal.api.store.job import Job
from tableseal.api.store.tokens import Principal
from tableseal.api.web.intake import plain_form
from tableseal.api.web.pages import page, see
from tableseal.api.web.progress import job_page
from tableseal.api.web.table_choices import Choices, choices_behind, choices_of, document_of
from tableseal.audit.codec.public import public_part
from tableseal.audit.errors import TablesealError
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.hypercube.request import TableRequest
from tableseal.audit.io.yaml_out import write_document

ACROSS = 12
"""Codes of the last variable, at most, that stand beside each other; else it goes down as the others do."""

SHOWN = 200
"""Rows on a page; files have all."""

router = APIRouter(prefix="/tables")


@dataclass(frozen=True)
class Laid:
    """A table as rows and columns. columns: codes across, or none: then each row has one value. rows: codes, values
    (None: not defined). more: rows that are not shown."""

    down: tuple[str, ...]
    across: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[float | Fraction | None, ...]], ...]
    more: int


@dataclass(frozen=True)
class Offer:
    """A table that would be given. text: its request, to be asked for."""

    words: str
    cells: int
    text: str


@router.get("")
def list_hypercubes(request: Request, at: ServiceDep, asking: Reader) -> Response:
    """Hypercubes of which tables can be made."""
    found = [(name, counter.cells.about) for name in at.counters.names() if (counter := at.counters.counter(name))]
    return page(request, "hypercubes.html", hypercubes=found)


@router.get("/{name}")
def get_form(name: Name, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """Choose a table; what is chosen stands in the address, with its size and the likely verdict beside it."""
    counter = counter_of(at, name)
    return _page(request, counter, choices_of(request.query_params, counter.cells.about))


@router.post("/{name}")
async def post_table(name: Name, request: Request, at: ServiceDep, asking: Analyst) -> Response:
    """Ask for the table that was chosen: it is given, or refused with the nearest ones that would be given."""
    form = await plain_form(request)
    counter = await run_in_threadpool(counter_of, at, name)
    choices = choices_of(form, counter.cells.about)
    try:
        wanted, told = await at.generating.run(_told, at, asking, name, choices)
        if isinstance(told, TableJob):
            return await _under_way(at, asking, wanted, told)
    except TablesealError as error:
        return await at.generating.run(_page, request, counter, choices, problem_of(error))
    return await at.generating.run(_page, request, counter, choices, asked=wanted, told=told)


@router.post("/{name}/file")
async def post_file(name: Name, request: Request, at: ServiceDep, asking: Analyst, format: str = "csv") -> Response:
    """The same table again, as a file: it counts once."""
    form = await plain_form(request)
    if format not in FORMATS:
        text = f"format: expected one of {', '.join(FORMATS)}."
        raise ProblemError(Problem("invalid-parameter", "A parameter cannot be used", 422, text, parameter="format"))
    about = (await run_in_threadpool(counter_of, at, name)).cells.about
    wanted, told = await at.generating.run(_told, at, asking, name, choices_of(form, about))
    if isinstance(told, TableJob):
        return await _under_way(at, asking, wanted, told)
    found = await run_in_threadpool(table_response, told, FORMATS[format])
    found.headers["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    return found


def _told(at: Service, asking: Principal, name: str, choices: Choices) -> tuple[TableRequest, TableAnswer | TableJob]:
    counter = counter_of(at, name)
    document = document_of(choices, counter.cells)
    wanted = request_of(document, counter.cells)
    return wanted, job_of(at, asking, counter, wanted, document) or told_of(at, asking, counter, wanted)


async def _under_way(at: Service, asking: Principal, wanted: TableRequest, asked: TableJob) -> Response:
    """A large table is a job; its page says how far it is, and has the table in the end."""
    job = await submitted(at, asking, ordered(at, TABLE_KIND, asked, (), wanted.title))
    return see(f"/jobs/{job.id}")


def table_page(request: Request, at: Service, asking: Principal, job: Job, draft: str | None) -> Response:
    """The table that a job made, or why it is not given."""
    asked = TableJob.model_validate_json(job.request)
    told = told_again(document_content(at, job, TABLE).decode())
    counter = at.counters.counter(asked.hypercube)
    if counter is None or counter.identity != asked.identity:
        return job_page(request, at, job, draft)  # what stands beside the table would be of another hypercube
    wanted = request_of(asked.request, counter.cells)
    return _page(request, counter, choices_of({}, counter.cells.about), asked=wanted, told=told, job=job.id)


def _page(
    request: Request,
    counter: Counter,
    choices: Choices,
    problem: Problem | None = None,
    *,
    asked: TableRequest | None = None,
    told: TableAnswer | None = None,
    job: str | None = None,
) -> Response:
    about, variables = counter.cells.about, counter.generator.variables
    expected: Likely | None = None
    if asked is None and problem is None and choices.anything:
        try:
            asked = request_of(document_of(choices, counter.cells), counter.cells)
        except TablesealError as error:
            problem = problem_of(error)
    document: Mapping[str, Any] = {}
    if asked is not None:
        expected = likely(asked, about, counter.generator)
        document = request_said(asked, variables)
        if told is not None:
            choices = choices_behind(document, about)
    shown = None if told is None else public_part(told)
    offers: list[Offer] = []
    if shown is not None and shown.refusal is not None and asked is not None:
        for one in shown.refusal.nearest:
            near = request_said(stepped(asked, one.steps, variables), variables)
            offers.append(Offer(steps_words(one), one.cells, write_document(near)))
    return page(
        request,
        "table.html",
        problem=problem,
        name=counter.name,
        path=f"/tables/{quote(counter.name)}",
        about=about,
        choices=choices,
        likely=expected,
        held=HELD,
        reasons=reasons,
        told=shown,
        job=job,
        laid=None if shown is None or shown.answer is None else laid_out(shown),
        offers=offers,
        text=write_document(dict(document)) if document else "",
        code=as_code(str(request.base_url).rstrip("/"), counter.name, document) if told is not None else {},
    )


def laid_out(told: TableAnswer) -> Laid:
    """A table that was given, as rows and columns: the last variable across where it fits.

    Raises
    ------
    ValueError: there is none.
    """
    answer = told.answer
    if answer is None:
        raise ValueError("refused")
    values: tuple[float | Fraction | None, ...] = told.shares or told.means or answer.values
    fits = len(answer.codes) > 1 and len(answer.codes[-1]) <= ACROSS
    codes = answer.codes[:-1] if fits else answer.codes
    width = len(answer.codes[-1]) if fits else 1
    rows = []
    for k, row in enumerate(product(*codes)):
        if k == SHOWN:
            break
        rows.append((row, values[k * width : (k + 1) * width]))
    return Laid(
        answer.variables[: len(codes)],
        answer.variables[-1] if fits else "",
        answer.codes[-1] if fits else (),
        tuple(rows),
        len(values) // width - len(rows),
    )
