"""Is the service alive, can it work, and how is it doing."""

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from tableseal.api.http.described import problems
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.service import ServiceDep
from tableseal.api.problems import Problem
from tableseal.api.store.engine import Unreachable
from tableseal.api.store.figures import QueueFigures, queue_figures
from tableseal.api.store.migrate import is_current

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=problems(500))
async def alive() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


class Readiness(BaseModel):
    """What works."""

    status: Literal["ok"] = "ok"
    database: Literal["ok"] = "ok"
    workers: Annotated[
        Literal["ok", "silent", "none"],
        Field(description="silent: jobs have waited for a minute and nobody works on any; none: no worker is there."),
    ]
    live_workers: Annotated[int, Field(description="Workers that are there, at work or not.")]


@router.get("/readyz", responses=problems(500, 503))
def ready(at: ServiceDep) -> Readiness:
    """The database answers and has the tables of this version (503 if not).

    Where there are no workers, or silent ones, audits that are answered at once still work, and others wait.
    """
    if not is_current(at.store):
        text = "The database has not the tables of this version; starting `tableseal serve` or `worker` makes them."
        raise ProblemError(Problem("database-not-migrated", "The database is of another version", 503, text))
    with at.store.reading() as connection:
        figures = queue_figures(connection)
    there: Literal["ok", "none"] = "ok" if figures.workers else "none"
    return Readiness(workers="silent" if figures.neglected else there, live_workers=figures.workers)


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"description": "Figures.", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **problems(500),
    },
)
def metrics(at: ServiceDep) -> Response:
    """Figures for Prometheus; without those of jobs while the database does not answer."""
    queue: QueueFigures | None = None
    with suppress(Unreachable), at.store.reading() as connection:
        queue = queue_figures(connection)
    return Response(at.metrics.text(queue), media_type="text/plain; version=0.0.4; charset=utf-8")
