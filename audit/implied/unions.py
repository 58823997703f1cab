"""Combinations that are nothing but published cells put together."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.implied.grids import Grid, along, mark
from tableseal.audit.linear.cells import Cells

LARGEST = 20_000_000
"""Combinations of a grid up to which this is asked."""


def unions(grid: Grid, cells: Cells, fine: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool (unlisted combinations): those that are sums of cells that are fine, without overlap.

    fine: bool (cells). Where no rule finds fault with the parts none finds fault with the whole: dominance, p%, pq and
    request are subadditive (Cox 1981), and a whole has no fewer contributors than a part.
    """
    if grid.spoken.size > LARGEST:
        return np.zeros(len(grid.unlisted), np.bool_)
    good = np.zeros(grid.spoken.shape, np.bool_)
    mark(good, grid.table, grid.axes, cells.codes[fine & (cells.measure == grid.measure)])
    for _ in range(2):  # in one order of variables, and in the other
        for k, axis in enumerate(grid.own):
            bad = (~np.take(good, axis.atom_point, axis=k)).astype(np.int64)
            good |= along(bad, axis.points, k) == 0
    return good.ravel()[grid.unlisted]
