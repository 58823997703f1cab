"""What a report says of a cell before anything was found out about it, for many cells at once."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.model import Amounts, Status
from tableseal.audit.prepare import Prepared
from tableseal.audit.rules import Sensitivity


class DescribedCell(NamedTuple):
    """One cell, by what the release and the policy say of it; numbers in units.

    cell: position. tables: names of those that list it. codes: (variable, code) of every variable. truth: None where
    not known. sensitive: primary, withheld without a reason, rounded or known by an interval, or sensitive by `rule`.
    required: interval that must stay possible; width: what must be spanned.
    """

    cell: int
    tables: tuple[str, ...]
    measure: int
    codes: tuple[tuple[str, str], ...]
    status: Status
    truth: int | None
    sensitive: bool
    rule: str | None
    required: tuple[int, int] | None
    width: int


def described(prepared: Prepared, sensitivity: Sensitivity, which: NDArray[np.int64]) -> list[DescribedCell]:
    """The cells at the positions `which`, in that order; whole columns first, which is faster than cell by cell."""
    cells = prepared.cells
    status = cells.status[which]
    sensitive = sensitivity.judged(cells)[which]
    by_number = {int(status): status for status in Status}
    low, high = _known(sensitivity.required_lower, which), _known(sensitivity.required_upper, which)
    columns = zip(
        which.tolist(),
        _listings(prepared, which),
        cells.measure[which].tolist(),
        _codes(prepared, which),
        [by_number[number] for number in status.tolist()],
        _known(cells.truth, which),
        sensitive.tolist(),
        [sensitivity.rule[cell] for cell in which.tolist()],
        [None if a is None or b is None else (a, b) for a, b in zip(low, high, strict=True)],
        [width or 0 for width in _known(sensitivity.required_width, which)],
        strict=True,
    )
    return [DescribedCell(*column) for column in columns]


def _known(amounts: Amounts, which: NDArray[np.int64]) -> list[int | None]:
    chosen = zip(amounts.units[which].tolist(), amounts.known[which].tolist(), strict=True)
    return [units if known else None for units, known in chosen]


def _codes(prepared: Prepared, which: NDArray[np.int64]) -> list[tuple[tuple[str, str], ...]]:
    codes: list[tuple[tuple[str, str], ...]] = [()] * len(which)
    columns = []
    for v, (name, hierarchy) in enumerate(prepared.release.variables.items()):
        pairs = [(name, code) for code in hierarchy.codes]
        columns.append([pairs[p] for p in prepared.cells.codes[which, v].tolist()])
    return list(zip(*columns, strict=True)) if columns else codes


def _listings(prepared: Prepared, which: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Names of the tables that list each cell, in release order; of what none lists the one that it follows from."""
    cells, names = prepared.cells, [table.name for table in prepared.release.tables]
    wanted = np.zeros(len(cells), np.bool_)
    wanted[which] = True
    at = np.flatnonzero(wanted[cells.listing_cell])
    listings = np.unique(cells.listing_cell[at] * len(names) + cells.listing_table[at])
    cell, table = np.divmod(listings, len(names))
    begin, end = (np.searchsorted(cell, which, side).tolist() for side in ("left", "right"))
    first = cells.table[which].tolist()
    alone = [(name,) for name in names]
    return [
        tuple(names[t] for t in table[a:b].tolist()) if b > a + 1 else alone[int(table[a]) if b > a else own]
        for a, b, own in zip(begin, end, first, strict=True)
    ]


class Decimals(dict[int | Fraction, Fraction]):
    """Values in units -> in the measure's decimals; the same few values come again and again."""

    def __init__(self, unit: Fraction) -> None:
        super().__init__()
        self._unit = unit
        self._pairs: dict[tuple[Fraction | int | None, Fraction | int | None], _Ends] = {}

    def __missing__(self, value: int | Fraction) -> Fraction:
        result = self[value] = value * self._unit
        return result

    def of(self, value: int | Fraction | None) -> Fraction | None:
        """The same where there may be no limit."""
        return None if value is None else self[_plain(value)]

    def both(self, low: int | Fraction | None, high: int | Fraction | None) -> "_Ends":
        """The same of an interval that may have no limit."""
        key = None if low is None else _plain(low), None if high is None else _plain(high)
        ends = self._pairs.get(key)
        if ends is None:
            ends = self._pairs[key] = self.of(low), self.of(high)
        return ends

    def pair(self, ends: Sequence[int] | None) -> tuple[Fraction, Fraction] | None:
        """The same of an interval."""
        return None if ends is None else (self[ends[0]], self[ends[1]])


_Ends = tuple[Fraction | None, Fraction | None]


def lp_ends(bounds: TargetBounds, decimals: Decimals) -> _Ends | None:
    """The bounds of linear programming, None where one was not reached."""
    low, high = bounds.lower, bounds.upper
    if (low.lp is None and not low.unlimited) or (high.lp is None and not high.unlimited):
        return None
    return decimals.both(None if low.unlimited else low.lp, None if high.unlimited else high.lp)


def _plain(value: int | Fraction) -> int | Fraction:
    """Whole numbers as such: they are found much faster."""
    return value.numerator if value.denominator == 1 else value
