"""What long work has found so far, in a file that survives a crash; run again with it, the work goes on from there."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from audit.errors import InputError

_KIND = 0x7461_6273  # "tabs": marks the files of this program
_VERSION = 1


class State:
    """Found results by key. Use as a context manager; confidential: readable by its owner only.

    Raises
    ------
    InputError: the file is there and is something else, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._database = sqlite3.connect(path, isolation_level=None)
            kind = self._database.execute("PRAGMA application_id").fetchone()[0]
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"--state {path}: cannot be used ({error})") from None
        if tables and (kind != _KIND or version != _VERSION):
            raise InputError(f"--state {path}: is not a state file of this version; give a new name")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute(f"PRAGMA application_id = {_KIND}")
        self._database.execute(f"PRAGMA user_version = {_VERSION}")
        self._database.execute("CREATE TABLE IF NOT EXISTS found (key TEXT PRIMARY KEY, text TEXT NOT NULL)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def get(self, key: str) -> str | None:
        """What was found under a key, None if nothing was."""
        row = self._database.execute("SELECT text FROM found WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, text: str) -> None:
        """Keep what was found; it is on the disk when this returns."""
        self._database.execute("INSERT OR REPLACE INTO found VALUES (?, ?)", (key, text))


@contextmanager
def opened(path: str | None) -> Iterator[State | None]:
    """The state in a file; None for no file."""
    if path is None:
        yield None
    elif path == "-":
        raise InputError("--state -: a state needs a file of its own")
    else:
        with State(Path(path)) as state:
            yield state
