"""Reading bytes from disk: only inside the release's folder, only regular files, only up to a limit, decoded."""

import codecs
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.archive import ArchiveFolder
from tableseal.audit.io.unread import other_encodings, refuse_unread
from tableseal.audit.model import Note
from tableseal.audit.wording import quoted, suggestion

if TYPE_CHECKING:
    from tableseal.audit.io.columns import Columns

SIZE_LIMIT = 512 * 2**20
"""Largest file that is read, in bytes."""

_PIECE = 2**20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class OneFile:
    """A file that came without a folder (from standard input), as if it were alone in one."""

    name: str
    held: bytes

    def content(self, name: str, where: Place, limit: int) -> bytes:
        """What it holds; InputError for any other file."""
        if name != self.name:
            raise InputError(f"there is no file {quoted(name)}: {self.name} came without a folder.", at=where)
        return self.held

    def beginning(self, name: str, most: int) -> bytes:
        """Its first bytes."""
        return self.held[:most] if name == self.name else b""


@dataclass(frozen=True)
class ReadFile:
    """The columns of a data file, and what was noticed while reading it."""

    columns: "Columns"
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Folder:
    """The folder in which the files that a release names are looked for, and what was noticed while reading them.

    root: on the disk, inside an archive, or one file; None if the release came without a folder (over the network, from
    standard input): it then names no files.
    """

    root: Path | ArchiveFolder | OneFile | None
    limit: int = SIZE_LIMIT
    notes: list[Note] = field(default_factory=list)
    opened: list[Path] = field(default_factory=list)
    """Files that the release named, so that no output is written over them."""
    kept: "dict[str, ReadFile | None]" = field(default_factory=dict)
    """Data files that several releases name: what the first of them has read (None: not yet)."""

    def content(self, name: str, where: Place) -> bytes:
        """What the file called `name` inside the folder holds; `where` is the place in the document that names it.

        Raises
        ------
        InputError: no folder, an absolute path, a path or a symbolic link that leads out of the folder, no such file;
            see also `read_bytes`.
        """
        if self.root is None:
            text = f"names the file {quoted(name)}, but this release came without a folder of files; "
            raise InputError(text, "give the data inline (`cells`, `codes`, `tree`).", at=where)
        refuse_outside(name, where)
        if isinstance(self.root, ArchiveFolder | OneFile):
            return self.root.content(name, where, self.limit)
        return read_bytes(self._path(self.root, name, where), source=name, limit=self.limit)

    def once(self, name: str, where: Place, read: "Callable[[], Columns]") -> "Columns":
        """What `read` gives of a data file, or what it has given where the file is one that is kept."""
        if name not in self.kept:
            return read()
        held = self.kept[name]
        if held is None:
            before = len(self.notes)
            columns = read()
            self.kept[name] = ReadFile(columns, tuple(self.notes[before:]))
            return columns
        if isinstance(self.root, Path):
            self._path(self.root, name, where)
        self.notes.extend(held.notes)
        return held.columns

    def beginning(self, name: str, most: int) -> bytes:
        """The first bytes of a file, by which its format is told; nothing if it is none that can be read."""
        if isinstance(self.root, ArchiveFolder | OneFile):
            return self.root.beginning(name, most)
        try:
            path = (self.root or Path()) / name
            if self.root is None or not path.is_file():
                return b""
            with open(path, "rb") as file:
                return file.read(most)
        except (OSError, ValueError):
            return b""

    def end(self, name: str, most: int) -> bytes:
        """The last bytes of a file; nothing if it is none that can be read."""
        try:
            if isinstance(self.root, ArchiveFolder | OneFile):
                return self.root.content(name, Place(name), self.limit)[-most:]
            path = (self.root or Path()) / name
            if self.root is None or not path.is_file():
                return b""
            with open(path, "rb") as file:
                file.seek(-min(most, path.stat().st_size), os.SEEK_END)
                return file.read(most)
        except (OSError, ValueError, InputError):
            return b""

    def text(self, name: str, where: Place) -> str:
        """The decoded text of a file inside the folder."""
        text, notes = decode(self.content(name, where), name)
        self.notes.extend(notes)
        return text

    def _path(self, folder: Path, name: str, where: Place) -> Path:
        path = folder / name
        try:
            real, root = path.resolve(), folder.resolve()
            exists = real.exists()
        except (OSError, RuntimeError) as error:
            raise InputError(f"the file {quoted(name)} cannot be opened ({_reason(error)}).", at=where) from None
        if not real.is_relative_to(root):
            raise InputError(f"{quoted(name)} is a link that leads out of the release's folder.", at=where)
        if not exists:
            folder_of = f"the folder of {where.source}" if where.source else "the release's folder"
            raise InputError(f"there is no file {quoted(name)}{_similar(path)} in {folder_of}.", at=where)
        self.opened.append(real)
        return path


