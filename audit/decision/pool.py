"""Cuts in hand, asked as one: which does a pattern break, and which cells can it not do without?"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.sparse import stacked


class Pool:
    """Cuts that hold for every pattern that meets all requirements.

    Attributes
    ----------
    cuts: all of them. sure: of each, whether it is of a requirement that has to be met.
    """

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self.cuts: list[Cut] = []
        self.sure: list[bool] = []
        self._seen: set[bytes] = set()
        self._built = 0
        self._weight = csr_array((0, cells), dtype=np.float64)
        self._right = np.empty(0)

    def add(self, cut: Cut, *, sure: bool = True) -> bool:
        """Remember a cut; False if it is known already."""
        key = cut.cells.tobytes() + cut.weight.tobytes() + cut.right.to_bytes(8) + bytes([sure])
        if key in self._seen:
            return False
        self._seen.add(key)
        self.cuts.append(cut)
        self.sure.append(sure)
        return True

    def breaks(self, pattern: NDArray[np.bool_]) -> bool:
        """Whether a pattern (bool, cells) breaks a cut."""
        return bool((self._slack(pattern) < -NEARLY).any())

    def needed(self, pattern: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (cells): without which a pattern would break a cut that it satisfies."""
        result = np.zeros(self._cells, np.bool_)
        slack = self._slack(pattern)
        holds = slack >= -NEARLY
        least = np.repeat(np.where(holds, slack, np.inf), np.diff(self._weight.indptr))
        result[self._weight.indices[self._weight.data > least + NEARLY]] = True
        return result & pattern

    def _slack(self, pattern: NDArray[np.bool_]) -> NDArray[np.float64]:
        """What a pattern has beyond the right side of each cut, as a share of it."""
        if self._built < len(self.cuts):
            fresh = self.cuts[self._built :]
            indptr = np.cumsum([0, *(len(c.cells) for c in fresh)])
            data = np.concatenate([c.weight / c.right for c in fresh])
            rows = csr_array((data, np.concatenate([c.cells for c in fresh]), indptr), shape=(len(fresh), self._cells))
            self._weight = stacked([self._weight, rows])
            self._right = np.ones(self._weight.shape[0])
            self._built = len(self.cuts)
        slack: NDArray[np.float64] = self._weight @ pattern.astype(np.float64) - self._right
        return slack


NEARLY = 1e-9
