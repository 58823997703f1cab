"""Who did what, and what came of it: never cell values, never codes. Rows are only ever added."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from tableseal.api.store.engine import clock, put
from tableseal.api.store.schema import audit_log
from tableseal.api.store.tokens import Principal

_OBJECT = audit_log.c.object.type.length  # type: ignore[attr-defined]


@dataclass(frozen=True)
class LogEntry:
    """A row of the log. at: seconds since 1970; object: an id, or the name of a publication."""

    id: int
    at: float
    who: str
    action: str
    object: str
    outcome: str


def note(connection: Connection, asking: Principal, action: str, subject: str, outcome: str = "done") -> None:
    """Note that somebody did something to the object with this id; stands and falls with the transaction."""
    row = {"owner": asking.owner, "who": asking.who, "action": action, "object": subject[:_OBJECT], "outcome": outcome}
    put(connection, audit_log, at=clock(connection), **row)


def log_of(connection: Connection, owner: str, *, limit: int, before: int | None = None) -> tuple[LogEntry, ...]:
    """What was done with what belongs to an owner, newest first; `before`: only rows with smaller numbers."""
    chosen = select(audit_log).where(audit_log.c.owner == owner)
    if before is not None:
        chosen = chosen.where(audit_log.c.id < before)
    chosen = chosen.order_by(audit_log.c.id.desc()).limit(limit)
    return tuple(LogEntry(r.id, r.at, r.who, r.action, r.object, r.outcome) for r in connection.execute(chosen))
