"""Zip archives read as folders: piece by piece, so that nothing is unpacked to the disk but by who asks for it.

An archive may come from a stranger. Everything that its directory says is checked before anything is unpacked, and
unpacking stops at what the directory promised: names that lead out, links, devices, encrypted or doubled entries, too
many entries, too much content and content that is packed too well (bombs) are refused. Hidden files, and the folder
that macOS adds, hold nothing of the user's and are passed over.
"""

import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath, PureWindowsPath
from typing import BinaryIO, Literal, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tableseal.audit.errors import InputError, Place
from tableseal.audit.wording import quoted, suggestion

MAGIC = b"PK\x03\x04"
"""First bytes of an archive that holds anything."""

HIGHEST_RATIO = 200
"""Times that the content of an archive may be larger than the archive; text of tables packs 5 to 50 times."""

FREE_OF_RATIO = 16 * 2**20
"""Bytes of content up to which the ratio does not matter."""

_ENTRY = b"PK\x01\x02"
_PIECE = 2**18
_PACKED = {ZIP_STORED: "stored", ZIP_DEFLATED: "deflated"}
_ENCRYPTED = 0x1


Refusal = Literal["entries", "content", "name", "other"]
"""What is wrong with an archive: more entries or content than its limits, a name that leads out, or something else."""


@dataclass(frozen=True)
class Limits:
    """What an archive may hold. entries: files and folders. content: bytes that all of them together unpack to."""

    entries: int = 10_000
    content: int = 512 * 2**20


class ArchiveError(InputError):
    """An archive is refused."""

    def __init__(self, *sentence: str, at: str | None = None, reason: Refusal = "other") -> None:
        super().__init__(*sentence, at=at)
        self.reason = reason


@dataclass(frozen=True)
class ArchiveFolder:
    """A folder inside an archive: where the files that a release names are looked for. `path` is "" or ends with /."""

    archive: "Archive"
    path: str

    def content(self, name: str, where: Place, limit: int) -> bytes:
        """What the file `name` holds; `where` is the place in the document that names it.

        Raises
        ------
        InputError: no such file, or it is empty, too large or damaged.
        """
        inside = self.path + str(PurePosixPath(name))
        if inside not in self.archive:
            near = [n.removeprefix(self.path) for n in self.archive.names if n.startswith(self.path)]
            raise InputError(f"there is no file {quoted(name)}{suggestion(name, near)} in the archive.", at=where)
        return self.archive.content(inside, limit)

    def beginning(self, name: str, most: int) -> bytes:
        """The first bytes of a file, at most one piece; nothing if there is no such file."""
        inside = self.path + str(PurePosixPath(name))
        return next(self.archive.pieces(inside), b"")[:most] if inside in self.archive else b""


class Archive:
    """The files of a zip archive by their names (with / between folders), in alphabetical order."""

    def __init__(self, content: bytes | BinaryIO, source: str, limits: Limits | None = None) -> None:
        """
        Parameters
        ----------
        content: of the whole archive, or the file it lies in, which stays the caller's and open while this is used.
        source: what it is called, for messages. limits: what it may hold; the default is for a local command.

        Raises
        ------
        ArchiveError: no zip archive, or one that is refused.
        """
        self._source, self._limits = source, limits or Limits()
        file = BytesIO(content) if isinstance(content, bytes) else content
        # Each entry of the directory becomes an object, so they are counted before they are read.
        if _signatures(file) > self._limits.entries:
            text = f"the archive has more than {self._limits.entries:,} entries, the limit."
            raise ArchiveError(text, at=source, reason="entries")
        try:
            self._zip = ZipFile(file)
        except (BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise ArchiveError(f"is not a readable zip archive ({error}).", at=source) from None
        self._entries: dict[str, ZipInfo] = {}
        for entry in self._zip.infolist():
            name = self._checked_name(entry)
            if name is not None:
                self._entries[name] = entry
        self._check_content(file.seek(0, os.SEEK_END))
        self.names: tuple[str, ...] = tuple(sorted(self._entries))

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def folder_of(self, name: str) -> ArchiveFolder:
        """The folder in which a file lies."""
        return ArchiveFolder(self, name[: name.rfind("/") + 1])

    def content(self, name: str, limit: int | None = None) -> bytes:
        """What a file holds.

        Raises
        ------
        InputError: no such file, or it is empty, damaged or larger than `limit` bytes.
        """
        size = self._entry(name).file_size
        if limit is not None and size > limit:
            raise InputError(f"the file has {size:,} bytes, more than the limit of {limit:,} bytes.", at=name)
        content = b"".join(self.pieces(name))
        if not content.strip():
            raise InputError("the file is empty.", at=name)
        return content

    def pieces(self, name: str) -> Iterator[bytes]:
        """What a file holds, piece by piece, and never more than the directory says.

        Raises
        ------
        InputError: no such file, or it is damaged.
        """
        entry, size = self._entry(name), 0
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(_PIECE):
                    size += len(piece)
                    yield piece
        except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
            raise ArchiveError(f"{name} cannot be unpacked ({error}).", at=self._source) from None
        if size != entry.file_size:
            raise ArchiveError(f"{name} cannot be unpacked (its size is not what the archive says).", at=self._source)

    def _entry(self, name: str) -> ZipInfo:
        entry = self._entries.get(name)
        if entry is None:
            raise InputError(f"there is no file {quoted(name)}{suggestion(name, self.names)} in it.", at=self._source)
        return entry

    def _checked_name(self, entry: ZipInfo) -> str | None:
        """The name of a file with plain parts; None for a folder and for what is hidden."""
        name = entry.orig_filename
        windows = PureWindowsPath(name)
        if not name or "\\" in name or windows.drive or windows.root or ".." in windows.parts or not name.isprintable():
            raise self._refused(entry, "a path that leads out of the archive, or no name of a file", "name")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise self._refused(entry, "a link or a device")
        if entry.is_dir():
            return None
        if entry.flag_bits & _ENCRYPTED:
            raise self._refused(entry, "encrypted")
        if entry.compress_type not in _PACKED:
            raise self._refused(entry, f"packed in a way that is not read (expected {' or '.join(_PACKED.values())})")
        path = PurePosixPath(name)
        if any(part.startswith(".") or part == "__MACOSX" for part in path.parts):
            return None
        plain = str(path)
        if plain in self._entries:
            raise self._refused(entry, "there twice")
        return plain

    def _refused(self, entry: ZipInfo, why: str, reason: Refusal = "other") -> ArchiveError:
        text = f"the entry {quoted(entry.orig_filename)} is {why}; the archive is refused."
        return ArchiveError(text, at=self._source, reason=reason)

    def _check_content(self, packed: int) -> None:
        total = sum(entry.file_size for entry in self._entries.values())
        most = self._limits.content
        if total > most:
            text = f"unpacks to {total:,} bytes, more than the limit of {most:,} bytes."
            raise ArchiveError(text, at=self._source, reason="content")
        if total > FREE_OF_RATIO and total > HIGHEST_RATIO * packed:
            text = f"unpacks to {total:,} bytes, more than {HIGHEST_RATIO} times its own size; the archive is refused."
            raise ArchiveError(text, at=self._source, reason="content")


def _signatures(file: BinaryIO) -> int:
    """How often a file says that an entry of a directory begins: at least as often as there are entries."""
    file.seek(0)
    count, end = 0, b""
    while piece := file.read(_PIECE):
        count += (end + piece).count(_ENTRY)
        end = piece[1 - len(_ENTRY) :]
    return count
