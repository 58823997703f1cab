"""Who did what: never cell values, never codes."""

from sqlalchemy import Connection, insert

from api.store.engine import clock
from api.store.schema import audit_log


def note(connection: Connection, owner: str, action: str, subject: str) -> None:
    """Note that somebody did something to the object with this id."""
    connection.execute(insert(audit_log).values(at=clock(connection), owner=owner, action=action, object=subject))
