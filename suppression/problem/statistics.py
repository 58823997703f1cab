"""Percentages, rates and means go with their values: one is withheld as soon as a value behind it is."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Amounts, Note, Release, Statistic, Status
from tableseal.suppression.problem.places import Places


def set_aside(release: Release, cells: Cells) -> Release:
    """The release as a search looks at it: without the statistics that are withheld with the values behind them.

    While these are published, a statistic says nothing new. One stays if it must (`must_publish`, `frozen`), or if a
    value behind it is in no table or rounded: then it is a statement that no pattern changes.
    """
    places = Places(release, cells)
    rounded = cells.rounded

    def goes(statistic: Statistic, row: int) -> bool:
        behind = _behind(statistic, row, release, places)
        plain = statistic.table.status[row] == Status.PUBLISHED and statistic.table.value.known[row]
        return bool(plain) and all(cell is not None and not rounded[cell] for cell in behind)

    return replace(release, statistics=tuple(_changed(s, goes, Status.SECONDARY) for s in release.statistics))


def given_back(release: Release, cells: Cells, pattern: NDArray[np.bool_]) -> Release:
    """The release with the statistics again, that were set aside, of which no value is withheld.

    pattern: bool (cells), all withheld ones.
    """
    places = Places(release, cells)

    def stays(statistic: Statistic, row: int) -> bool:
        aside = statistic.table.truth.known[row] and not statistic.table.value.known[row]
        behind = _behind(statistic, row, release, places)
        return bool(aside) and not any(cell is None or pattern[cell] for cell in behind)

    statistics = tuple(_changed(s, stays, Status.PUBLISHED) for s in release.statistics)
    count = sum(int((s.table.truth.known & ~s.table.value.known).sum()) for s in statistics)
    text = "percentages, rates and means are withheld together with a value behind them"
    notes = (Note("statistics_withheld", f"{count} {text}", count),) if count else ()
    return replace(release, statistics=statistics, notes=(*release.notes, *notes))


def _behind(statistic: Statistic, row: int, release: Release, places: Places) -> list[int | None]:
    return [places.find(measure, release.cell_codes(codes)) for measure, codes in statistic.cells(row)]


def _changed(statistic: Statistic, which: Callable[[Statistic, int], bool], status: Status) -> Statistic:
    """With these rows published or withheld, their values beside."""
    table = statistic.table
    rows = np.array([which(statistic, row) for row in range(len(table.codes))], np.bool_)
    if not rows.any():
        return statistic
    known = (table.value.known & ~rows) | (rows & (status == Status.PUBLISHED))
    units = np.where(table.truth.known, table.truth.units, table.value.units)
    truth = Amounts(units, table.truth.known | table.value.known)
    marked = np.where(rows, np.int8(status), table.status).astype(np.int8)
    return replace(
        statistic, table=replace(table, status=marked, value=Amounts(np.where(known, units, 0), known), truth=truth)
    )
