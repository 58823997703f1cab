"""What goes through a format comes back: the same cells, the same statuses, the same report."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.errors import InputError, TablesealError
from tableseal.audit.io import read_release
from tableseal.audit.io.formats.format import CONFIDENTIAL, Format, Part
from tableseal.audit.io.formats.kept import kept
from tableseal.audit.io.formats.registry import FORMATS
from tableseal.audit.model import Release, Status
from tableseal.audit.pipeline import audit
from tableseal.audit.report import report_json
from tests.support.format_releases import format_release, release_for

WRITTEN = [one for one in FORMATS if one.writes]


def told(release: Release) -> dict[str, Any]:
    """The report, but for what names the file and what was assumed when it was read; or why there is none."""
    try:
        report = json.loads(report_json(audit(release).report))
    except TablesealError as error:
        return {"error": type(error).__name__}
    for key in ("notes", "release", "release_sha256", "inputs", "digests"):
        report.pop(key, None)
    return report


def through(release: Release, target: Format, folder: Path) -> Release:
    name = f"t{target.written or target.endings[0]}"
    for file, content in target.write(release, name).items():
        (folder / file).write_bytes(content)
    return renamed(read_release(folder / name), release)


def through_or_refused(release: Release, target: Format, folder: Path) -> Release | None:
    """None: a bare file, which is inferred, is refused with a question (codes that look like numbers or statuses)."""
    try:
        return through(release, target, folder)
    except InputError:
        if target.reads:
            raise
        return None


def renamed(found: Release, release: Release) -> Release:
    """A release whose table is called as that of another one: formats call it after the file, or what it shows."""
    return replace(found, tables=(replace(found.tables[0], name=release.tables[0].name),))


@pytest.mark.parametrize("target", WRITTEN, ids=[one.key for one in WRITTEN])
@pytest.mark.parametrize("asked", [frozenset(), CONFIDENTIAL], ids=["public", "all"])
@given(seed=st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_the_report_is_the_same_through_each_format(
    target: Format, asked: frozenset[Part], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # CONVENTION 680
    release = kept(release_for(target, Random(seed)), target, asked)
    found = through_or_refused(release, target, tmp_path_factory.mktemp("t"))
    if found is None:
        return
    reports = [told(found), told(release)]
    if Part.TOTALS not in target.holds:  # they were inferred, and the verdict has that reservation
        for report in reports:
            report.pop("called", None)
    assert reports[0] == reports[1]


@pytest.mark.parametrize("target", WRITTEN, ids=[one.key for one in WRITTEN])
@given(seed=st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_a_withheld_cell_stays_withheld(target: Format, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    # CONVENTION 680: never 0, blank, NaN or not applicable.
    release = release_for(target, Random(seed))
    found = through_or_refused(kept(release, target), target, tmp_path_factory.mktemp("t"))
    if found is None:
        return

    before, after = withheld(release), withheld(found)
    if Part.CODES not in target.holds:
        assert sorted(before.values()) == sorted(after.values())
        return
    assert before.keys() == after.keys()
    assert all(after[cell] for cell in before if before[cell])
    assert Part.MISSING not in target.holds or before == after


CHAINED = [one for one in WRITTEN if not one.whole]
"""Formats that keep codes, and need no true value for every cell."""


@pytest.mark.parametrize("first", CHAINED, ids=[one.key for one in CHAINED])
@pytest.mark.parametrize("seed", range(2))
def test_a_withheld_cell_stays_withheld_from_format_to_format(first: Format, seed: int, tmp_path: Path) -> None:
    # CONVENTION 680: through each format, and from there through every other one
    done = 0
    for second in CHAINED:
        for attempt in range(4):  # bare files may be a question
            release = format_release(Random(f"{seed} {attempt}"), nested=False, across=False, plain=True)
            between = through_or_refused(kept(release, first), first, tmp_path)
            found = None if between is None else through_or_refused(kept(between, second), second, tmp_path)
            if found is not None:
                after = withheld(found)
                assert all(after[cell] for cell, held in withheld(release).items() if held), second.key
                done += 1
                break
    assert done > len(CHAINED) / 2


def withheld(one: Release) -> dict[tuple[str, ...], bool]:
    """Cell -> whether it is withheld, and no value of it published."""
    (table,) = one.tables
    cells = [tuple(one.cell_codes(row).values()) for row in table.codes]
    shown = zip(table.status.tolist(), table.value.known.tolist(), strict=True)
    return {cell: Status(s).withheld and not known for cell, (s, known) in zip(cells, shown, strict=True)}
