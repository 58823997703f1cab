"""Writing files, whole or not at all."""

import os
import tempfile
from errno import EACCES
from pathlib import Path

from tableseal.audit.errors import InputError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file (text in UTF-8, or bytes) so that nobody ever finds half of it; a pipe or a device is written to as
    it is.

    Raises
    ------
    InputError: the file cannot be written.
    """
    path = path.resolve()
    written = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # a pipe or a device
            path.write_bytes(written)
            return
        handle, name = _beside(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}.", at=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(written)
        _usual_mode(name)
        os.replace(name, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}.", at=str(path)) from error
    finally:
        Path(name).unlink(missing_ok=True)


def try_to_write(path: Path) -> None:
    """Find out whether `write_whole` could write a file now, and leave everything as it is: rights of a folder say
    less (file systems without files of their own, names that are too long).

    Raises
    ------
    InputError: it could not.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            if not os.access(path, os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
            return
        handle, name = _beside(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}.", at=str(path)) from error
    os.close(handle)
    Path(name).unlink(missing_ok=True)


def _beside(path: Path) -> tuple[int, str]:
    """A temporary file in the same folder, open, and its name."""
    return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")


def _usual_mode(name: str) -> None:
    """Give a temporary file (private at first) the rights that a new file has here."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
