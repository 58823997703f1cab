"""Guides: choices for cells that hang together, by messages, that are near and break few relations.

The colder they are, the nearer, and the more may be broken; so there are several. Of a cube of three classifications
without levels (9,261 cells) none breaks anything, and the coldest is 0.2% above what is proved after half a second.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.beliefs import believed
from tableseal.suppression.protections.multiples import Part

Ints = NDArray[np.int64]

COLD = (3.0, 1.5, 6.0, 12.0)
"""What a change by the base weighs against a relation."""

PRICE = 20
"""Of one that a relation is off, in bases, where guides are compared."""


def guides(part: Part, settled: Ints, limits: Limits, say: Progress) -> list[Ints]:
    """int64 (cells, then sums that no table shows) each, steps above the lower neighbours; the best first.

    settled: int64 (cells), steps that are known already; -1: not yet.
    """
    known, found = np.flatnonzero(settled >= 0), list[Ints]()
    for cold in COLD:
        if found and limits.seconds_left() <= 0:
            break
        x = begun(part, cold, limits, say)
        x[known] = settled[known]
        found.append(x)

    def worth(x: Ints) -> int:
        off = int(np.abs(part.relations @ x - part.right).sum())
        return part.change(part.low + x[: len(part.value)]) + PRICE * part.base * off

    return sorted(found, key=worth)


def begun(part: Part, cold: float, limits: Limits, say: Progress) -> Ints:
    """Cells by messages; sums that no table shows as the first relation that knows says."""
    cells, right = len(part.value), part.right
    between = np.flatnonzero(part.between)
    shown = csr_array(part.relations[:, :cells])
    alone = np.diff(csr_array(part.relations[:, cells:]).indptr) == 0
    told = np.flatnonzero(alone & (abs(shown) @ part.between > 0))
    x = np.zeros(part.relations.shape[1], np.int64)
    relations = csr_array(csr_array(shown[told])[:, between])
    cost = 1 - 2.0 * part.residual[between] / part.base
    x[between] = believed(relations, right[told], cost, cold, limits, say)
    known = np.arange(len(x)) < cells
    for row in np.flatnonzero(~alone).tolist():
        here = part.relations.indices[part.relations.indptr[row] : part.relations.indptr[row + 1]]
        entry = part.relations.data[part.relations.indptr[row] : part.relations.indptr[row + 1]]
        open_ = np.flatnonzero(~known[here])
        if len(open_) == 1:
            at = int(open_[0])
            x[here[at]] = (right[row] - entry @ x[here] + entry[at] * x[here[at]]) // entry[at]
            known[here[at]] = True
    return x
