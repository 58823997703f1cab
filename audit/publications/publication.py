"""A publication: the releases that went out under one name, in order, with their values."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from tableseal.audit.codec.at import At
from tableseal.audit.codec.declared import derived
from tableseal.audit.codec.documents import read_record
from tableseal.audit.codec.kinds import Also, Count, Digest, Kind, like
from tableseal.audit.errors import InputError
from tableseal.audit.io import canonical_document, release_digest, release_from_document
from tableseal.audit.model import Release

EntryNumber = Annotated[int, Also({"minimum": 1})]


@dataclass(frozen=True, order=True)
class TableName:
    """A table of an entry."""

    entry: Annotated[Count, "Number of the entry; 0: the new release."]
    table: str


@dataclass(frozen=True)
class Revision:
    """What a release says it revises."""

    entry: EntryNumber
    table: Annotated[str | None, "null: those of its tables that have changed values."] = None


@dataclass(frozen=True)
class Withdrawal:
    """That an entry was taken back."""

    reason: str
    by: str
    was_out: Annotated[
        bool,
        "True: it had been published. Whoever kept a copy knows it, and later releases are still audited with it; an "
        "entry that never went out is left aside.",
    ]
    at: str = ""


def _release(at: At) -> Release:
    if not isinstance(at.value, dict):
        at.fail("a release")
    return release_from_document(at.value, source=at.path)


WholeRelease = Annotated[Release, Kind(canonical_document, _release, like({"type": ["object", "null"]}))]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A release that was published."""

    number: Annotated[EntryNumber, "1, 2, ... and never used again."]
    at: Annotated[str, "When, as the caller says it."] = ""
    by: Annotated[str, "Through whom, as the caller says it."] = ""
    despite: Annotated[str | None, "Why it went out although it was not found safe."] = None
    revises: Annotated[tuple[Revision, ...], "As declared."] = ()
    supersedes: Annotated[
        tuple[TableName, ...], "Tables of earlier entries that it replaces: they hold values that it changes."
    ] = ()
    withdrawn: Withdrawal | None = None
    release: Annotated[WholeRelease, "The canonical release (confidential); null where only its digest is told."]

    @derived(after="number")
    def title(self) -> str:
        """Title of the release."""
        return self.release.title

    @derived(after="title")
    def sha256(self) -> Digest:
        """Digest of the canonical release."""
        return release_digest(self.release)

    @derived(after="despite", key="tables")
    def table_names(self) -> tuple[str, ...]:
        """Names of its tables."""
        return tuple(table.name for table in self.release.tables)

    @property
    def known(self) -> bool:
        """Somebody may have it."""
        return self.withdrawn is None or self.withdrawn.was_out

    def tables(self) -> Iterator[TableName]:
        """Its tables, in order."""
        return (TableName(self.number, table.name) for table in self.release.tables)


@dataclass(frozen=True)
class Publication:
    """What was published under one name. All entries, in the order in which they were published."""

    schema: ClassVar[Literal["tableseal/publication/1"]] = "tableseal/publication/1"
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


def publication_from_document(document: Any) -> Publication:
    """The publication that a document with its releases was made from.

    Raises
    ------
    InputError: it is something else, or a release in it has been changed.
    """
    found = read_record(Publication, document, what="publication")
    for entry, said in zip(found.entries, document["entries"], strict=True):
        if entry.sha256 != said["sha256"]:
            raise InputError(
                f"publication: entry {entry.number} is not the release that was published (its digest differs)."
            )
    return found


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
