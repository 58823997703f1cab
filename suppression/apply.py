"""A pattern put into the release: what is withheld loses its published value, which stays as agency knowledge."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.linear.cells import Cells
from audit.model import Amounts, Release, Status, Table


def protected_release(
    release: Release, cells: Cells, primary: NDArray[np.bool_], pattern: NDArray[np.bool_]
) -> Release:
    """The release with exactly the cells of a pattern withheld, in every table that lists them.

    primary: bool (cells), sensitive ones; pattern: bool (cells), all withheld ones.
    """
    order = np.argsort(cells.listing_table, kind="stable")
    tables, offset = [], 0
    for table in release.tables:
        cell = cells.listing_cell[order[offset : offset + len(table.codes)]]
        offset += len(table.codes)
        tables.append(_protected(table, cells, cell, primary, pattern))
    return replace(release, tables=tuple(tables))


def _protected(
    table: Table, cells: Cells, cell: NDArray[np.int64], primary: NDArray[np.bool_], pattern: NDArray[np.bool_]
) -> Table:
    withheld = pattern[cell]
    given_back = ~withheld & (table.status >= Status.SECONDARY)
    status = table.status.copy()
    status[withheld] = np.where(primary[cell[withheld]], Status.PRIMARY, Status.SECONDARY)
    status[given_back] = Status.PUBLISHED
    truth = Amounts(
        np.where(table.truth.known, table.truth.units, cells.truth.units[cell]),
        table.truth.known | cells.truth.known[cell],
    )
    units = np.where(given_back, truth.units, table.value.units)
    known = (table.value.known | given_back) & ~withheld
    return replace(table, status=status, value=Amounts(np.where(known, units, 0), known), truth=truth)
