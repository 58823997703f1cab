"""Files that a job names: relative to the job, with backslashes or slashes, in any letter case, or absolute."""

from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.lookup import found_in
from tableseal.audit.io.files import Folder
from tableseal.audit.model import Note
from tableseal.audit.wording import quoted


@dataclass(frozen=True)
class JobFiles:
    """The folder of a job. notes: of what was read; opened: files that were read, over which nothing is written; into:
    the folder that all outputs go to, whatever folder the job names (None: as it says)."""

    root: Path
    notes: list[Note] = field(default_factory=list)
    opened: list[Path] = field(default_factory=list)
    into: Path | None = None

    def found(self, name: str, where: Place) -> tuple[Folder, str]:
        """The folder that a file lies in, and its name there. A file whose folder is on another machine is looked for
        beside the job.

        Raises
        ------
        InputError: there is no such file.
        """
        path = self._path(name)
        parent, last = (self.root, PureWindowsPath(name).name) if path is None else (path.parent, path.name)
        for folder in (Folder(parent, notes=self.notes, opened=self.opened), self._here()):
            there = found_in(folder, last)
            if folder.root is not None and (Path(str(folder.root)) / there).is_file():
                return folder, there
        text = f"there is no file {quoted(name)} (names of files are relative to the job)."
        raise InputError(text, at=where, found=quoted(name))

    def target(self, name: str, where: Place) -> Path:
        """Where a file is to be written.

        Raises
        ------
        InputError: a path of another machine.
        """
        if self.into is not None:
            return self.into / PureWindowsPath(name.strip()).name
        path = self._path(name)
        if path is None:
            text = f"{quoted(name)} is a path of another machine; expected one relative to the job"
            raise InputError(text, at=where, found=quoted(name), remedy="say a folder for all outputs: `--output DIR`")
        return path

    def _here(self) -> Folder:
        return Folder(self.root, notes=self.notes, opened=self.opened)

    def _path(self, name: str) -> Path | None:
        """As a path of this machine; None: of another one."""
        given = name.strip()
        if Path(given).is_absolute():
            return Path(given)
        windows = PureWindowsPath(given)
        if windows.drive or windows.root:
            return None
        return self.root / windows.as_posix()
