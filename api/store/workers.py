"""Which workers are there: each says again and again that it is, whether it has something to do or not."""

from sqlalchemy import Connection, delete, func, insert, select, update

from tableseal.api.store.engine import clock
from tableseal.api.store.schema import workers

BEAT = 10.0
"""Seconds after which a worker says again that it is there."""

LIVE = 3.5 * BEAT
"""Seconds after which one that has said nothing is taken to be gone."""

_FORGET = 86400.0


def beat(connection: Connection, worker: str) -> None:
    """This worker is there. Those that have long been silent are forgotten."""
    now = clock(connection)
    if connection.execute(update(workers).where(workers.c.id == worker).values(seen=now)).rowcount == 0:
        connection.execute(insert(workers).values(id=worker, seen=now))
        connection.execute(delete(workers).where(workers.c.seen < now - _FORGET))


def leave(connection: Connection, worker: str) -> None:
    """This worker ends."""
    connection.execute(delete(workers).where(workers.c.id == worker))


def live(connection: Connection) -> int:
    """How many workers are there, of all who share the database."""
    chosen = select(func.count()).where(workers.c.seen >= clock(connection) - LIVE)
    return int(connection.execute(chosen).scalar_one())
