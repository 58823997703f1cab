"""Bring a database up to the tables of this version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import inspect, text
from sqlalchemy.exc import DatabaseError

from tableseal.api.store.engine import Store
from tableseal.api.store.keyring import Keyring
from tableseal.api.store.rotation import current
from tableseal.audit.errors import InputError

_FOLDER = Path(__file__).parent / "migrations"
"""Migrations are numbered: the name of their file begins with their revision, four digits."""

_SEALED = "0005"
"""The revision from which on what is kept is encrypted."""

_LOCK = 0x7461626C
"""PostgreSQL advisory lock: two programs that start at once migrate one after the other."""


def migrate(store: Store, *, unread: bool = False) -> None:
    """Create what is missing; nothing happens where the database is up to date.

    Parameters
    ----------
    unread: the key under which what jobs keep is sealed need not be there.

    Raises
    ------
    InputError: a later version of this program has changed the tables. LostKeyError: that key is not there.
    """
    _migrate_tables(store)
    if not unread:
        with store.reading() as connection:
            name = current(connection)
        if name is not None:
            store.keys.find(name)


def _migrate_tables(store: Store) -> None:
    found, newest = _version(store), _newest()
    if found == newest:
        return  # without loading alembic, which takes a second
    if found is not None and found > newest:
        said = f"database: is of a later version of tableseal ({found}); this one knows {newest}."
        raise InputError(f"{said} Use that version, or restore a backup made before it: tables are never taken back.")
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    with store.writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes.update(connection=connection, keys=store.keys)
        command.upgrade(config, "head")
    if found is not None and found < _SEALED:
        _wipe(store)


def _wipe(store: Store) -> None:
    """Leave nothing of what was kept in plain in the files of the tables."""
    if store.engine.dialect.name == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in ("chunks", "jobs"):
                connection.execute(text(f"VACUUM FULL {table}"))
    store.scrub()


@contextmanager
def opened(url: str, keys: Keyring, *, unread: bool = False) -> Iterator[Store]:
    """The database at a URL, up to date: how a program begins with it. unread: see `migrate`.

    Raises
    ------
    InputError: it cannot be used: nobody answers, none of this name, wrong password, read only, a file of another kind.
    """
    store = Store(url, keys)
    try:
        try:
            migrate(store, unread=unread)
        except DatabaseError as error:
            said = str(error.orig).strip().partition("\n")[0].rstrip(".")
            raise InputError(f"database: cannot be used: {said}.") from None
        yield store
    finally:
        store.close()


def is_current(store: Store) -> bool:
    """Whether the database has the tables of this version."""
    return _version(store) == _newest()


def _newest() -> str:
    return max(path.name[:4] for path in (_FOLDER / "versions").glob("[0-9]*.py"))


def _version(store: Store) -> str | None:
    with store.reading() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        return found
