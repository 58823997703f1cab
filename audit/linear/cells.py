"""The distinct cells of a release: rows of linked tables that speak of the same cell become one."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.model import Amounts, Measure, Release


@dataclass(frozen=True)
class Cells:
    """Every cell that any table lists (or that follows from `absent`), once, ordered by table and code.

    Attributes
    ----------
    measure: int32 (cells), position in the release's measures.
    codes: int32 (cells x variables), positions in the hierarchies' codes.
    status: int8 (cells); the most revealing status wins (a cell is released if any table releases it).
    sensitive_status: bool (cells): some table calls it primary or withheld.
    withheld_status: bool (cells): some table withholds it (whatever another one releases).
    consent: bool (cells): published by agreement of its contributors, so that no rule judges it.
    unrounded: bool (cells): some table rounds it, and another one releases its exact value.
    absent_zero: bool (cells): some table has no row for it and so says that it is zero.
    lower, upper: what the release itself says of the cell, as multiples of the unit; lower == upper where it is
        published exactly, an interval where it is rounded or has known bounds, unknown where nothing is said.
    known_lower, known_upper: bounds that the intruder has anyway, whatever the release says.
    exact: bool (cells): the exact value is released (or is a zero everyone knows).
    truth: agency knowledge of the true value. impossible: bool (cells): one is stated that cannot be, and not used.
    frequency, weighted, contributors: agency knowledge; unknown where no table gives them.
    protection_lower, protection_upper: required distances given per cell; protection_sliding: required widths.
    table, row: int32, int64 (cells): first table that lists it, and the row there; row -1: absent, taken as zero or
        computed.
    listing_cell, listing_table: one entry per listed row: which cell and which table it is.
    """

    measure: NDArray[np.int32]
    codes: NDArray[np.int32]
    status: NDArray[np.int8]
    sensitive_status: NDArray[np.bool_]
    withheld_status: NDArray[np.bool_]
    consent: NDArray[np.bool_]
    unrounded: NDArray[np.bool_]
    absent_zero: NDArray[np.bool_]
    rounded: NDArray[np.bool_]
    lower: Amounts
    upper: Amounts
    known_lower: Amounts
    known_upper: Amounts
    exact: NDArray[np.bool_]
    truth: Amounts
    impossible: NDArray[np.bool_]
    frequency: Amounts
    weighted: Amounts
    contributors: tuple[Amounts, ...]
    protection_lower: Amounts
    protection_upper: Amounts
    protection_sliding: Amounts
    table: NDArray[np.int32]
    row: NDArray[np.int64]
    listing_cell: NDArray[np.int64]
    listing_table: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.measure)


@dataclass(frozen=True)
class Stated:
    """Cells of which something is known: whether these values add up is looked at.

    known: int64, positions in `cells`; lower, upper: int64 (known), NO_LOWER / NO_UPPER for no bound.
    """

    release: Release
    cells: Cells
    known: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    @classmethod
    def within(cls, release: Release, cells: Cells, lower: NDArray[np.int64], upper: NDArray[np.int64]) -> Self:
        """Those that have any of these bounds (int64, cells)."""
        known = np.flatnonzero((lower != NO_LOWER) | (upper != NO_UPPER))
        return cls(release, cells, known, lower[known], upper[known])

    def measure(self, at: int) -> Measure:
        """The measure of a known cell (its position among these)."""
        return list(self.release.measures.values())[int(self.cells.measure[self.known[at]])]
