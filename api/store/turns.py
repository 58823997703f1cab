"""Owners take turns: whose is next, and which place a job has in the queue."""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from tableseal.api.store.job import State
from tableseal.api.store.schema import jobs, turns


def take_turn(connection: Connection, owner: str) -> None:
    """A job of this owner begins: all others come before its next one."""
    number = connection.execute(select(func.coalesce(func.max(turns.c.number), 0))).scalar_one() + 1
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    row = insert(turns).values(owner=owner, number=number)
    connection.execute(row.on_conflict_do_update(index_elements=[turns.c.owner], set_={"number": number}))


def places(connection: Connection, owner: str) -> Mapping[str, int]:
    """Place in the queue of each job of an owner that waits, if no other comes; the next to begin has the first.

    What is under way is left out of account: an owner who has more of it than others waits a little longer.
    """
    waits = jobs.c.state == State.QUEUED
    own = connection.execute(select(jobs.c.id).where(waits, jobs.c.owner == owner).order_by(jobs.c.due, jobs.c.id))
    number = func.coalesce(turns.c.number, 0)
    waiting = (
        select(jobs.c.owner, func.count(), number, func.min(jobs.c.due))
        .outerjoin(turns, turns.c.owner == jobs.c.owner)
        .where(waits)
        .group_by(jobs.c.owner, number)
        .order_by(number, func.min(jobs.c.due), func.min(jobs.c.id))
    )
    before: list[int] = []
    behind: list[int] = []
    side = before
    for whose, count, *_ in connection.execute(waiting):
        if whose == owner:
            side = behind
        else:
            side.append(count)
    found = {}
    for rank, job in enumerate(own.scalars()):
        others = sum(min(count, rank + 1) for count in before) + sum(min(count, rank) for count in behind)
        found[job] = 1 + rank + others
    return found
