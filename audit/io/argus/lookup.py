"""Names of files in files of tau-ARGUS -> names inside the folder that is read.

They come from Windows: with backslashes, in any letter case, and with the path of a machine that is not this one. What
is not found where the name says is looked for beside the file that names it, as tau-ARGUS does.
"""

from pathlib import Path, PurePath, PureWindowsPath

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.archive import ArchiveFolder
from tableseal.audit.io.files import Folder, OneFile
from tableseal.audit.wording import listing, quoted

MOST_FILES = 10_000
"""Files of a folder among which one is looked for in another letter case."""


def found_in(folder: Folder, name: str) -> str:
    """What a file is called inside the folder: the name with slashes, or another spelling of it, or its last part;
    where there is none of them, the last part (so that the error of whoever opens it says so)."""
    path = PureWindowsPath(name.strip())
    for inside in dict.fromkeys((_parent(path), ".")):
        spelled = {known.casefold(): known for known in _names(folder, inside)}
        there = path.name if path.name in spelled.values() else spelled.get(path.name.casefold())
        if there is not None:
            return there if inside == "." else f"{inside}/{there}"
    return path.name or name


def _parent(path: PureWindowsPath) -> str:
    """The folder that a name says, as far as it lies inside."""
    outside = path.drive or path.root or ".." in path.parts
    return "." if outside else path.parent.as_posix()


def beside(folder: Folder, name: str, ending: str) -> str:
    """The file with another ending that goes with one: of the same name, else the only one there is.

    Raises
    ------
    InputError: there is none, or there are several of other names.
    """
    wanted = str(PurePath(name).with_suffix(ending))
    parent = str(PurePath(name).parent)
    prefix = "" if parent == "." else parent + "/"
    there = [known for known in _names(folder, parent) if PurePath(known).suffix.lower() == ending]
    same = [known for known in there if known.casefold() == PurePath(wanted).name.casefold()]
    if not there or (not same and len(there) > 1):
        problem = f"has no file {quoted(PurePath(wanted).name)} beside it"
        others = f"; files that end so are {listing(sorted(there))}" if there else ""
        raise InputError(f"{problem}, which goes with it{others}.", at=Place(name))
    return prefix + (same or there)[0]


def _names(folder: Folder, inside: str) -> list[str]:
    """Names of the files of a folder."""
    root = folder.root
    if root is None or isinstance(root, OneFile):
        return []
    if isinstance(root, ArchiveFolder):
        prefix = root.path if inside == "." else f"{root.path}{inside}/"
        return [name.removeprefix(prefix) for name in root.archive.names if name.startswith(prefix)]
    try:
        entries = [entry for _, entry in zip(range(MOST_FILES), Path(root / inside).iterdir(), strict=False)]
    except (OSError, ValueError):
        return []
    return sorted(entry.name for entry in entries)
