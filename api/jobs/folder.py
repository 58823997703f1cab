"""Private folders in which jobs find their files."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def job_folder(parent: Path) -> Iterator[Path]:
    """A new folder that only this user may enter; it is gone afterwards."""
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=f"{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
