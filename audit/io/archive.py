"""Zip archives read as folders, in memory: nothing is ever unpacked to the disk.

An archive may come from a stranger. Everything that its directory says is checked before anything is unpacked, and
unpacking stops at what the directory promised: names that lead out, links, devices, encrypted or doubled entries, too
many entries, too much content and content that is packed too well (bombs) are refused.
"""

import stat
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath, PureWindowsPath
from typing import Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from audit.errors import InputError
from audit.io.wording import quoted, suggestion

MAGIC = b"PK\x03\x04"
"""First bytes of an archive that holds anything."""

MOST_ENTRIES = 10_000
"""Entries of one archive."""

MOST_CONTENT = 512 * 2**20
"""Bytes that all entries together unpack to."""

HIGHEST_RATIO = 200
"""Times that the content of an archive may be larger than the archive; text of tables packs 5 to 50 times."""

FREE_OF_RATIO = 16 * 2**20
"""Bytes of content up to which the ratio does not matter."""

_ENTRY = b"PK\x01\x02"
_PACKED = {ZIP_STORED: "stored", ZIP_DEFLATED: "deflated"}
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class ArchiveFolder:
    """A folder inside an archive: where the files that a release names are looked for. `path` is "" or ends with /."""

    archive: "Archive"
    path: str

    def content(self, name: str, where: str, limit: int) -> bytes:
        """What the file `name` holds; `where` is the place in the document that names it.

        Raises
        ------
        InputError: no such file, or it is empty, too large or damaged.
        """
        inside = self.path + str(PurePosixPath(name))
        if inside not in self.archive:
            near = [n.removeprefix(self.path) for n in self.archive.names if n.startswith(self.path)]
            raise InputError(f"{where}: there is no file {quoted(name)}{suggestion(name, near)} in the archive.")
        return self.archive.content(inside, limit)


class Archive:
    """The files of a zip archive by their names (with / between folders), in alphabetical order."""

    def __init__(self, content: bytes, source: str) -> None:
        """
        Parameters
        ----------
        content: of the whole archive. source: what it is called, for messages.

        Raises
        ------
        InputError: no zip archive, or one that is refused.
        """
        self._source = source
        # Each entry of the directory becomes an object, so they are counted before they are read.
        if content.count(_ENTRY) > MOST_ENTRIES:
            raise InputError(f"{source}: the archive has more than {MOST_ENTRIES:,} entries, the limit.")
        try:
            self._zip = ZipFile(BytesIO(content))
        except (BadZipFile, NotImplementedError, ValueError, OSError) as error:
            raise InputError(f"{source}: is not a readable zip archive ({error}).") from None
        self._entries: dict[str, ZipInfo] = {}
        for entry in self._zip.infolist():
            name = self._checked_name(entry)
            if name is not None:
                self._entries[name] = entry
        self._check_content(len(content))
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

    def content(self, name: str, limit: int = MOST_CONTENT) -> bytes:
        """What a file holds.

        Raises
        ------
        InputError: no such file, or it is empty, damaged or larger than `limit` bytes.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise InputError(f"{self._source}: there is no file {quoted(name)}{suggestion(name, self.names)} in it.")
        if entry.file_size > limit:
            raise InputError(f"{name}: the file has {entry.file_size:,} bytes, more than the limit of {limit:,} bytes.")
        try:
            with self._zip.open(entry) as file:
                content = file.read(entry.file_size + 1)
        except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
            raise InputError(f"{self._source}: {name} cannot be unpacked ({error}).") from None
        if len(content) != entry.file_size:
            raise InputError(f"{self._source}: {name} cannot be unpacked (its size is not what the archive says).")
        if not content.strip():
            raise InputError(f"{name}: the file is empty.")
        return content

    def _checked_name(self, entry: ZipInfo) -> str | None:
        """The name of a file with plain parts; None for a folder."""
        name = entry.orig_filename
        windows = PureWindowsPath(name)
        if not name or "\\" in name or windows.drive or windows.root or ".." in windows.parts or not name.isprintable():
            raise self._refused(entry, "a path that leads out of the archive, or no name of a file")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise self._refused(entry, "a link or a device")
        if entry.is_dir():
            return None
        if entry.flag_bits & _ENCRYPTED:
            raise self._refused(entry, "encrypted")
        if entry.compress_type not in _PACKED:
            raise self._refused(entry, f"packed in a way that is not read (expected {' or '.join(_PACKED.values())})")
        plain = str(PurePosixPath(name))
        if plain in self._entries:
            raise self._refused(entry, "there twice")
        return plain

    def _refused(self, entry: ZipInfo, why: str) -> InputError:
        return InputError(f"{self._source}: the entry {quoted(entry.orig_filename)} is {why}; the archive is refused.")

    def _check_content(self, packed: int) -> None:
        total = sum(entry.file_size for entry in self._entries.values())
        if total > MOST_CONTENT:
            raise InputError(
                f"{self._source}: unpacks to {total:,} bytes, more than the limit of {MOST_CONTENT:,} bytes."
            )
        if total > FREE_OF_RATIO and total > HIGHEST_RATIO * packed:
            raise InputError(
                f"{self._source}: unpacks to {total:,} bytes, more than {HIGHEST_RATIO} times its own size; "
                "the archive is refused."
            )
