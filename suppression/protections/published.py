"""Changed values put into a release."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Amounts, Release, Status, Table
from tableseal.suppression.protections.method import Changed
from tableseal.suppression.protections.subject import Subject


def published(subject: Subject, changed: Changed, given: Release) -> Release:
    """The release with the changed value of each cell in every table that lists it; true values stay beside them as
    agency knowledge. Zeros that everybody knows are shown as they are.

    What a method does not show is withheld. given: the release of the subject, in whose order the tables are.
    """
    pairs = zip(subject.release.tables, subject.rows, strict=True)
    tables = tuple(_with_values(table, cell, subject, changed) for table, cell in pairs)
    notes = (*subject.release.notes, *changed.notes)
    return ordered(replace(subject.release, tables=tables, notes=notes), given)


def ordered(release: Release, given: Release) -> Release:
    """The same with its tables in the order that they were given in."""
    by_name = {table.name: table for table in release.tables}
    return replace(release, tables=tuple(by_name[table.name] for table in given.tables))


def _with_values(table: Table, cell: NDArray[np.int64], subject: Subject, changed: Changed) -> Table:
    zero = table.status == Status.STRUCTURAL_ZERO
    shown = changed.shown.take(cell)
    known = shown.known | zero
    status = np.where(zero, table.status, np.where(known, np.int8(Status.PUBLISHED), np.int8(Status.WITHHELD)))
    return replace(
        table,
        status=status.astype(np.int8),
        value=Amounts(np.where(zero | ~known, 0, shown.units), known),
        truth=Amounts(subject.value[cell], np.ones(len(cell), np.bool_)),
        lower=_tighter(table.lower, changed.lower, cell, np.maximum),
        upper=_tighter(table.upper, changed.upper, cell, np.minimum),
        rounding=changed.rounding(table),
    )


def _tighter(own: Amounts, more: Amounts | None, cell: NDArray[np.int64], choose: np.ufunc) -> Amounts:
    if more is None:
        return own
    there = more.take(cell)
    both = choose(own.units, there.units)
    units = np.where(own.known & there.known, both, np.where(own.known, own.units, there.units))
    return Amounts(units.astype(np.int64), own.known | there.known)
