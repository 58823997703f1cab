"""The magnitudes of a release, changed by cell keys."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.model import Microdata, Note, Rounding
from tableseal.audit.model.rounding import most_changed
from tableseal.audit.rules.memberships import memberships, record_amounts
from tableseal.suppression.protections.cell_keys.keys import cell_keys, key_notes, keys_from_column
from tableseal.suppression.protections.cell_keys.magnitude_settings import MagnitudeKeySettings, tables_of
from tableseal.suppression.protections.cell_keys.magnitudes import Cells, MagnitudeTables, changes
from tableseal.suppression.protections.cell_keys.reach import told_flex, told_share
from tableseal.suppression.protections.cell_keys.scaling import largest_contributions
from tableseal.suppression.protections.subject import Subject

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ChangedMagnitudes:
    """What becomes of the magnitudes of a release.

    Attributes
    ----------
    shown: int64 (cells), published values in units. stated: of each measure what everybody may know.
    tables: by which values were changed. cut: how many changes were made smaller, so that what is told holds.
    """

    shown: Ints
    stated: dict[str, Rounding]
    tables: MagnitudeTables
    cut: int
    notes: tuple[Note, ...]


def changed_magnitudes(
    subject: Subject, settings: MagnitudeKeySettings, sensitive: NDArray[np.bool_]
) -> ChangedMagnitudes:
    """Every value by the key of its cell and its contributions, and by nothing else.

    Changes are rounded to the nearest unit, and never go beyond what is told.

    sensitive: bool (cells), those that `more` moves further.

    Raises
    ------
    InputError: counts, values that are or may be negative; no records, with keys, that give the true values; a
        perturbation table that cannot be used.
    """
    _refuse_others(subject)
    data = subject.release.microdata
    if data is None or data.key is None:
        text = "changes sums by their largest contributions and by keys: say `key` (or `id` and `secret_file`) of the "
        raise InputError(text + "microdata.", keys=("microdata.key",))
    keys = keys_from_column(data.key, settings.modulus, data.source)
    tables = tables_of(settings, subject.release.ptable, keys.modulus)
    cell, record, amount = _contributions(subject, data)
    weight = np.ones(len(data.codes)) if data.weight is None else data.weight
    counted = np.ones(len(cell), np.bool_) if settings.zero_keys else amount != 0
    members = csr_array(
        (np.ones(int(counted.sum()), np.int64), (cell[counted], record[counted])),
        shape=(len(subject.cells), len(data.codes)),
    )
    key = cell_keys(keys, members)
    unit = np.array([float(m.unit) for m in subject.release.measures.values()])[subject.cells.measure]
    values = amount * unit[cell]
    sizes, number = _sizes(settings, cell, values, weight[record], len(subject.cells))
    cells = Cells(subject.value * unit, sizes, number, key, sensitive)
    moved = changes(cells, tables, settings.scaling, float(settings.more)) / unit
    stated = {name: _stated(settings, tables, m.unit) for name, m in subject.release.measures.items()}
    nearest = np.rint(moved).astype(np.int64)
    limit = np.zeros(len(nearest), np.int64)
    for m, rounding in enumerate(stated.values()):
        own = subject.cells.measure == m
        limit[own] = most_changed(subject.value[own], rounding)
    change = np.clip(nearest, -np.minimum(limit, subject.value), limit)
    shown = np.where(subject.known_zero | (subject.value == 0), 0, subject.value + change)
    notes = key_notes(keys, data.source, missing_keys=settings.missing_keys)
    return ChangedMagnitudes(shown, stated, tables, int((change != nearest).sum()), notes)


def _refuse_others(subject: Subject) -> None:
    for name, measure in subject.release.measures.items():
        if measure.kind == "count":
            text = f"measure {name} is a count; say cell-key."
            raise InputError(text, at=OptionName("method", "cell-key-magnitudes"))
    subject.refuse_negative("cell-key-magnitudes")


def _contributions(subject: Subject, data: Microdata) -> tuple[Ints, Ints, Ints]:
    """(cell, record, amount in units) of every membership."""
    release, cells = subject.release, subject.cells
    cell, record, covered = memberships(release, cells, data)
    subject.refuse(~covered, "is not covered by the microdata: records have no code, or a broader one")
    amount, known, has = record_amounts(release, cells, data, cell, record)
    if not known.all() or not has.all():
        text = "lack values of a measure; cell keys change values by their contributions."
        raise InputError(text, at=data.source, keys=("microdata.values",))
    if (amount < 0).any():
        row = int(record[np.flatnonzero(amount < 0)[0]])
        at = None if data.source is None else replace(data.source, row=row + 1)
        raise InputError("gives a negative amount, which cell-key-magnitudes is not for.", at=at)
    weight = np.ones(len(data.codes)) if data.weight is None else data.weight
    total = np.bincount(cell, weights=amount * weight[record], minlength=len(cells))
    slack = 1e-9 * np.maximum(1, subject.value) + (0 if data.weight is None else 1)
    subject.refuse(np.abs(total - subject.value) > slack, "has another true value than the microdata give")
    return cell, record, amount


def _sizes(
    settings: MagnitudeKeySettings, cell: Ints, values: Floats, weights: Floats, cells: int
) -> tuple[Floats, Ints]:
    """What scales the changes of each cell (cells x contributions), and how many contribute."""
    scaling = settings.scaling
    there = values != 0
    number = np.bincount(cell[there], minlength=cells).astype(np.int64)
    if scaling.by == "top":
        own = (cell[there], values[there], weights[there])
        return largest_contributions(*own, cells, len(scaling.weights))[0], number
    given = values * weights
    total = np.bincount(cell, weights=given, minlength=cells)
    found: Floats
    if scaling.by == "sum":
        found = np.asarray(total, np.float64)
    elif scaling.by == "mean":
        found = np.divide(total, number, out=np.zeros(cells), where=number > 0)
    else:
        top, low = np.zeros(cells), np.full(cells, np.inf)
        np.maximum.at(top, cell[there], given[there])
        np.minimum.at(low, cell[there], given[there])
        found = top - np.where(number > 0, low, top)
    return found.reshape(-1, 1), number


def _stated(settings: MagnitudeKeySettings, tables: MagnitudeTables, unit: Fraction) -> Rounding:
    """What everybody may know of the values of a measure."""
    scaling, more = settings.scaling, float(settings.more)
    widest = max(t.widest * float(t.step) for t in (tables.even, tables.odd))
    further = widest * sum(scaling.weights[1:])
    absolute = 0
    if tables.small_cells is not None:
        own = tables.small_cells.widest * float(tables.small_cells.step)
        absolute = int(np.ceil((own + more) / float(unit)))
    share = told_share(scaling, widest + more)
    return Rounding(1, "cell_key", (), absolute, share=share, flex=told_flex(scaling, widest + more, further, unit))
