"""Connections to the database, and its clock."""

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, insert, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from tableseal.api.store.keyring import Keyring
from tableseal.audit.errors import InputError

BUSY_SECONDS = 30.0
"""How long SQLite waits for another writer."""

_SCRUB_MILLISECONDS = 500
"""How long emptying the write-ahead log waits for others; there is a next time."""

PATIENCE = {
    "connect_timeout": 10,  # seconds
    "tcp_user_timeout": 20_000,  # milliseconds
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""How long PostgreSQL is waited for when the network swallows what is sent; without it, for a quarter of an hour."""

Unreachable = OperationalError
"""The database does not answer; what was begun is rolled back and may be tried again."""


class Store:
    """One database. `reading` and `writing` give a transaction each."""

    def __init__(self, url: str, keys: Keyring) -> None:
        """
        Parameters
        ----------
        keys: under which the keys of jobs are sealed.

        Raises
        ------
        InputError: the URL is none of an SQLite file or a PostgreSQL database.
        """
        try:
            parsed = make_url(url)
            backend = parsed.get_backend_name()
        except (ArgumentError, NoSuchModuleError):
            raise InputError("database: expected a URL such as sqlite:///file.db or postgresql://host/name.") from None
        if backend == "sqlite":
            if not parsed.database or parsed.database == ":memory:":
                raise InputError("database: an SQLite database of the service is a file: sqlite:///file.db.")
            self._engine = _sqlite(Path(parsed.database))
        elif backend == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
            try:
                self._engine = create_engine(
                    parsed, pool_pre_ping=True, pool_size=10, max_overflow=40, connect_args=PATIENCE
                )
            except ModuleNotFoundError:
                raise InputError("database: PostgreSQL needs its driver: pip install 'tableseal[postgres]'.") from None
        else:
            raise InputError(f"database: found {backend}, expected sqlite or postgresql.")
        self.keys = keys
        self._engine = self._engine.execution_options(tableseal_keys=keys)
        self._writer = self._engine.execution_options(tableseal_write=True)
        self._lock = threading.Lock() if backend == "sqlite" else None

    @property
    def engine(self) -> Engine:
        """For migrations."""
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept if the block ends without an error."""
        with self._turn(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """SQLite has one writer at a time, and lets those who wait look again ever more rarely: threads take turns."""
        if self._lock is None:
            yield
            return
        if not self._lock.acquire(timeout=BUSY_SECONDS):
            raise Unreachable("BEGIN IMMEDIATE", None, TimeoutError("others are writing"))
        try:
            yield
        finally:
            self._lock.release()

    def scrub(self) -> bool:
        """Let nothing of what was erased be left in the files of an SQLite database; False if others are at work.

        Erased rows are overwritten in the database (`secure_delete`), but earlier states of its pages stand in the
        write-ahead log until that is emptied. PostgreSQL overwrites erased rows in its own time (VACUUM): what is left
        of files until then is encrypted under keys that were erased with them.
        """
        if self._engine.dialect.name != "sqlite":
            return True
        opened = self._engine.raw_connection()
        try:
            cursor = opened.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {_SCRUB_MILLISECONDS}")
            (busy, *_), *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
            cursor.close()
        finally:
            opened.close()
        return bool(busy == 0)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def keys_of(connection: Connection) -> Keyring:
    """The service's keys, of the store whose connection this is."""
    found: Keyring = connection.get_execution_options()["tableseal_keys"]
    return found


def is_full(error: OperationalError) -> bool:
    """Whether the database does not answer because its disk is full."""
    return getattr(error.orig, "sqlstate", None) == "53100" or "disk is full" in str(error.orig)


def clock(connection: Connection) -> float:
    """Seconds since 1970 by the clock that all who share the database share."""
    if connection.dialect.name == "sqlite":
        return time.time()
    return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())::float8")).scalar_one())


def put(connection: Connection, table: Table, **row: Any) -> None:
    """Add a row. The statement is the same each time, so that it is put together once."""
    put_all(connection, table, [row])


def put_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, at once."""
    if rows:
        connection.execute(_into(table), rows)


_into = cache(insert)


def _sqlite(path: Path) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Private from the start; SQLite gives the files beside it the same rights.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise InputError(f"database {path}: cannot be opened: {error.strerror}.") from None
    engine = create_engine(
        f"sqlite:///{path.absolute()}",
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        pool_size=10,
        max_overflow=40,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, where we say, not where the driver guesses
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes its turn at once: a reader that starts to write may find that another was quicker.
        write = connection.get_execution_options().get("tableseal_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine
