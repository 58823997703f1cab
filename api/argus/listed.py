"""Rows of a table of a release -> distinct cells."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release


def listed_cells(release: Release, cells: Cells, at: int) -> NDArray[np.int64]:
    """int64 (rows): the cell that each row of the table at a position lists."""
    order = np.argsort(cells.listing_table, kind="stable")
    offset = sum(len(before.codes) for before in release.tables[:at])
    return cells.listing_cell[order[offset : offset + len(release.tables[at].codes)]]
