"""Under which name something is published, as options say it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tableseal.api.options.publish import OwnedUnderOptions, UnderOptions
from tableseal.api.options.service import StoreOptions
from tableseal.audit.errors import InputError, OptionName

if TYPE_CHECKING:
    from tableseal.api.publishing.together import Ledger, Under


def check_under(said: UnderOptions) -> None:
    """Refuse what no ledger could make good.

    Raises
    ------
    InputError: another option without a name, a name that is none, an entry that is named wrongly.
    """
    from tableseal.api.jobs.publication_kind import check_reason, checked_name, revisions

    if said.publication is not None:
        checked_name(said.publication)
        check_reason(said.despite)
        revisions(said.revises)
        return
    for name, given in (("revises", said.revises), ("despite", said.despite)):
        if given:
            raise InputError("is for ", OptionName("publication"), ".", at=OptionName(name))


def under(said: UnderOptions, ledger: "Ledger", by: str, time_limit: float | None) -> "Under":
    """The name that was said, with its ledger.

    by: through whom it is published. time_limit: seconds of each audit.

    Raises
    ------
    InputError: see `check_under`.
    """
    from tableseal.api.jobs.publication_kind import revisions
    from tableseal.api.publishing.together import Under

    check_under(said)
    assert said.publication is not None
    return Under(said.publication, ledger, revisions(said.revises), said.despite, by, time_limit)


@contextmanager
def under_name(
    said: OwnedUnderOptions, time_limit: float | None, at: StoreOptions, by: str
) -> "Iterator[Under | None]":
    """The name, with its ledger in the database; None: no name was given.

    by: through whom it is published. time_limit: seconds of each audit.

    Raises
    ------
    InputError: see `check_under`.
    """
    check_under(said)
    if said.publication is None:
        yield None
        return
    from tableseal.api.publishing.kept import KeptLedger

    with at.opened() as (_, store):
        yield under(said, KeptLedger(store, said.owner, said.publication, by), by, time_limit)
