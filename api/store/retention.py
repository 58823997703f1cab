"""What is no longer needed is erased, and nothing of it is left in the files of the database."""

from tableseal.api.store.engine import Store
from tableseal.api.store.jobs import erase_finished
from tableseal.api.store.tokens import erase_sessions

DAY = 86400.0


def tidy(store: Store, retention_days: float | None) -> None:
    """Erase jobs that ended so many days ago (None: none) and sessions that are over; scrub what was erased before."""
    with store.writing() as connection:
        if retention_days is not None:
            erase_finished(connection, retention_days * DAY)
        erase_sessions(connection)
    store.scrub()
