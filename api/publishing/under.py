"""Under which name something is published, as options say it."""

from collections.abc import Iterator
from contextlib import contextmanager

from tableseal.api.options.publish import UnderOptions
from tableseal.api.options.service import StoreOptions
from tableseal.api.publishing.together import Under
from tableseal.audit.errors import InputError, OptionName


@contextmanager
def under_name(said: UnderOptions, time_limit: float | None, at: StoreOptions, by: str) -> Iterator[Under | None]:
    """The name, with its ledger; None: no name was given.

    by: through whom it is published. time_limit: seconds of each audit.

    Raises
    ------
    InputError: another option without a name, or a name that is none.
    """
    if said.publication is None:
        for name, given in (("revises", said.revises), ("despite", said.despite)):
            if given:
                raise InputError("is for ", OptionName("publication"), ".", at=OptionName(name))
        yield None
        return
    from tableseal.api.jobs.publication_kind import checked_name, revisions
    from tableseal.api.publishing.kept import KeptLedger

    name, revises = checked_name(said.publication), revisions(said.revises)
    with at.opened() as (_, store):
        yield Under(name, KeptLedger(store, said.owner, name, by), revises, said.despite, by, time_limit)
