"""What comes with a request: a little of it in memory, the rest in private files."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from tableseal.api.jobs.folder import private

IN_MEMORY = 2**20
"""Bytes that the files of one request take in memory, together."""

PIECE = 2**18


class Spool:
    """The files of one request. Use as a context manager, which erases them."""

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._folder: Path | None = None
        self._files = 0
        self.room = IN_MEMORY

    def __enter__(self) -> "Spool":
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def path(self) -> Path:
        """A new name in a folder that only this user may enter."""
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Workers sweep folders that begin with the number of a process that is gone.
            self._folder = Path(tempfile.mkdtemp(dir=self._parent, prefix=f"{os.getpid()}-"))
        self._files += 1
        return self._folder / str(self._files)


class Sink:
    """A file that is being received."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._memory = bytearray()
        self._path: Path | None = None

    def write(self, piece: bytes) -> None:
        """Add to it."""
        if self._path is None and len(piece) <= self._spool.room:
            self._spool.room -= len(piece)
            self._memory += piece
            return
        if self._path is None:
            self._path = self._spool.path()
            self._spool.room += len(self._memory)
            piece, self._memory = bytes(self._memory) + piece, bytearray()
        with open(self._path, "ab", opener=private) as file:
            file.write(piece)

    @property
    def content(self) -> bytes | Path:
        """All of it, or where it lies."""
        return bytes(self._memory) if self._path is None else self._path


def copied(source: BinaryIO, spool: Spool, most: int) -> tuple[bytes | Path, int]:
    """A copy of what a file still holds, up to a little more than `most` bytes, and how many these are."""
    sink, size = Sink(spool), 0
    while size <= most and (piece := source.read(PIECE)):
        size += len(piece)
        sink.write(piece)
    return sink.content, size
