"""Jobs of an owner as a list for people: filtered and paged by the database, with counts that are true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select, true

from tableseal.api.store.job import Job, State, job_of
from tableseal.api.store.schema import jobs

PAGE = 50
"""Jobs on a page."""

NAMES = 200
"""People who are offered to choose from, at most."""

_STATES: Mapping[str, ColumnElement[bool]] = {
    "queued": jobs.c.state == State.QUEUED,
    "running": jobs.c.state == State.RUNNING,
    "safe": jobs.c.outcome == "safe",
    "unsafe": jobs.c.outcome == "unsafe",
    "undecided": jobs.c.outcome == "undecided",
    "failed": (jobs.c.state == State.FAILED) | (jobs.c.outcome == "failed"),
    "cancelled": jobs.c.state == State.CANCELLED,
}

STATES = tuple(_STATES)
"""What jobs may be asked for by: where they stand, or what came of them."""


@dataclass(frozen=True)
class Wanted:
    """Which jobs; empty: all. words: part of a title."""

    kind: str = ""
    state: str = ""
    who: str = ""
    words: str = ""
    page: int = 1


@dataclass(frozen=True)
class Listing:
    """A page of jobs, newest first. found: jobs on all pages. kinds, people: of all jobs, to choose from."""

    jobs: Sequence[Job]
    found: int
    page: int
    pages: int
    kinds: Sequence[str]
    people: Sequence[str]


def listed(connection: Connection, owner: str, wanted: Wanted) -> Listing:
    """The page that is asked for; the last one if there are fewer. Releases that were brought have a list of their
    own."""
    own = (jobs.c.owner == owner) & ~((jobs.c.kind == "draft") & (jobs.c.state == State.SUCCEEDED))
    chosen = own & _fits(wanted)
    found = connection.execute(select(func.count()).select_from(jobs).where(chosen)).scalar_one()
    pages = max(1, -(-found // PAGE))
    page = min(wanted.page, pages)
    order = select(jobs).where(chosen).order_by(jobs.c.created.desc(), jobs.c.id)
    rows = connection.execute(order.limit(PAGE).offset((page - 1) * PAGE))
    kinds = select(jobs.c.kind).where(own).distinct().order_by(jobs.c.kind)
    people = select(jobs.c.who).where(own, jobs.c.who != "").distinct().order_by(jobs.c.who).limit(NAMES)
    return Listing(
        jobs=tuple(job_of(row._mapping) for row in rows),
        found=found,
        page=page,
        pages=pages,
        kinds=tuple(connection.execute(kinds).scalars()),
        people=tuple(connection.execute(people).scalars()),
    )


def _fits(wanted: Wanted) -> ColumnElement[bool]:
    fits: ColumnElement[bool] = _STATES.get(wanted.state, true())
    for column, text in ((jobs.c.kind, wanted.kind), (jobs.c.who, wanted.who)):
        if text:
            fits = fits & (column == text)
    return fits & jobs.c.title.icontains(wanted.words, autoescape=True) if wanted.words else fits
