"""The formats whose files say themselves what they hold. A new one is an entry here; `format.py` says what it does."""

from pathlib import PurePath
from typing import Final

from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.format import Format

FORMATS: Final[tuple[Format, ...]] = (Format("px", "PC-Axis", (".px",), "tableseal.audit.io.formats.px", writes=False),)

SAMPLE: Final = 2**16
"""Bytes at the beginning of a file by which formats are told apart."""


def format_in(folder: Folder, name: str) -> Format | None:
    """The format that is read of a file in a folder, by its ending and, where others end so too, by its beginning."""
    candidates = [one for one in _ending_as(name) if one.reads]
    if all(one.seems is None for one in candidates):
        return next(iter(candidates), None)
    beginning = folder.beginning(name, SAMPLE)
    return next((one for one in candidates if one.seems is None or one.seems(beginning)), None)


def format_to_write(name: str) -> Format | None:
    """The format in which a file of this name is written, if its ending says one."""
    return next((one for one in FORMATS if one.writes and name.lower().endswith(one.endings)), None)


def _ending_as(name: str) -> list[Format]:
    ending = PurePath(name).suffix.lower()
    return [one for one in FORMATS if ending in one.endings]
