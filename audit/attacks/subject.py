"""A release with changed counts, as readers see it and with the true counts that only the agency has."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.merge import merge_cells
from tableseal.audit.linear.naming import cell_name, place_of
from tableseal.audit.model import Release, Status


@dataclass(frozen=True)
class Subject:
    """What is attacked.

    Attributes
    ----------
    changed: bool (cells), counts that readers see changed: their true values are what attackers are after.
    known: bool (cells), counts of which readers see a value, changed or not, and whose true value is known to us.
    shown: float64 (cells), what readers see; where tables differ, the mean of what they show.
    lower, upper: int64 (cells), what is stated of each cell alone; NO_LOWER and NO_UPPER for no bound.
    truth: int64 (cells), 0 where it is not known.
    deadline: moment (monotonic clock) at which the search for bounds ends; None: never.
    """

    release: Release
    cells: Cells
    changed: NDArray[np.bool_]
    known: NDArray[np.bool_]
    shown: NDArray[np.float64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    truth: NDArray[np.int64]
    deadline: float | None = None

    def name(self, cell: int) -> str:
        """What a cell is called; its measure, too, where there are several."""
        name = cell_name(self.release, self.cells, cell)
        measures = list(self.release.measures)
        return name if len(measures) == 1 else f"{measures[int(self.cells.measure[cell])]} {name}"


def subject_of(release: Release) -> Subject:
    """The subject that a release with true values is.

    Raises
    ------
    InputError: no count is changed, a changed one has no true value, or one that its published value cannot stand for.
    """
    cells, _ = merge_cells(release)
    counts = np.array([measure.kind == "count" for measure in release.measures.values()], np.bool_)[cells.measure]
    changed = counts & cells.rounded
    if not changed.any():
        text = "no count of this release was changed, so there is no change to undo; a table whose values were says how"
        raise InputError(f"{text} (`rounding: {{method: cell_key, range: 3}}`). What suppression leaves: audit it.")
    _refuse_truths(release, cells, changed)
    known = counts & cells.truth.known & (cells.exact | changed)
    lower = np.where(cells.lower.known, cells.lower.units, NO_LOWER)
    upper = np.where(cells.upper.known, cells.upper.units, NO_UPPER)
    truth = np.where(cells.truth.known, cells.truth.units, 0)
    return Subject(release, cells, changed, known, shown_values(release, cells), lower, upper, truth)


def _refuse_truths(release: Release, cells: Cells, changed: NDArray[np.bool_]) -> None:
    lacking = changed & ~cells.truth.known
    if lacking.any():
        text = (
            f"{int(lacking.sum())} of {int(changed.sum())} changed counts have no true value, which is what an attack "
        )
        text += (
            "is measured by; attack the agency's copy (what `protect --confidential` wrote, or add a column `truth`)."
        )
        raise InputError(text, at=place_of(release, cells, int(np.flatnonzero(lacking)[0])))
    low = cells.lower.known & (cells.truth.units < cells.lower.units)
    wrong = changed & (low | (cells.upper.known & (cells.truth.units > cells.upper.units)))
    if wrong.any():
        text = f"{int(wrong.sum())} true counts are none that their published values may stand for; mend `rounding` or "
        raise InputError(text, "them.", at=place_of(release, cells, int(np.flatnonzero(wrong)[0])))


def rows_of(cells: Cells, tables: int) -> list[NDArray[np.int64]]:
    """The cell of each row, table by table."""
    order = np.argsort(cells.listing_table, kind="stable")
    ends = np.searchsorted(cells.listing_table[order], np.arange(1, tables))
    return np.split(cells.listing_cell[order], ends)


def shown_values(release: Release, cells: Cells) -> NDArray[np.float64]:
    """float64 (cells): what readers see of each, in units; where tables differ, the mean; 0 where they see nothing."""
    total, times = np.zeros(len(cells)), np.zeros(len(cells))
    for table, cell in zip(release.tables, rows_of(cells, len(release.tables)), strict=True):
        out = (table.status <= Status.FROZEN) & table.value.known & ((table.rounding is not None) | cells.exact[cell])
        np.add.at(total, cell[out], table.value.units[out])
        np.add.at(times, cell[out], 1)
    shown = total / np.maximum(times, 1)
    return np.where(cells.exact, cells.lower.units, shown)
