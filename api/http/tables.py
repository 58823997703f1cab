"""/v1/hypercubes and /v1/tables: tables that users make themselves, of hypercubes that the service has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Response
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from tableseal.api.generating.again import told_again
from tableseal.api.generating.counter import Counter
from tableseal.api.generating.counters import NAME
from tableseal.api.generating.document import TableAnswer
from tableseal.api.generating.memories import audience_in_service
from tableseal.api.generating.written import table_written
from tableseal.api.http.described import READING, component, gives, problems
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.intake import Asked, answer, ordered
from tableseal.api.http.renderings import FORMATS, JSON, chosen
from tableseal.api.http.resources import document_content, note_read, own_job
from tableseal.api.http.service import Reader, Service, ServiceDep, require
from tableseal.api.jobs.table_kind import KIND as TABLE_KIND
from tableseal.api.jobs.table_kind import TABLE, TableJob
from tableseal.api.problems import Problem
from tableseal.api.store.log import note
from tableseal.api.store.tokens import Principal, Role
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.public import public_part
from tableseal.audit.hypercube.ask import request_of
from tableseal.audit.hypercube.request import TableRequest as Wanted
from tableseal.audit.wording import listing
from tableseal.suppression.generator.steps import refused_as_asked

router = APIRouter(tags=["tables"])

_GIVEN = gives("The table, or why it is not given.", "Table")
_GIVEN["content"] |= {
    media_type: {"schema": {"type": "string"}} for media_type in FORMATS.values() if media_type != JSON
}

_LOCATION = {"description": "Where the job is.", "schema": {"type": "string"}}

Name = Annotated[str, InPath(pattern=NAME, description="Name of the hypercube.")]


class LevelResource(BaseModel):
    """A way to group the codes of a variable."""

    name: str
    codes: int


class VariableResource(BaseModel):
    """A variable that tables may have."""

    name: str
    areas: Annotated[bool, Field(description="Its codes are places; each area is judged by itself.")]
    levels: Annotated[list[LevelResource], Field(description="The coarsest first.")]


class HypercubeResource(BaseModel):
    """A hypercube of which tables can be asked."""

    name: str
    title: str
    units: Annotated[int, Field(description="How many are counted in all.")]
    variables: list[VariableResource]
    links: dict[str, str]


class CodesResource(BaseModel):
    """The codes of one level of a variable."""

    variable: str
    level: str
    codes: list[str]


class TableRequest(BaseModel):
    """A table that is asked of a hypercube."""

    model_config = ConfigDict(extra="forbid")

    hypercube: Annotated[str, Field(pattern=NAME, description="Its name.")]
    request: Annotated[
        dict[str, Any], Field(json_schema_extra={"allOf": [component("Request")]}, description="What is asked of it.")
    ]


@router.get("/v1/hypercubes", responses=problems(401, 403, 422, 500, 503))
def list_hypercubes(at: ServiceDep, asking: Reader) -> list[HypercubeResource]:
    """The hypercubes of this service, with their variables and levels."""
    return [_resource(name, found) for name in at.counters.names() if (found := at.counters.counter(name)) is not None]


@router.get("/v1/hypercubes/{name}", responses=problems(*READING))
def get_hypercube(name: Name, at: ServiceDep, asking: Reader) -> HypercubeResource:
    """One hypercube."""
    return _resource(name, counter_of(at, name))


@router.get("/v1/hypercubes/{name}/codes", responses=problems(*READING))
def get_codes(
    name: Name,
    at: ServiceDep,
    asking: Reader,
    variable: Annotated[str, Query(max_length=200, description="Its name; needed.")] = "",
    level: Annotated[str | None, Query(max_length=200, description="Default: the finest.")] = None,
) -> CodesResource:
    """The codes of a level of a variable."""
    for one in counter_of(at, name).generator.variables:
        for found in one.levels if level is not None else one.levels[-1:]:
            if one.name == variable and level in (None, found.name):
                return CodesResource(variable=one.name, level=found.name, codes=list(found.codes))
    raise ProblemError(Problem("not-found", "No such level", 404, "There is no such variable, or no such level of it."))


@router.post(
    "/v1/tables",
    response_class=Response,
    responses={
        200: _GIVEN,
        202: gives("A job, of a large table.", "JobResource") | {"headers": {"Location": _LOCATION}},
        **problems(400, 401, 403, 404, 406, 408, 413, 415, 422, 429, 500, 503, 507),
    },
)
async def post_table(
    asked: TableRequest,
    ask: Asked,
    agency: Annotated[bool, Query(description="With risk and reasons that users are not told (role officer).")] = False,
    form: Annotated[
        Literal["json", "jsonl", "csv", "parquet"] | None,
        Query(alias="format", description="Goes before `Accept`; all but json give the values alone."),
    ] = None,
) -> Response:
    """Ask for a table: it is judged, protected and judged again, together with all that was answered before.

    The answer says `answered` with the values, or `refused` with the rule and the nearest tables that would be given.
    As JSON lines, CSV or Parquet (`Accept` or `format`) the values alone; a refusal is 422 then. A table with more
    cells than the service answers at once is a job, whose result is the answer as JSON, without what is for the agency
    alone; `/v1/jobs/ID/table` has it in the other forms.
    """
    at, asking, http = ask.at, ask.asking, ask.http
    media_type = chosen(ask.accept, FORMATS.values()) if form is None else FORMATS[form]
    if media_type is None:
        text = f"A table can be had as {listing(FORMATS.values())}; the request accepts none of them."
        raise ProblemError(Problem("not-acceptable", "Not in this form", 406, text, parameter="Accept"))
    if agency:
        require(http, at, asking, Role.OFFICER)
    told = await at.generating.run(_told, at, asking, asked)
    if isinstance(told, TableJob):
        return await answer(replace(ask, accept=None), ordered(at, TABLE_KIND, told, (), _title(asked)), {})
    return await run_in_threadpool(table_response, told if agency else public_part(told), media_type)


def table_response(told: TableAnswer, media_type: str) -> Response:
    """What is told, as this media type. All but JSON give the values alone.

    Raises
    ------
    ProblemError: there are none. InputError: Parquet needs a package that is not there.
    """
    if media_type == FORMATS["json"]:
        return Response(json_of(told) + "\n", media_type=media_type)
    if told.refusal is not None:
        raise ProblemError(Problem("refused", "Refused", 422, told.refusal.sentence))
    form = next(name for name, found in FORMATS.items() if found == media_type)
    return Response(table_written(told, f"table.{form}"), media_type=media_type)


def _title(asked: TableRequest) -> str:
    title = asked.request.get("title", "")
    return title if isinstance(title, str) else ""


@router.get("/v1/jobs/{job}/table", response_class=Response, responses={200: _GIVEN, **problems(*READING, 406, 409)})
def get_table(
    job: Annotated[str, InPath(max_length=32, description="Id of a job of `/v1/tables`.")],
    at: ServiceDep,
    asking: Reader,
    form: Annotated[
        Literal["json", "jsonl", "csv", "parquet"] | None,
        Query(alias="format", description="Goes before `Accept`; all but json give the values alone."),
    ] = None,
    accept: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> Response:
    """The table that a job of `/v1/tables` made, in any form."""
    found = own_job(at, asking, job)
    media_type = chosen(accept, FORMATS.values()) if form is None else FORMATS[form]
    if media_type is None:
        text = f"A table can be had as {listing(FORMATS.values())}; the request accepts none of them."
        raise ProblemError(Problem("not-acceptable", "Not in this form", 406, text, parameter="Accept"))
    content = document_content(at, found, TABLE)
    note_read(at, asking, found)
    return table_response(told_again(content.decode()), media_type)


def _told(at: Service, asking: Principal, asked: TableRequest) -> TableAnswer | TableJob:
    counter = counter_of(at, asked.hypercube)
    request = request_of(asked.request, counter.cells)
    return job_of(at, asking, counter, request, asked.request) or told_of(at, asking, counter, request)


def job_of(
    at: Service, asking: Principal, counter: Counter, request: Wanted, document: Mapping[str, Any]
) -> TableJob | None:
    """The request of a job that makes a table; None: it is answered at once, or refused as it was asked."""
    large = request.question.size > at.settings.table_cells
    if not large or refused_as_asked(request.question, counter.generator) is not None:
        return None
    memory = counter.generator.policy.memory
    return TableJob(
        hypercube=counter.name,
        identity=counter.identity,
        scope="" if memory is None else memory.scope,
        audience="" if memory is None else audience_in_service(memory.scope, asking.owner, asking.who),
        who=asking.who,
        request=dict(document),
    )


def told_of(at: Service, asking: Principal, counter: Counter, request: Wanted) -> TableAnswer:
    """What whoever asks is told of a table, which is kept and noted in the log.

    Raises
    ------
    InputError, LimitError: as for `Memories.told`.
    """
    memory = counter.generator.policy.memory
    audience = "" if memory is None else audience_in_service(memory.scope, asking.owner, asking.who)
    told = at.memories.told(counter, request, audience, asking.who)
    with at.store.writing() as connection:
        note(connection, asking, "table.ask", counter.name, told.outcome)
    return told


def counter_of(at: Service, name: str) -> Counter:
    """Where tables of a hypercube are asked for.

    Raises
    ------
    ProblemError: 404.
    """
    found = at.counters.counter(name)
    if found is None:
        raise ProblemError(Problem("not-found", "No such hypercube", 404, "There is no hypercube of this name here."))
    return found


def _resource(name: str, found: Counter) -> HypercubeResource:
    about = found.cells.about
    variables = [
        VariableResource(
            name=variable.name,
            areas=variable.areas,
            levels=[LevelResource(name=level.name, codes=len(level.codes)) for level in variable.levels],
        )
        for variable in about.variables
    ]
    links = {"self": f"/v1/hypercubes/{name}", "codes": f"/v1/hypercubes/{name}/codes"}
    return HypercubeResource(name=name, title=about.title, units=about.units, variables=variables, links=links)
