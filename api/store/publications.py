"""The ledger in the database: every entry with its release, under the name of a publication of an owner."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from tableseal.api.store.engine import clock
from tableseal.api.store.schema import publication_entries, publications


@dataclass(frozen=True)
class Kept:
    """A publication. version: grows with every change; 0: there is none yet. entries: as documents, in order."""

    name: str
    version: int
    entries: tuple[Mapping[str, Any], ...]


def publication(connection: Connection, owner: str, name: str, *, releases: bool = False) -> Kept:
    """What is kept under a name, empty if nothing is. releases: with the releases themselves."""
    row = connection.execute(select(publications).where(_named(owner, name))).one_or_none()
    if row is None:
        return Kept(name, 0, ())
    columns = [publication_entries.c.entry, *([publication_entries.c.release] if releases else [])]
    chosen = select(*columns).where(publication_entries.c.publication == row.id).order_by(publication_entries.c.number)
    found = []
    for entry in connection.execute(chosen):
        release = json.loads(bytes(entry.release)) if releases else None
        found.append({**json.loads(entry.entry), "release": release})
    return Kept(name, row.version, tuple(found))


def names_of(connection: Connection, owner: str) -> tuple[str, ...]:
    """All names under which an owner has published, in order."""
    chosen = select(publications.c.name).where(publications.c.owner == owner).order_by(publications.c.name)
    return tuple(connection.execute(chosen).scalars())


def append(
    connection: Connection, owner: str, name: str, version: int, entry: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Add an entry with its release; as it is kept (without the release). None: the publication has changed since it
    had this version, and nothing is added."""
    if version == 0 and not _begun(connection, owner, name):
        return None
    if not _advanced(connection, owner, name, version):
        return None
    key = connection.execute(select(publications.c.id).where(_named(owner, name))).scalar_one()
    written = {**entry, "at": _now(connection), "release": None}
    release = json.dumps(entry["release"], ensure_ascii=False).encode()
    row = {"publication": key, "number": entry["number"], "entry": json.dumps(written), "release": release}
    connection.execute(insert(publication_entries).values(**row))
    return written


def set_withdrawn(
    connection: Connection, owner: str, kept: Kept, number: int, **withdrawal: Any
) -> Mapping[str, Any] | None:
    """Note that an entry was taken back; as it is kept. None: the publication has changed since it was looked at."""
    if not _advanced(connection, owner, kept.name, kept.version):
        return None
    (entry,) = (entry for entry in kept.entries if entry["number"] == number)
    written = {**entry, "withdrawn": {**withdrawal, "at": _now(connection)}}
    key = select(publications.c.id).where(_named(owner, kept.name)).scalar_subquery()
    one = (publication_entries.c.publication == key) & (publication_entries.c.number == number)
    connection.execute(update(publication_entries).where(one).values(entry=json.dumps(written)))
    return written


def _begun(connection: Connection, owner: str, name: str) -> bool:
    """Make an empty publication; False if another transaction was quicker."""
    try:
        with connection.begin_nested():
            row = {"id": token_hex(16), "owner": owner, "name": name, "version": 0}
            connection.execute(insert(publications).values(**row))
    except IntegrityError:
        return False
    return True


def _advanced(connection: Connection, owner: str, name: str, version: int) -> bool:
    """Whoever counts the version up has the publication for himself until his transaction ends."""
    same = _named(owner, name) & (publications.c.version == version)
    return connection.execute(update(publications).where(same).values(version=version + 1)).rowcount == 1


def _named(owner: str, name: str) -> ColumnElement[bool]:
    return (publications.c.owner == owner) & (publications.c.name == name)


def _now(connection: Connection) -> str:
    return datetime.fromtimestamp(clock(connection), UTC).isoformat(timespec="seconds")
