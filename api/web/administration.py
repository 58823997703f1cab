"""How the service is doing, for whoever runs it: queue, ages, workers, disk; never what jobs hold."""

import shutil

from fastapi import APIRouter, Response

from tableseal.api.http.errors import ProblemError
from tableseal.api.http.service import Admin, Service, ServiceDep
from tableseal.api.problems import Problem
from tableseal.api.store.administration import (
    cancel_any,
    database_size,
    job_lines,
    owner_lines,
    owner_of,
    worker_ages,
)
from tableseal.api.store.engine import clock
from tableseal.api.store.figures import queue_figures
from tableseal.api.store.job import State
from tableseal.api.store.log import note
from tableseal.api.store.rotation import current
from tableseal.api.store.tokens import Principal
from tableseal.api.store.workers import LIVE
from tableseal.api.web.pages import page, see

LISTED = 50
"""Jobs at work, and jobs that wait, on the page."""

router = APIRouter(prefix="/admin")


@router.get("")
def get_dashboard(at: ServiceDep, asking: Admin) -> Response:
    """The page."""
    with at.store.reading() as connection:
        now = clock(connection)
        figures = queue_figures(connection)
        owners = owner_lines(connection)
        ages = worker_ages(connection)
        open_jobs = [
            *job_lines(connection, state=State.RUNNING, limit=LISTED),
            *job_lines(connection, state=State.QUEUED, limit=LISTED),
        ]
        size = database_size(connection)
        key = current(connection)
    return page(
        "administration.html",
        now=now,
        figures=figures,
        owners=owners,
        live=[age for age in ages if age < LIVE],
        silent=[age for age in ages if age >= LIVE],
        jobs=open_jobs,
        size=size,
        disk=_disk(at),
        key=key,
        retention=at.settings.retention_days,
    )


@router.post("/jobs/{job}/cancel")
def post_cancel(job: str, at: ServiceDep, asking: Admin) -> Response:
    """End a job of any owner."""
    with at.store.writing() as connection:
        owner = owner_of(connection, job)
        if owner is None or cancel_any(connection, job) is None:
            raise ProblemError(Problem("no-such-job", "No such job", 404, "There is no job with this id."))
        # It stands in the log of the owner, too, whose job it was.
        note(connection, asking, "job.cancel", job)
        if owner != asking.owner:
            note(connection, Principal(owner, asking.role, f"administration: {asking.who}"[:200]), "job.cancel", job)
    return see("/admin")


def _disk(at: Service) -> tuple[int, int] | None:
    """Bytes in all and free where the data folder lies; None if that cannot be told."""
    try:
        found = shutil.disk_usage(at.settings.data)
    except OSError:
        return None
    return found.total, found.free
