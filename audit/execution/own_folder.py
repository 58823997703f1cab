"""A folder of results that one run at a time works in."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tableseal.audit.errors import InputError
from tableseal.audit.execution.writing import write_whole


class InUseError(InputError):
    """Another run is at work there."""


def write_into(folder: Path, name: str, content: str | bytes) -> None:
    """Write a file below a folder, whole or not at all; folders between are made.

    Raises
    ------
    InputError: it cannot be written.
    """
    path = folder / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be made: {error.strerror}.") from error
    write_whole(path, content)


@contextmanager
def own_folder(folder: Path, mark: str, results_of: str) -> Iterator[None]:
    """The folder, made if it is not there, locked, and without what a killed run left half written.

    mark: name of a file in it that says whose it is. results_of: what they are results of, for messages: "a batch".

    Raises
    ------
    InputError: it cannot be written, holds something else, or InUseError: another run is at work there.
    """
    marked = folder / mark
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not marked.exists() and any(folder.iterdir()):
            raise InputError(
                f"{folder}: holds files that are no results of {results_of}; choose a new or an empty folder."
            )
        handle = os.open(marked, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"{folder}: cannot be used for results: {error.strerror}.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for part in folder.rglob(".*.part"):
            part.unlink()
        yield
    except BlockingIOError:
        raise InUseError(f"{folder}: another {results_of.split()[-1]} is at work there.") from None
    finally:
        os.close(handle)
