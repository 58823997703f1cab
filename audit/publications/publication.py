"""A publication: the releases that went out under one name, in order, with their values."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tableseal.audit.errors import InputError
from tableseal.audit.model import Release


@dataclass(frozen=True, order=True)
class TableName:
    """A table of an entry; entry 0: of the release that is new."""

    entry: int
    table: str


@dataclass(frozen=True)
class Revision:
    """What a release says it revises: an entry (those of its tables that have changed values), or one table of it."""

    entry: int
    table: str | None = None


@dataclass(frozen=True)
class Withdrawal:
    """That an entry was taken back.

    was_out: it had been published. Then whoever kept a copy knows it, and later releases are still audited with it;
    an entry that never went out is left aside.
    """

    reason: str
    by: str
    was_out: bool
    at: str = ""


@dataclass(frozen=True)
class Entry:
    """A release that was published.

    number: 1, 2, ... and never used again. revises: as declared. supersedes: the tables of earlier entries that it
    replaces (they hold values that it changes). at, by: when and through whom, as the caller says it. despite: why it
    went out although it was not found safe.
    """

    number: int
    release: Release
    revises: tuple[Revision, ...] = ()
    supersedes: tuple[TableName, ...] = ()
    at: str = ""
    by: str = ""
    despite: str | None = None
    withdrawn: Withdrawal | None = None

    @property
    def known(self) -> bool:
        """Somebody may have it."""
        return self.withdrawn is None or self.withdrawn.was_out

    def tables(self) -> Iterator[TableName]:
        """Its tables, in order."""
        return (TableName(self.number, table.name) for table in self.release.tables)


@dataclass(frozen=True)
class Publication:
    """All entries under one name, in the order in which they were published."""

    name: str
    entries: tuple[Entry, ...] = ()

    def entry(self, number: int) -> Entry:
        """The entry of that number.

        Raises
        ------
        InputError: there is none.
        """
        for entry in self.entries:
            if entry.number == number:
                return entry
        raise InputError(
            f'publication "{self.name}": there is no entry {number}; entries are 1 to {len(self.entries)}.'
        )

    def vintages(self) -> tuple[tuple[TableName, ...], ...]:
        """The tables that stood beside each other, before each revision and now (the last one)."""
        live: list[TableName] = []
        found: list[tuple[TableName, ...]] = []
        for entry in self.entries:
            if not entry.known:
                continue
            if entry.supersedes:
                found.append(tuple(live))
            live = [table for table in live if table not in entry.supersedes] + list(entry.tables())
        return (*found, tuple(live))


def withdraw(publication: Publication, number: int, withdrawal: Withdrawal) -> Publication:
    """The publication with one entry withdrawn; the entry stays in it, with the reason.

    Raises
    ------
    InputError: no such entry, withdrawn already, no reason or nobody who did it.
    """
    entry = publication.entry(number)
    if entry.withdrawn is not None:
        raise InputError(f'publication "{publication.name}": entry {number} is withdrawn already.')
    if not withdrawal.reason.strip() or not withdrawal.by.strip():
        raise InputError(f'publication "{publication.name}": a withdrawal says why, and who did it.')
    changed = replace(entry, withdrawn=withdrawal)
    return replace(publication, entries=tuple(changed if e is entry else e for e in publication.entries))
