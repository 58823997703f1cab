"""Inner loops on plain arrays: compiled for large components, run as they stand for small ones."""

from contextlib import suppress
from os import utime
from pathlib import Path


def renew(file: str, *used: str) -> None:
    """Make a source file look changed if one whose compiled code it takes in has changed since.

    numba keeps compiled functions until their own file changes; those that they call from other files are part of them.
    """
    with suppress(OSError):  # installed where nothing can be written: then all files are of one time
        if any(Path(other).stat().st_mtime > Path(file).stat().st_mtime for other in used):
            utime(file)
