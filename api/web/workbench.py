"""A finished report as pages: a window of a map, a page of the list of cells, and every cell at an address of its own.

What a page shows is said by its query, so that every view has an address; forms and links carry it on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from starlette.datastructures import QueryParams

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.resources import note_read, own_job
from tableseal.api.http.service import Reader, Service, ServiceDep
from tableseal.api.jobs.pages import WORKBENCH, page_named
from tableseal.api.problems import Problem
from tableseal.api.store.files import files_of, part_of
from tableseal.api.store.job import Job, State
from tableseal.api.web.pages import language_of, page
from tableseal.audit.errors import InputError
from tableseal.audit.language import ENGLISH
from tableseal.audit.report.cell_words import CellWords
from tableseal.audit.report.grid import Shown
from tableseal.audit.report.workbench.maps import COLUMNS, LINES, Where, Window, window
from tableseal.audit.report.workbench.opened import Workbench
from tableseal.audit.report.workbench.selection import PAGE, SHOWN, SORTS, Query, Selection, counts, selected

IN, AT = "in.", "at."
"""What parameters begin with that say where a classification stands: in the map, and in the list."""

LONGEST = 300
"""More codes than this are not offered one by one: a field takes one that is typed."""

_MAP = ("map", "line", "column", "findings", "cell")

router = APIRouter(prefix="/jobs")


@dataclass(frozen=True)
class View:
    """What a page shows. rows: cells of the list with what is known of each and its address."""

    bench: Workbench
    where: Where
    window: Window
    query: Query
    selection: Selection
    rows: Sequence[tuple[CellWords, str]]
    counts: Mapping[str, int]
    address: Callable[[Shown], str]
    link: Callable[..., str]


def bench_of(at: Service, job: Job) -> Workbench | None:
    """The report of a job by parts; None if it was not kept so."""
    read = reading(at, job, WORKBENCH)
    return None if read is None else Workbench(read)


def page_file(request: Request, at: Service, job: Job) -> str:
    """The file of a job that is its result as one page, in the language of whoever asks if there is such a one."""
    spoken = page_named(language_of(request))
    with at.store.reading() as connection:
        names = {file.name for file in files_of(connection, job.id, "result")}
    return spoken if spoken in names else page_named(ENGLISH)  # an earlier version made only that


def reading(at: Service, job: Job, name: str) -> Callable[[int, int], bytes] | None:
    """How parts of a file of a result are read; None: it has no such file."""
    with at.store.reading() as connection:
        found = [file for file in files_of(connection, job.id, "result") if file.name == name]
    return part_of(at.store, found[0]) if found else None


def view_of(bench: Workbench, job: Job, params: QueryParams) -> View:
    """What the query of a page asks for.

    Raises
    ------
    ProblemError: 422, it asks for what is not there.
    """
    try:
        where = Where(
            table=params.get("map", ""),
            codes=_codes(params, IN),
            line=whole(params, "line"),
            column=whole(params, "column"),
            findings="findings" in params,
            around=whole(params, "cell") - 1 if "cell" in params else None,
        )
        query = Query(
            show=params.get("show", "open"),
            table=params.get("table", ""),
            codes=_codes(params, AT),
            words=params.get("q", "")[:200],
            sort=params.get("sort", "worst"),
            descending="descending" in params,
            page=whole(params, "page"),
        )
        found = selected(bench, query)
        drawn = window(bench, where)
    except InputError as error:
        raise _refused(error) from None
    cells = found.cells.tolist()
    words = bench.words(cells)
    return View(
        bench=bench,
        where=where,
        window=drawn,
        query=query,
        selection=found,
        rows=[(words[n], address_of(bench, job, n)) for n in cells],
        counts=counts(bench),
        address=lambda shown: "" if shown.number is None else address_of(bench, job, shown.number),
        link=lambda part, **changes: _link(params, part, changes),
    )


def shown(bench: Workbench, job: Job, params: QueryParams) -> dict[str, Any]:
    """What the template `workbench.html` needs.

    Raises
    ------
    ProblemError: as `view_of`.
    """
    view = view_of(bench, job, params)
    sizes = {"lines": LINES, "columns": COLUMNS, "page": PAGE, "longest": LONGEST, "shown": SHOWN, "sorts": SORTS}
    standing = {f"{IN}{choice.variable}": choice.chosen for choice in view.window.choices}
    where = standing | ({"findings": "1"} if view.where.findings else {})
    return {"view": view, "params": params, "sizes": sizes, "where": where}


def address_of(bench: Workbench, job: Job, cell: int) -> str:
    """Where a cell is found: by its codes or, where no code stands for what is meant, by its number."""
    codes = bench.codes_of(cell)
    if codes is None:
        return f"/jobs/{job.id}/cell?{urlencode({'number': cell + 1})}"
    measure = bench.measures[int(bench.column("measure")[cell])]
    named = [("measure", measure)] if len(bench.measures) > 1 else []
    return f"/jobs/{job.id}/cell?{urlencode([*named, *(('code', code) for code in codes)])}"


@router.get("/{job}/cell")
def get_cell(job: str, request: Request, at: ServiceDep, asking: Reader) -> Response:
    """All that is known of one cell."""
    found = own_job(at, asking, job)
    bench = bench_of(at, found) if found.state is State.SUCCEEDED else None
    if bench is None:
        raise ProblemError(Problem("no-result", "No result", 409, "The job has no report whose cells could be shown."))
    note_read(at, asking, found)
    params = request.query_params
    try:
        if "number" in params:
            cell: int | None = whole(params, "number") - 1
            cell = cell if cell is not None and 0 <= cell < bench.cells else None
        else:
            cell = bench.find(params.get("measure"), params.getlist("code"))
    except InputError as error:
        raise _refused(error) from None
    if cell is None:
        raise ProblemError(Problem("no-such-cell", "No such cell", 404, "The release has no cell with these codes."))
    tables = bench.tables_of(cell)
    maps = [(name, f"/jobs/{job}?{urlencode({'map': name, 'cell': cell + 1})}#map") for name in tables]
    return page(
        request, "cell.html", job=found, words=bench.words([cell])[cell], columns=bench.front.columns, maps=maps
    )


def _refused(error: InputError) -> ProblemError:
    parameter = str(error).partition(":")[0]
    named = parameter if parameter.isidentifier() else None
    return ProblemError(Problem("invalid-parameter", "A parameter cannot be used", 422, str(error), parameter=named))


def _codes(params: QueryParams, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): code for name, code in params.items() if name.startswith(prefix) and code}


def whole(params: QueryParams, name: str) -> int:
    """A whole number from 1 in a query; 1 if nothing is said.

    Raises
    ------
    InputError: it is none.
    """
    text = params.get(name, "1")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise InputError(f"{name}: found {text[:20]!r}; expected a whole number from 1.")
    return int(text)


def _link(params: QueryParams, part: str, changes: Mapping[str, object]) -> str:
    """The address of another view: what the query says now, but for these changes (None: no longer said)."""
    said: dict[str, str] = {k: v for k, v in params.items() if v}
    if "map" in changes:
        said = {k: v for k, v in said.items() if k not in _MAP and not k.startswith(IN)}
    if {"line", "column", "findings"} & set(changes):
        said.pop("cell", None)
    for name, value in changes.items():
        said.pop(name, None)
        if value not in (None, ""):
            said[name] = str(value)
    return f"?{urlencode(said)}#{part}"
