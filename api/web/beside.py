"""Figures of other methods that were tried on the same release, for the page of a pattern."""

from collections.abc import Sequence
from dataclasses import dataclass

from tableseal.api.http.service import Service
from tableseal.api.jobs.methods import METHODS, MethodFigures, figures_in
from tableseal.api.store.job import Job, State
from tableseal.api.store.tokens import Principal
from tableseal.api.web.drafts import jobs_of_draft, result_file

MOST = 20
"""Methods that are shown, the newest."""


@dataclass(frozen=True)
class Beside:
    """A method. job: that it was tried in, whose page tells more."""

    figures: MethodFigures
    job: Job
    own: bool


def beside(at: Service, asking: Principal, draft: str | None, own: Job) -> Sequence[Beside]:
    """The pattern's own figures, and then those of others, the newest first."""
    jobs = [] if draft is None else jobs_of_draft(at, asking.owner, draft)
    others = [job for job in jobs if job.id != own.id and job.state is State.SUCCEEDED]
    found = [
        Beside(figures, job, job.id == own.id)
        for job in (own, *(job for job in others if job.kind in ("suppression", "comparison")))
        for figures in figures_in(result_file(at.store, job, METHODS))
    ]
    return found[:MOST]
