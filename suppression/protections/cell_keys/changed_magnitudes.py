"""The magnitudes of a release, changed by cell keys.

What readers can find out of the true values is not worked out: changes scale with the largest contributions, so that
nothing narrow can be said publicly of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.linear.cells import Cells
from tableseal.audit.linear.naming import place_of
from tableseal.audit.model import Note, Ptable, Release
from tableseal.audit.rules.memberships import memberships
from tableseal.suppression.protections.cell_keys import magnitudes
from tableseal.suppression.protections.cell_keys.keys import RecordKeys, cell_keys, key_notes, keys_from_column
from tableseal.suppression.protections.cell_keys.magnitudes import MagnitudeTables
from tableseal.suppression.protections.cell_keys.ptable import PTable
from tableseal.suppression.protections.cell_keys.ptable_files import ALL, ptables_of
from tableseal.suppression.protections.cell_keys.scaling import Scaling, largest_contributions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class MagnitudeSettings:
    """How magnitudes are changed.

    Attributes
    ----------
    scaling: what a change by 1 is in a cell. ptable: rows of type `all`, or with `parity` of types `even` and
        `odd`, for cells with an even and an odd number of contributors. small_cells: for contributions below the
        separation point; None: they are as all others.
    zeros: records that contribute 0 count in keys and numbers of contributors. more: see `magnitudes.changes`.
    """

    scaling: Scaling
    ptable: Ptable
    small_cells: Ptable | None = None
    parity: bool = False
    zeros: bool = False
    more: float = 0.0

    def tables(self, modulus: int) -> MagnitudeTables:
        """The perturbation tables for keys below a modulus.

        Raises
        ------
        InputError: a file that is none, or lacks rows of a type.
        """
        kinds = ptables_of(self.ptable, modulus)
        even, odd = (_of_type(kinds, kind, self.ptable) for kind in (("even", "odd") if self.parity else (ALL, ALL)))
        if self.small_cells is None:
            return MagnitudeTables(even, odd)
        small = ptables_of(self.small_cells, modulus)
        return MagnitudeTables(even, odd, small.get("small_cells") or _of_type(small, ALL, self.small_cells))


@dataclass(frozen=True)
class ChangedMagnitudes:
    """shown: int64 (cells), published values in units; true ones in cells of other measures. key: int64 (cells), below
    the modulus. notes: what to know of the keys."""

    shown: Ints
    key: Ints
    modulus: int
    notes: tuple[Note, ...]


def changed_magnitudes(
    release: Release,
    cells: Cells,
    values: Ints,
    sensitive: NDArray[np.bool_],
    measure: str,
    settings: MagnitudeSettings,
) -> ChangedMagnitudes:
    """Every cell of a measure by its key and its largest contributions, rounded to the unit, half up.

    values: int64 (cells), true ones in units. sensitive: bool (cells), changed by `more` besides.

    Raises
    ------
    InputError: there are no records with keys and contributions, or of some it is open whether they belong to a cell;
        perturbation tables that cannot be used, settings that do not go together.
    """
    data = release.microdata
    if data is None or data.key is None or measure not in data.values:
        text = "cell keys of magnitudes need records with keys and contributions."
        raise InputError(text, at=OptionName("method", "cell-key"))
    keys = keys_from_column(data.key, None, data.source)
    own = np.flatnonzero(cells.measure == list(release.measures).index(measure))
    record_value = data.values[measure]
    cell, record, covered = memberships(release, cells, data)
    wrong = own[~covered[own]]
    if len(wrong):
        text = "it is open whether some records belong to it, because of a code that is missing or too coarse."
        raise InputError(text, at=place_of(release, cells, int(wrong[0])))
    position = np.full(len(cells), -1, np.int64)
    position[own] = np.arange(len(own))
    counted = (position[cell] >= 0) & (settings.zeros | (record_value.units[record] != 0))
    place, record = position[cell[counted]], record[counted]
    key = _keys(keys, place, record, len(own))
    unit = float(release.measures[measure].unit)
    contribution: Floats = record_value.units[record].astype(np.float64) * unit
    weight = np.ones(len(record)) if data.weight is None else data.weight[record]
    true: Floats = values[own].astype(np.float64) * unit
    sizes, number = _sizes(place, contribution, weight, true, settings.scaling)
    found = magnitudes.Cells(true, sizes, number, key, sensitive[own])
    change = magnitudes.changes(found, settings.tables(keys.modulus), settings.scaling, settings.more)
    shown, all_keys = values.copy(), np.zeros(len(cells), np.int64)
    shown[own] = [v + floor(Fraction(c) / Fraction(unit) + Fraction(1, 2)) for v, c in _pairs(values[own], change)]
    all_keys[own] = key
    return ChangedMagnitudes(shown, all_keys, keys.modulus, key_notes(keys, data.source, missing_keys=True))


def _pairs(values: Ints, change: Floats) -> list[tuple[int, float]]:
    return list(zip(values.tolist(), change.tolist(), strict=True))


def _keys(keys: RecordKeys, place: Ints, record: Ints, cells: int) -> Ints:
    members = csr_array((np.ones(len(record), np.int64), (place, record)), shape=(cells, len(keys)))
    return cell_keys(keys, members)


def _sizes(place: Ints, contribution: Floats, weight: Floats, true: Floats, scaling: Scaling) -> tuple[Floats, Ints]:
    """What scales the changes of each cell, and how many contribute to it."""
    top, number = largest_contributions(place, contribution, weight, len(true), max(len(scaling.weights), 1))
    match scaling.by:
        case "top":
            return top, number
        case "sum":
            return true[:, None].copy(), number
        case "mean":
            mean: Floats = np.divide(true, number, out=np.zeros(len(true)), where=number > 0)
            return mean[:, None], number
    high, low = np.full(len(true), -np.inf), np.full(len(true), np.inf)
    np.maximum.at(high, place, contribution * weight)
    np.minimum.at(low, place, contribution * weight)
    spread: Floats = np.subtract(high, low, out=np.zeros(len(true)), where=number > 0)
    return spread[:, None], number


def _of_type(kinds: Mapping[str, PTable], kind: str, own: Ptable) -> PTable:
    if kind not in kinds:
        raise InputError(f"has no rows of type {kind}; types are {', '.join(kinds)}.", at=own.source)
    return kinds[kind]
