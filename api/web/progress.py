"""The page of a job that has no page of its own (yet): how far it is, phase by phase, or how it ended."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import time

from fastapi import Request, Response

from tableseal.api.http.resources import places_of
from tableseal.api.http.service import Service
from tableseal.api.store.events import events_of
from tableseal.api.store.job import Event, Job, State
from tableseal.api.store.jobs import job_by_id
from tableseal.api.web.drafts import jobs_of_draft, result_file
from tableseal.api.web.pages import STAGES, language_of, page
from tableseal.audit.language import phrase, speaking


@dataclass(frozen=True)
class Phase:
    """A step of the work as it was told. began, last: when it was heard of first and last, in seconds since 1970; the
    next one begins where it ends."""

    name: str
    began: float
    last: float
    done: int
    total: int


def phases(events: Iterable[Event]) -> Sequence[Phase]:
    """The phases of the last attempt, in order. What is done again and again, in rounds, is one phase for each."""
    found: list[Phase] = []
    for event in events:
        if event.name == "state":
            found = []
            continue
        name, done, total = event.data["stage"], event.data["done"], event.data["total"]
        if found and found[-1].name == name:
            found[-1] = Phase(name, found[-1].began, event.at, done, total)
        else:
            if found:
                found[-1] = Phase(found[-1].name, found[-1].began, event.at, found[-1].done, found[-1].total)
            found.append(Phase(name, event.at, event.at, done, total))
    return found


def job_page(request: Request, at: Service, job: Job, draft: str | None) -> Response:
    """How far a job is, or how it ended."""
    told: Sequence[Phase] = ()
    if not job.state.final:
        with at.store.reading() as connection:
            told = phases(events_of(connection, job.id))
    place = places_of(at, [job]).get(job.id)
    limit = json.loads(job.request).get("options", {}).get("time_limit")
    return page(
        request,
        "job.html",
        job=job,
        draft=draft,
        clusters=() if job.kind != "published" or job.state.final else clusters_of(at, job.owner, draft),
        place=place,
        phases=told,
        limit=limit,
        stages=_stages(language_of(request)),
        now=time(),
        before=None if job.state.final else _before(at, job, draft),
    )


def clusters_of(at: Service, owner: str, plan: str | None) -> list[str]:
    """Names of the clusters of a plan that was brought, in order; none if it is not kept."""
    if plan is None:
        return []
    with at.store.reading() as connection:
        job = job_by_id(connection, owner, plan)
    found = b"" if job is None else result_file(at.store, job, "plan.json")
    return [one["name"] for one in json.loads(found)["clusters"]] if found else []


def _stages(language: str) -> str:
    """What engines tell -> what a page in a language calls it, for its script."""
    with speaking(language):
        return json.dumps({stage: phrase(stage) for stage in STAGES}, ensure_ascii=False)


def _before(at: Service, job: Job, draft: str | None) -> float | None:
    """Seconds that the same kind of work took on the same release, last; None: never done."""
    jobs = [] if draft is None else jobs_of_draft(at, job.owner, draft)
    for one in jobs:
        if one.kind == job.kind and one.state is State.SUCCEEDED and one.started and one.finished:
            return one.finished - one.started
    return None
