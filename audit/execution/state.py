"""What long work has found so far, in a file that survives a crash; run again with it, the work goes on from there."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tableseal.audit.errors import InputError, OptionName

_KIND = 0x7461_6273  # "tabs": marks the files of this program
_VERSION = 1


class State:
    """Found results by key. Use as a context manager; confidential: readable by its owner only.

    Raises
    ------
    InputError: the file is there and is something else, or cannot be read or written (also later, by any method).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._database = sqlite3.connect(path, isolation_level=None)
            kind = self._database.execute("PRAGMA application_id").fetchone()[0]
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        if tables and (kind != _KIND or version != _VERSION):
            raise InputError("is not a state file of this version; give a new name", at=OptionName("state", str(path)))
        self._run("PRAGMA journal_mode = WAL")
        self._run(f"PRAGMA application_id = {_KIND}")
        self._run(f"PRAGMA user_version = {_VERSION}")
        self._run("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT NOT NULL)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def get(self, key: str) -> str | None:
        """What was found under a key, None if nothing was."""
        row = self._run("SELECT text FROM found WHERE key = ?", key)
        return None if row is None else str(row[0])

    def put(self, key: str, text: str) -> None:
        """Keep what was found; it is on the disk when this returns."""
        self._run("INSERT OR REPLACE INTO found VALUES (?, ?)", key, text)

    def _run(self, statement: str, *values: str) -> tuple[Any, ...] | None:
        """The first row that a statement gives; the disk may be full, or the file locked, read-only or damaged."""
        try:
            row: tuple[Any, ...] | None = self._database.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from None
        return row

    def _unusable(self, error: Exception) -> InputError:
        return InputError(f"cannot be used ({error})", at=OptionName("state", str(self._path)))


@contextmanager
def opened(path: str | None) -> Iterator[State | None]:
    """The state in a file; None for no file."""
    if path is None:
        yield None
    elif path == "-":
        raise InputError("a state needs a file of its own", at=OptionName("state", path))
    else:
        with State(Path(path)) as state:
            yield state
