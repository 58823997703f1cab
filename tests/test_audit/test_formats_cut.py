"""A file that is cut off never gives a part of its table without a word."""

import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import read_release, release_files, release_from_document
from tableseal.audit.model import Release
from tableseal.audit.pipeline import audit
from tests.support.format_releases import format_release
from tests.support.fuzz.readers import GOOD, Files, good_files, readers

OTHERS = ("policy", "decisions", "transition", "job", "archive")
"""Readers of something else than tables."""
LINES = (
    *("sdmx-csv", "sdmx-csv-1", "tau-argus", "csv", "csv-cross", "csvw-others", "hierarchies", "structures", "acro"),
    "xpt",
)
"""Files of lines (of cards) without an end and without a count: cut between two lines, nothing shows it."""
CUTS = 40
"""Places for each file."""
DRAWS = 3
"""Files for each reader."""


def listed(release: Release) -> list[list[tuple[tuple[tuple[str, str], ...], int, int | None]]]:
    """Tables: cells with their status and value."""
    return [
        sorted(
            (tuple(release.cell_codes(row).items()), int(status), table.value.get(at))
            for at, (row, status) in enumerate(zip(table.codes, table.status.tolist(), strict=True))
        )
        for table in release.tables
    ]


def told(release: Release) -> set[str]:
    """What notes are about, those of an audit, too.

    Raises
    ------
    TablesealError: of the audit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {note.code for note in (*release.notes, *audit(release).report.notes)}


def readable(key: str, number: int, folder: Path) -> tuple[Files, Path, list[Any], set[str]]:
    """Good files of a reader, written into a folder; the one that is read, its cells and what notes are about. Drawn
    files that are a question by themselves (two codes may be the total) are passed over."""
    for drawn in range(number, GOOD, DRAWS):
        files = dict(good_files(key, drawn))
        for name, content in files.items():
            (folder / name).write_bytes(content)
        path = folder / next(reversed(files))
        try:
            good = readers()[key].read(path)
            assert isinstance(good, Release)
            return files, path, listed(good), told(good)
        except TablesealError:
            continue
    raise AssertionError(f"{key}: no drawn file is read")


@pytest.mark.parametrize("key", [key for key in readers() if key not in OTHERS])
@pytest.mark.parametrize("number", range(DRAWS))
def test_a_part_of_a_table_is_never_read_without_a_word(key: str, number: int, tmp_path: Path) -> None:
    # CONVENTION 638: an error, the whole table, or a note; between two lines of a file without an end nothing shows it
    read = readers()[key].read
    files, path, whole, notes = readable(key, number, tmp_path)
    random = Random(number)
    for name, content in files.items():
        ends = [at + 1 for at, byte in enumerate(content[:-1]) if byte == 10]
        within = {random.randrange(1, len(content)) for _ in range(CUTS)}
        for end in sorted(within | set(random.sample(ends, min(len(ends), CUTS)))):
            (tmp_path / name).write_bytes(content[:end])
            try:
                found = read(path)
                assert isinstance(found, Release)
                if listed(found) == whole or told(found) - (notes - {"no_line_end"}):
                    continue
            except TablesealError:
                continue
            assert key in LINES, f"{name} cut at {end}: {content[:end][-60:]!r}"
            at_end = not end % 80 if key == "xpt" else content[:end].endswith(b"\n")
            assert at_end, f"{name} cut at {end}: {content[:end][-60:]!r}"
        (tmp_path / name).write_bytes(content)


@pytest.mark.parametrize("ending", [".yaml", ".csv-metadata.json"])
@pytest.mark.parametrize("seed", range(4))
def test_our_own_files_of_lines_say_how_many_rows_there_are(ending: str, seed: int, tmp_path: Path) -> None:
    # CONVENTION 638
    release, path = format_release(Random(seed)), tmp_path / f"t{ending}"
    for name, text in release_files(release, path).items():
        name.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert listed(read_release(path)) == listed(release)
    (data,) = tmp_path.glob("*.csv")
    rows = data.read_text("utf-8").splitlines(keepends=True)
    assert not any("\n" in code for hierarchy in release.variables.values() for code in hierarchy.codes)
    for end in range(2, len(rows)):
        data.write_text("".join(rows[:end]), "utf-8")
        with pytest.raises(InputError, match=rf"{data.name}.*has {end - 1:,} rows, but .*rows says {len(rows) - 1:,}"):
            read_release(path)


def test_a_count_of_rows_goes_with_any_data() -> None:
    # CONVENTION 638
    table = {"name": "t", "cells": {"a": ["T", "k"], "value": [9, 4]}, "rows": 3}
    document = {"tableseal": 1, "kind": "count", "variables": {"a": {"total": "T", "codes": ["k"]}}, "tables": [table]}
    with pytest.raises(InputError, match=r"has 2 rows, but .*tables\[0\].*rows says 3"):
        release_from_document(document)
