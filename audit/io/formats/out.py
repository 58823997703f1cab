"""A release as files of a format: a file for each table where the format holds one."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tableseal.audit.errors import InputError
from tableseal.audit.io.formats.format import Format, Part
from tableseal.audit.io.formats.kept import Loss, kept, losses, one_table
from tableseal.audit.io.formats.registry import FORMATS, format_to_write
from tableseal.audit.model import Release
from tableseal.audit.wording import listing, quoted, suggestion

WHOLE = frozenset(Part)
"""What our own release file holds."""


@dataclass(frozen=True)
class Written:
    """What is to be written. files: path -> text (UTF-8) or bytes, the target last. losses: what is not in them."""

    files: dict[Path, str | bytes]
    losses: tuple[Loss, ...]


def written(release: Release, target: Path, found: Format, asked: Collection[Part] = ()) -> Written:
    """A release in a format, and what it loses there. Nothing is written yet.

    Parameters
    ----------
    asked: confidential parts that are to be in it where the format has a place for them.

    Raises
    ------
    InputError: what the format cannot hold and cannot leave out either. LimitError: too many cells.
    """
    files: dict[Path, str | bytes] = {}
    lost = losses(release, found, asked)
    for at, path in enumerate(table_files(release, target, found)):
        part = release if Part.SEVERAL_TABLES in found.holds else one_table(release, at)
        single = kept(part, found, asked)
        for name, content in found.write(single, path.name).items():
            files[path.with_name(name)] = content.decode("utf-8") if found.text else content
    return Written(files, tuple(lost))


def table_files(release: Release, target: Path, found: Format) -> tuple[Path, ...]:
    """A file for each table: the target if there is one table, else with their names put into its own."""
    if len(release.tables) == 1 or Part.SEVERAL_TABLES in found.holds:
        return (target,)
    ending = next((e for e in (found.written, *found.endings) if e and target.name.lower().endswith(e)), target.suffix)
    stem, used = target.name[: len(target.name) - len(ending)], set[str]()
    return tuple(target.with_name(file_name(stem, table.name, ending, used)) for table in release.tables)


def file_name(stem: str, table: str, ending: str, used: set[str]) -> str:
    """A file name of its own for a table; `used`: those that are taken, in lower case."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", table).strip("_") or "table"
    found, number = f"{stem}_{plain}{ending}", 2
    while found.lower() in used:
        found, number = f"{stem}_{plain}_{number}{ending}", number + 1
    used.add(found.lower())
    return found


def refuse_for_readers(name: str, where: str, remedy: str) -> None:
    """InputError if a release for readers cannot be written into a file of this name: its format has true values."""
    found = format_to_write(name)
    if found is not None and found.whole:
        text = f"its format ({found.title}) has the true value of every cell, and a release for readers has none of "
        raise InputError(text, "withheld ones", at=where, remedy=remedy)


def format_named(key: str | None, name: str) -> Format | None:
    """The format that is asked for by its key, or by how the name of the file ends; None: our own release file.

    Raises
    ------
    InputError: no such format, or one that is not written.
    """
    if key is None:
        return format_to_write(name)
    keys = [one.key for one in FORMATS if one.writes]
    found = next((one for one in FORMATS if one.key == key and one.writes), None)
    if found is None and key != "json":
        raise InputError(
            f"there is no format {quoted(key)}{suggestion(key, keys)}; formats are {listing(['json', *keys])}."
        )
    return found
