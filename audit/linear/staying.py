"""Cells withheld for others that nobody can give back."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release, Status


def stays_withheld(release: Release, cells: Cells) -> NDArray[np.bool_]:
    """bool (cells): withheld for others (status secondary) by nothing but rounded tables.

    What such a table would show in their place is not known, and their true value it must not show. Where an exact
    table withholds the cell too, that one can give it back.
    """
    rounded = np.array([table.rounding is not None for table in release.tables], np.bool_)
    order = np.argsort(cells.listing_table, kind="stable")
    cell, table = cells.listing_cell[order], cells.listing_table[order]
    status = np.concatenate([np.empty(0, np.int8), *(table.status for table in release.tables)])
    can = np.zeros(len(cells), np.bool_)
    can[cell[~rounded[table] & (status >= Status.SECONDARY)]] = True
    result: NDArray[np.bool_] = (cells.status == Status.SECONDARY) & ~can & ~cells.absent_zero
    return result
