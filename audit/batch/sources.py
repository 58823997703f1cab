"""Where the releases of a batch are: a folder, a zip archive, or files that a manifest lists."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from tableseal.audit.batch.manifest import Listed, read_manifest
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io import Archive, parse_document, read_archived, read_release
from tableseal.audit.io.archive import MAGIC
from tableseal.audit.io.files import Folder, decode, read_bytes
from tableseal.audit.io.formats.registry import format_of
from tableseal.audit.io.policy_file import policy_from_bytes
from tableseal.audit.io.sources import STATISTICAL
from tableseal.audit.model import Policy, Release

SUFFIXES = (".yaml", ".yml", ".json")
"""Files that may be release files."""

BARE = (".csv", ".tsv", ".parquet", ".pq", ".xlsx", ".xlsm", ".px", ".jsonstat", ".tab", ".jj", *STATISTICAL)
"""Files that are audited as they are, where there are no release files."""

_KEY = re.compile(r"^[\"']?tableseal[\"']?[ \t]*:", re.MULTILINE)


class Source(Protocol):
    """Files by their names, relative and with / between folders."""

    def names(self, endings: tuple[str, ...] = SUFFIXES) -> Sequence[str]:
        """All files whose names end so, in alphabetical order; hidden ones are passed over."""
        ...

    def content(self, name: str) -> bytes:
        """What a file holds. InputError if there is no such file inside."""
        ...

    def release(self, name: str, policy: Policy | None) -> Release:
        """The release in a file. InputError if it cannot be read."""
        ...


class FolderSource:
    """Files below a folder; hidden ones, and those below the folder `skip`, are passed over."""

    def __init__(self, root: Path, *, skip: Path | None = None) -> None:
        self._root = root
        self._skip = None if skip is None else skip.resolve()

    def names(self, endings: tuple[str, ...] = SUFFIXES) -> Sequence[str]:
        """See Source."""
        found = []
        for path, folders, files in os.walk(self._root):
            here = Path(path)
            folders[:] = [f for f in folders if not f.startswith(".") and (here / f).resolve() != self._skip]
            found += [(here / file).relative_to(self._root).as_posix() for file in files if _ends(file, endings)]
        return sorted(found)

    def content(self, name: str) -> bytes:
        """See Source."""
        return Folder(self._root).content(name, Place(name))

    def release(self, name: str, policy: Policy | None) -> Release:
        """See Source."""
        self.content(name)  # nothing outside the folder
        return read_release(self._root / name, policy=policy)


class ArchiveSource:
    """Files of a zip archive, which is never unpacked to the disk."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def names(self, endings: tuple[str, ...] = SUFFIXES) -> Sequence[str]:
        """See Source."""
        return [name for name in self._archive.names if _ends(name, endings)]

    def content(self, name: str) -> bytes:
        """See Source."""
        return self._archive.content(name)

    def release(self, name: str, policy: Policy | None) -> Release:
        """See Source."""
        return read_archived(self._archive, name, policy=policy)


def source_of(
    path: Path, *, manifest: Path | None = None, output: Path | None = None, called: str | None = None
) -> tuple[Source, list[Listed]]:
    """The releases in a folder, a zip archive or a manifest.

    Parameters
    ----------
    manifest: lists the releases of a folder or an archive that are wanted; None: all of them.
    output: a folder for results that may lie inside; nothing in it is an input. called: what messages call the path.

    Raises
    ------
    InputError: nothing there, an archive or a manifest that cannot be used, no releases.
    """
    source: Source
    if path.is_dir():
        source = FolderSource(path, skip=output)
    elif (content := read_bytes(path, source=path.name)).startswith(MAGIC) or path.suffix.lower() == ".zip":
        source = ArchiveSource(Archive(content, path.name))
    else:
        source, manifest = FolderSource(path.parent), path
    if manifest is None:
        listed = [Listed(name) for name in find_releases(source) or find_tables(source)]
    else:
        listed = read_manifest(read_bytes(manifest, source=manifest.name), manifest.name)
    if not listed:
        text = (
            f"there is no release in it; a release is a {', '.join(SUFFIXES)} file that says `tableseal: 1`, or, where "
            f"there is none, a table ({', '.join(BARE)})."
        )
        raise InputError(text, at=called or str(path))
    return source, listed


def find_releases(source: Source) -> list[str]:
    """Names of all release files, in alphabetical order.

    A file that cannot be read or parsed is taken for one if it may be: better a failure that is listed than a release
    that nobody audited.
    """
    return [name for name in source.names() if _is_release(source, name)]


def find_tables(source: Source) -> list[str]:
    """Names of files that every verb takes in place of a release file, in alphabetical order. They are releases where
    there is no release file: beside one they are its data."""
    stat = [name for name in source.names((".json",)) if format_of(source.content(name)) is not None]
    return sorted([*source.names(BARE), *stat])


def policy_in(source: Source, name: str) -> Policy:
    """The policy in a file of the source."""
    return policy_from_bytes(source.content(name), name)


def _is_release(source: Source, name: str) -> bool:
    try:
        text, _ = decode(source.content(name), name)
        if text.lstrip()[:1] not in ("{", "["):
            return _KEY.search(text) is not None
        if "tableseal" not in text:
            return False
        document = parse_document(text, name)
    except InputError:
        return True
    return isinstance(document, Mapping) and "tableseal" in document


def _ends(name: str, endings: tuple[str, ...]) -> bool:
    return not PurePosixPath(name).name.startswith(".") and name.lower().endswith(endings)
