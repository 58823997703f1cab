"""Standard streams and files: `-`, atomic writing, closed pipes."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from tableseal.audit.errors import InputError
from tableseal.audit.execution.writing import try_to_write, write_whole

STREAM = "-"
"""Stands for standard input or standard output."""


def say(text: str, *, error: bool = False) -> None:
    """Print text with a newline on standard output, or standard error; a reader who left is no failure."""
    _write(sys.stderr if error else sys.stdout, text if text.endswith("\n") else text + "\n")


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Whatever else is written goes nowhere, also what Python itself flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise InputError(f"standard output: cannot be written: {error.strerror}.") from error


def check_targets(targets: Mapping[str, str | None], *, inputs: Iterable[str | Path | None] = ()) -> None:
    """Make sure, before the work starts, that every output can be written.

    Parameters
    ----------
    targets: option -> file or `-` (None: not asked for).
    inputs: files that are read and must not be overwritten.

    Raises
    ------
    InputError: a folder that is missing or not writable, a file that cannot be made there, a target that is a folder
        or an input, or one target twice.
    """
    taken: dict[object, str] = {Path(name).resolve(): "input" for name in inputs if name is not None and name != STREAM}
    for option, target in targets.items():
        if target is None:
            continue
        place: object = STREAM
        if target != STREAM:
            place = Path(target).resolve()
            _check_file(option, Path(target))
        if taken.get(place) == "input":
            raise InputError(f"{option} {target}: this file is an input; choose another name for the output.")
        if place in taken:
            raise InputError(f"{option} {target}: {taken[place]} writes there too; choose two different outputs.")
        taken[place] = option


def _check_file(option: str, path: Path) -> None:
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{option} {path}: there is no folder {folder}; create it first.")
    if os.path.isdir(path):
        raise InputError(f"{option} {path}: this is a folder; expected the name of a file.")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{option} {path}: the folder {folder} is not writable.")
    try:
        try_to_write(path)
    except InputError as error:
        raise InputError(f"{option} {path}: {error.words(placed=False)}") from error


def write_target(target: str, content: str | bytes) -> None:
    """Write to standard output (`-`; text alone) or to a file, whole or not at all.

    Raises
    ------
    InputError: the file cannot be written.
    """
    if target != STREAM:
        write_whole(Path(target), content)
    elif isinstance(content, str):
        say(content)
    else:
        raise InputError(f"{STREAM}: this format is no text; expected the name of a file.")
