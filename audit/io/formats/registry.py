"""The formats whose files say themselves what they hold. A new one is an entry here; `format.py` says what it has to do."""

from pathlib import PurePath
from typing import Final

from tableseal.audit.io.formats.format import Format

FORMATS: Final[tuple[Format, ...]] = ()

SAMPLE: Final = 2**16
"""Bytes at the beginning of a file by which formats are told apart."""


def shares_ending(name: str) -> bool:
    """Whether files with such names may be in one of the formats, which their beginning says."""
    return any(one.seems is not None for one in _ending_as(name))


def format_of(name: str, beginning: bytes) -> Format | None:
    """The format of a file with this name and beginning (`SAMPLE` bytes; needed where `shares_ending`), if any."""
    return next((one for one in _ending_as(name) if one.reads and (one.seems is None or one.seems(beginning))), None)


def format_to_write(name: str) -> Format | None:
    """The format in which a file of this name is written, if its ending says one."""
    return next((one for one in FORMATS if one.writes and name.lower().endswith(one.endings)), None)


def _ending_as(name: str) -> list[Format]:
    ending = PurePath(name).suffix.lower()
    return [one for one in FORMATS if ending in one.endings]