def refuse_outside(name: str, where: Place) -> None:
    """InputError if `name` is not the name of a file inside a folder; `where` is the place that names it."""
    windows = PureWindowsPath(name)
    if not name or "\0" in name:
        raise InputError(found=quoted(name), expected="the name of a file", at=where)
    if windows.drive or windows.root or ".." in windows.parts:
        text = f"the path {quoted(name)} leads out of the release's folder; "
        raise InputError(text, "files are named relative to that folder, without '..'.", at=where)


def read_bytes(path: Path, *, source: str, limit: int = SIZE_LIMIT) -> bytes:
    """The content of a regular, non-empty file of at most `limit` bytes (a larger one is refused without reading).

    Raises
    ------
    InputError: no such file, not a regular file, empty, too large, unreadable.
    """
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise InputError("is a folder, expected a file.", at=source)
        if not stat.S_ISREG(status.st_mode):
            raise InputError("is a device or a pipe, expected a regular file.", at=source)
        if status.st_size > limit:
            text = f"the file has {status.st_size:,} bytes, more than the limit of {limit:,} bytes."
            raise InputError(text, at=source)
        with open(path, "rb") as file:
            content = read_at_most(file, limit + 1, expected=status.st_size)
    except FileNotFoundError:
        raise InputError(f"there is no such file{_similar(path)}.", at=source) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({_reason(error)}).", at=source) from None
    if len(content) > limit:
        raise InputError(f"the file has more than {limit:,} bytes, the limit.", at=source)
    if not content.strip():
        raise InputError("the file is empty.", at=source)
    return content


def read_at_most(file: BinaryIO, most: int, *, expected: int = 0) -> bytes:
    """What is left of a file, but no more than `most` bytes; `expected`: how many there probably are.

    In pieces: to be asked for n bytes, a file takes memory for n bytes, however few there are, and under a limit on
    memory the smallest release would not be read.
    """
    pieces: list[bytes] = []
    ask = expected + 1
    while piece := file.read(min(ask, most)):
        pieces.append(piece)
        most -= len(piece)
        ask = _PIECE
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def decode(content: bytes, source: str) -> tuple[str, list[Note]]:
    """Text from bytes: by byte order mark, else UTF-8, else Windows-1252 (which is noted).

    Raises
    ------
    InputError: a format that is not read; bytes that are text in none of these; names the line and the byte.
    """
    refuse_unread(content, source)
    return text_of(content, source)


def text_of(content: bytes, source: str) -> tuple[str, list[Note]]:
    """`decode` of content whose format is known."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _checked(content[len(mark) :], encoding, source), []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        text = _checked(content, "cp1252", source)
        line = content.count(b"\n", 0, error.start) + 1
        note = Note(
            "decoded_windows_1252",
            f"{source}: not UTF-8 (byte 0x{content[error.start]:02X} in line {line}); read as Windows-1252.",
        )
        return text, [note]
    return _without_nul(text, source, content), []


def note_open_end(text: str, source: str, notes: list[Note]) -> None:
    """Tell of a text of rows that does not end with the end of a line: nothing else shows that it is cut off."""
    if not text.endswith(("\n", "\r")):
        notes.append(Note("no_line_end", f"{source}: does not end with the end of a line; it may be cut off."))


def read_text(path: Path, *, source: str, limit: int = SIZE_LIMIT) -> tuple[str, list[Note]]:
    """`read_bytes` and `decode` in one."""
    return decode(read_bytes(path, source=source, limit=limit), source)


def _checked(content: bytes, encoding: str, source: str) -> str:
    try:
        return _without_nul(content.decode(encoding), source, content)
    except UnicodeDecodeError as error:
        line = content[: error.start].decode(encoding, "replace").count("\n") + 1
        known = "UTF-8 or Windows-1252" if encoding == "cp1252" else encoding.upper()
        others = other_encodings(content) if encoding == "cp1252" else ""
        text = f"byte 0x{content[error.start]:02X} is no text in {known}{others}; save the file as UTF-8."
        raise InputError(text, at=Place(source, line=line)) from None


def _without_nul(text: str, source: str, content: bytes) -> str:
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        text = f"byte 0x00 found, expected text{other_encodings(content)}; save the file as UTF-8 text."
        raise InputError(text, at=Place(source, line=line))
    return text


def _similar(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return ""
    return suggestion(path.name, sorted(names))


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
