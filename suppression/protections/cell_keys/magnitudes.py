"""Magnitudes changed by cell key and perturbation table, as cellKey and tau-ARGUS do.

For each of the top contributions x_j of a cell, with the key turned by j - 1 digits: a unit of change d_j is the share
of x_j (see `scaling`), a = |value| / d_j says which rows of the table apply, and the value moves by d_j times the
change that lies between those of the two rows next to a. So no value changes its sign, and changes of the first
contribution are 0 in the mean over keys if those of the rows are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.errors import InputError, OptionName
from tableseal.suppression.protections.cell_keys.keys import rotated
from tableseal.suppression.protections.cell_keys.ptable import PTable
from tableseal.suppression.protections.cell_keys.scaling import Scaling

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MagnitudeTables:
    """even: for cells with an even number of contributors, odd: for the others (the same where parity says nothing).
    small_cells: for contributions below the separation point; None: these are as all others."""

    even: PTable
    odd: PTable
    small_cells: PTable | None = None

    @property
    def parity(self) -> bool:
        """Cells of an even and an odd number of contributors are changed differently."""
        return self.even is not self.odd


@dataclass(frozen=True)
class Cells:
    """Cells of a magnitude.

    Attributes
    ----------
    value: (cells), sums of (weighted) contributions. sizes: (cells x k), what scales the changes: the top contributions
    (see `largest_contributions`), or the mean, range or sum as one column. contributors: int64 (cells).
    key: int64 (cells). sensitive: bool (cells), changed by `more` besides.
    """

    value: Floats
    sizes: Floats
    contributors: NDArray[np.int64]
    key: NDArray[np.int64]
    sensitive: NDArray[np.bool_]


def changes(cells: Cells, tables: MagnitudeTables, scaling: Scaling, more: float = 0.0) -> Floats:
    """(cells) by how much each value changes, before it is rounded to the unit.

    more: added to the size of the first contribution's change in sensitive cells (`mu_c`), in units of change, upwards
    where the change is 0; with it, changes are not 0 in the mean.

    Raises
    ------
    InputError: parity with more than one contribution, `more` below 0, keys that cannot be turned.
    """
    if tables.parity and len(scaling.weights) > 1:
        raise InputError("tables for even and odd numbers of contributors go with one.", at=OptionName("weights"))
    if more < 0:
        raise InputError(at=OptionName("more"), found=f"{more:g}", expected="0 or more")
    at = cells.value.copy()
    separation = scaling.separation(tables.small_cells)
    for j, weight in enumerate(scaling.weights[: cells.sizes.shape[1]]):
        key = rotated(cells.key, tables.even.modulus, j) if j else cells.key
        step, small = _unit_of_change(np.abs(at), np.abs(cells.sizes[:, j]), weight, scaling, separation)
        idle = (step == 0) | (cells.contributors <= j) | (at == 0) | (small & (j > 0))
        ratio = np.divide(np.abs(at), step, out=np.zeros(len(at)), where=~idle)
        found = _between(ratio, key, cells.contributors, small, tables)
        extra = np.where(cells.sensitive & (j == 0), more, 0.0)
        moved = step * np.where(found < 0, found - extra, found + extra)
        at += np.where(idle, 0.0, np.sign(at) * np.maximum(moved, -np.abs(at)))
    return at - cells.value


def _unit_of_change(
    value: Floats, size: Floats, weight: float, scaling: Scaling, separation: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """What a change by 1 is, and whether the table for small cells applies, in which it is 1."""
    small = size < separation
    step = np.where(small, 1.0, size * scaling.share(size) * weight)
    # A unit beyond the value itself would take it below zero: the value is its own unit then, if it is not small.
    beyond = value < step
    small = np.where(beyond, value < separation * scaling.small * weight, small)
    return np.where(small, 1.0, np.where(beyond, value, step)), small


def _between(
    ratio: Floats, key: NDArray[np.int64], contributors: NDArray[np.int64], small: NDArray[np.bool_], t: MagnitudeTables
) -> Floats:
    """The change of each cell, in units of change."""
    even = contributors % 2 == 0
    found = np.zeros(len(ratio))
    kinds: list[tuple[PTable | None, NDArray[np.bool_]]] = [(t.even, ~small & even), (t.odd, ~small & ~even)]
    for table, which in [*kinds, (t.small_cells, small)]:
        if table is not None and which.any():
            found[which] = _interpolated(table, ratio[which], key[which])
    return found


def _interpolated(table: PTable, ratio: Floats, key: NDArray[np.int64]) -> Floats:
    """Between the changes of the two rows next to the ratio; the last row's beyond it."""
    levels = table.levels * float(table.step)
    lower = np.searchsorted(levels, ratio, side="right") - 1
    upper = np.minimum(lower + 1, len(levels) - 1)
    gap = np.where(upper > lower, levels[upper] - levels[lower], 1.0)
    part = np.where(upper > lower, (ratio - levels[lower]) / gap, 0.0)
    low, high = (table.change_at(row, key) * float(table.step) for row in (lower, upper))
    found: Floats = (1 - part) * low + part * high
    return found


def widest(cells: Cells, tables: MagnitudeTables, scaling: Scaling, more: float = 0.0) -> Floats:
    """(cells) no change goes beyond this."""
    most = max(t.widest * float(t.step) for t in (tables.even, tables.odd))
    total = np.zeros(len(cells.value))
    for j, weight in enumerate(scaling.weights[: cells.sizes.shape[1]]):
        size = np.abs(cells.sizes[:, j])
        step = size * scaling.share(size) * weight
        reach = step * (most + (more * cells.sensitive if j == 0 else 0.0))
        if tables.small_cells is not None and j == 0:
            own = tables.small_cells.widest * float(tables.small_cells.step)
            reach = np.maximum(reach, own + more * cells.sensitive)
        total += reach
    return total
