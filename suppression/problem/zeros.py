"""Zeros that give a cell away: where no value is negative, a sum that is shown to be 0 says that all in it are 0."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release


def zeros_over(release: Release, cells: Cells, value: NDArray[np.int64], cell: int) -> NDArray[np.int64]:
    """Positions of the cells of its measure that hold a cell, itself included, and whose value is 0.

    value: int64 (cells), true values in units.
    """
    over = (value == 0) & (cells.measure == cells.measure[cell])
    for hierarchy, codes in zip(release.variables.values(), cells.codes.T, strict=True):
        inside = hierarchy.members[[int(codes[cell])]]
        holds = (hierarchy.members @ inside.T).toarray().ravel() == inside.sum()
        over &= holds[codes]
    return np.flatnonzero(over)
