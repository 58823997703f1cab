"""Archives that are kept with jobs: one file out of them, without the rest."""

import io
from collections.abc import Callable
from zipfile import BadZipFile, ZipFile

from tableseal.api.store.engine import Store
from tableseal.api.store.files import part_of
from tableseal.api.store.job import StoredFile


def member(store: Store, archive: StoredFile, name: str) -> bytes | None:
    """A file in a zip archive; None: it has no such file. Only the chunks that hold it are read."""
    try:
        with ZipFile(io.BufferedReader(_Stored(part_of(store, archive), archive.size))) as opened:
            return opened.read(name)
    except (KeyError, BadZipFile):
        return None


class _Stored(io.RawIOBase):
    """Bytes that are kept, as a file that can be read anywhere."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self._read, self._size, self._at = read, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        found = self._read(self._at, min(self._at + len(buffer), self._size)) if self._at < self._size else b""
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)
