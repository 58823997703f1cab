"""What an earlier period withheld: it is out like that, and no search changes it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.cells import Cells
from tableseal.audit.model import Release, Status


def withheld_before(release: Release, cells: Cells) -> NDArray[np.bool_]:
    """bool (cells): cells of an earlier period that it withheld for whatever reason."""
    earlier = np.array([measure.previous is not None for measure in release.measures.values()], np.bool_)
    result: NDArray[np.bool_] = earlier[cells.measure] & (cells.status >= Status.SECONDARY)
    return result


def with_unknown_past(release: Release, cells: Cells) -> Cells:
    """The cells as a search poses its relations: those that an earlier period withheld, and whose true values nobody
    gives, have some value that fits. What it is does not matter: they are never published."""
    unknown = withheld_before(release, cells) & ~cells.truth.known & ~cells.exact
    if not unknown.any():
        return cells
    return replace(cells, status=np.where(unknown, Status.MISSING, cells.status).astype(np.int8))
