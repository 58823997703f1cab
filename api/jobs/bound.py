"""What the database gives to an attempt, and takes from it, for kinds that have a `Ledger`."""

from collections.abc import Iterable

from sqlalchemy import Connection

from tableseal.api.jobs.kinds import Result, all_kinds
from tableseal.api.store.job import Document


def given_by_store(connection: Connection, owner: str, kind: str, request: str) -> Iterable[Document]:
    """Files that an attempt finds beside those of the request."""
    found = all_kinds()[kind]
    return (
        ()
        if found.ledger is None
        else found.ledger.before(connection, owner, found.request.model_validate_json(request))
    )


def taken_by_store(connection: Connection, owner: str, kind: str, request: str, result: Result) -> Result:
    """The result that is kept, in the transaction that ends the job.

    Raises
    ------
    OutdatedError: what `given_by_store` gave has changed.
    """
    found = all_kinds()[kind]
    if found.ledger is None:
        return result
    return found.ledger.after(connection, owner, found.request.model_validate_json(request), result)
