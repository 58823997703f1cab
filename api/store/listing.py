"""Jobs of an owner as a list for people: filtered and paged, with counts that are true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select, true

from tableseal.api.store.job import Job, State, job_of
from tableseal.api.store.schema import jobs
from tableseal.api.store.titles import TITLES, WITH_TITLES, titles_in

PAGE = 50
"""Jobs on a page."""

LOOKED = 5000
"""Titles that are opened to look for words, at most; the database cannot look into them."""

NAMES = 200
"""People who are offered to choose from, at most."""

_NEWEST = (jobs.c.created.desc(), jobs.c.id)

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
    """A page of jobs, newest first.

    found: jobs on all pages. looked: titles in which words were looked for, the newest; None: in all, or for none.
    kinds, people: of all jobs, to choose from.
    """

    jobs: Sequence[Job]
    found: int
    page: int
    pages: int
    looked: int | None
    kinds: Sequence[str]
    people: Sequence[str]


def listed(connection: Connection, owner: str, wanted: Wanted) -> Listing:
    """The page that is asked for; the last one if there are fewer. Releases that were brought have a list of their
    own."""
    own = (jobs.c.owner == owner) & ~((jobs.c.kind == "draft") & (jobs.c.state == State.SUCCEEDED))
    chosen = own & _fits(wanted)
    with_words: Sequence[str] | None = None
    looked = None
    if wanted.words:
        with_words, looked = _with_words(connection, chosen, wanted.words)
        found = len(with_words)
    else:
        found = connection.execute(select(func.count()).select_from(jobs).where(chosen)).scalar_one()
    pages = max(1, -(-found // PAGE))
    page = min(wanted.page, pages)
    first = (page - 1) * PAGE
    if with_words is None:
        order = WITH_TITLES.where(chosen).order_by(*_NEWEST).limit(PAGE).offset(first)
    else:
        order = WITH_TITLES.where(jobs.c.id.in_(with_words[first : first + PAGE])).order_by(*_NEWEST)
    rows = connection.execute(order).all()
    kinds = select(jobs.c.kind).where(own).distinct().order_by(jobs.c.kind)
    people = select(jobs.c.who).where(own, jobs.c.who != "").distinct().order_by(jobs.c.who).limit(NAMES)
    return Listing(
        jobs=tuple(job_of(row._mapping, title) for row, title in zip(rows, titles_in(connection, rows), strict=True)),
        found=found,
        page=page,
        pages=pages,
        looked=looked,
        kinds=tuple(connection.execute(kinds).scalars()),
        people=tuple(connection.execute(people).scalars()),
    )


def _fits(wanted: Wanted) -> ColumnElement[bool]:
    fits: ColumnElement[bool] = _STATES.get(wanted.state, true())
    for column, text in ((jobs.c.kind, wanted.kind), (jobs.c.who, wanted.who)):
        if text:
            fits = fits & (column == text)
    return fits


def _with_words(connection: Connection, chosen: ColumnElement[bool], words: str) -> tuple[Sequence[str], int | None]:
    """Those of the chosen jobs that have words in their title, the newest first, and how many were looked at if there
    are more."""
    order = TITLES.where(chosen, jobs.c.title != "").order_by(*_NEWEST).limit(LOOKED + 1)
    rows = connection.execute(order).all()
    opened, wanted = rows[:LOOKED], words.casefold()
    titles = titles_in(connection, opened)
    found = [row.id for row, title in zip(opened, titles, strict=True) if wanted in title.casefold()]
    return found, LOOKED if len(rows) > LOOKED else None
