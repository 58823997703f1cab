"""Private folders in which jobs find their files."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LASTING = "job-"


@contextmanager
def job_folder(parent: Path) -> Iterator[Path]:
    """A new folder that only this user may enter; it is gone afterwards."""
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=f"{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lasting_folder(parent: Path, job: str) -> Path:
    """The folder that attempts at a job share, made if it is not there; `sweep_lasting` erases it."""
    folder = parent / f"{_LASTING}{job}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def sweep_lasting(parent: Path, under_way: Callable[[Collection[str]], Collection[str]]) -> None:
    """Erase those of jobs that have ended or are gone. under_way: those of some jobs that may still be worked on."""
    found = {folder.name.removeprefix(_LASTING): folder for folder in parent.glob(f"{_LASTING}*")}
    for job in found.keys() - set(under_way(list(found)) if found else ()):
        shutil.rmtree(found[job], ignore_errors=True)


def lay_out(folder: Path, name: str, content: Iterable[bytes]) -> None:
    """Write a file under a name that was checked when it came (`safe_name`)."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(path, "wb", opener=private) as file:
        for piece in content:
            file.write(piece)


def private(path: str, flags: int) -> int:
    """Opener of files that nobody else may read, whatever the folder allows."""
    return os.open(path, flags, 0o600)


def sweep(parent: Path) -> None:
    """Erase folders of processes that are gone: whoever was killed could not."""
    for folder in parent.glob("*-*") if parent.is_dir() else ():
        owner = folder.name.partition("-")[0]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
