"""What happened to a job, for those who watch."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from tableseal.api.store.engine import put
from tableseal.api.store.job import Event
from tableseal.api.store.schema import events

EVERY = 100_000
"""More events than any job has."""


def add_event(connection: Connection, job: str, at: float, name: str, data: Mapping[str, Any]) -> None:
    """Note an event."""
    put(connection, events, job=job, at=at, name=name, data=json.dumps(data))


def events_of(connection: Connection, job: str) -> tuple[Event, ...]:
    """All events of a job, in order."""
    return events_after(connection, job, 0, limit=EVERY)


def events_after(connection: Connection, job: str, last: int, limit: int = 1000) -> tuple[Event, ...]:
    """Events with numbers above `last`, in order."""
    chosen = select(events).where(events.c.job == job, events.c.id > last).order_by(events.c.id).limit(limit)
    return tuple(Event(r.id, r.at, r.name, json.loads(r.data)) for r in connection.execute(chosen))
