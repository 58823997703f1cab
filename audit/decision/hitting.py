"""Cells that satisfy many cuts at once: greedily, what they cost beside what they contribute."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.cuts import Cut

NEARLY = 1e-9
"""Share of a cut, or cost, that counts as none."""


def hit(cuts: Sequence[Cut], pattern: NDArray[np.bool_], within: NDArray[np.bool_], cost: NDArray[np.float64]) -> bool:
    """Withhold cells until all cuts hold; False: some cut cannot be satisfied, the others then are.

    pattern: bool (cells), changed in place. within: bool (cells), those that may be withheld; cost: float64 (cells).
    """
    indptr = np.cumsum([0, *(len(cut.cells) for cut in cuts)])
    weight = np.concatenate([cut.weight / cut.right for cut in cuts])
    cells = np.concatenate([cut.cells for cut in cuts])
    rows = csr_array((weight, cells, indptr), shape=(len(cuts), len(pattern)))
    of_cell = csr_array(rows.T.tocsr())
    missing = np.maximum(0.0, 1.0 - rows @ pattern.astype(np.float64))
    missing[missing < NEARLY] = 0.0
    usable = within & ~pattern
    worth = csr_array((np.minimum(of_cell.data, missing[of_cell.indices]), of_cell.indices, of_cell.indptr))
    gain = np.asarray(worth.sum(axis=1)).ravel()
    while missing.any():
        gain[~usable] = 0.0
        best = int(np.argmax(gain / np.maximum(cost, NEARLY)))
        if gain[best] < NEARLY:
            return False
        pattern[best], usable[best] = True, False
        touched = of_cell.indices[of_cell.indptr[best] : of_cell.indptr[best + 1]]
        before = missing[touched].copy()
        missing[touched] = np.maximum(0.0, before - of_cell.data[of_cell.indptr[best] : of_cell.indptr[best + 1]])
        missing[missing < NEARLY] = 0.0
        for row, old in zip(touched.tolist(), before.tolist(), strict=True):
            span = slice(rows.indptr[row], rows.indptr[row + 1])
            own = rows.data[span]
            gain[rows.indices[span]] -= np.minimum(own, old) - np.minimum(own, missing[row])
    return True
