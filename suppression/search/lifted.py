"""Cuts against outsiders as they hold against everybody who knows cells: all pairs of a cut and a set at once.

A cut says how far what is withheld lets a sensitive cell move. Who knows some of that sees the cell move by the rest
alone, so where it must be kept from this one, too, the cut holds without what is known. No program is solved: 984
attackers would make one for each of them and each of 1,761 cells.

Measured (relaxations from nothing, processor time): f3d_20 580 after 0.4 s, from relations alone, where the first one
says 357; fh3d_mid 4,046 after 2.7 s and 4,497 after 13 s, where it was 3,060 and, after 15 s, 3,928. A whole search of
f3d_10 proves no more: 310 after 13 s, where it was 306 after 14 s.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.watch import Blamed
from tableseal.audit.decision.witnesses import incidence

MARGIN = 1e-3
"""Share of its right side by which a cut must be broken to be worth adding."""

MOST = 2000
"""Cuts at once."""


class Lifted:
    """Of one search."""

    def __init__(self, blamed: Blamed, usable: NDArray[np.bool_]) -> None:
        """usable: bool (cells), may be withheld."""
        cells = len(usable)
        self._blamed, self._usable = blamed, usable.astype(np.float64)
        self._known = incidence([known.tolist() for known in blamed.known], cells).astype(np.float64)
        numbers = np.repeat(np.arange(len(blamed.spared)), [len(own) for own in blamed.spared])
        spared = np.concatenate([np.empty(0, np.int64), *blamed.spared])
        self._spared = numbers * cells + spared
        self._cuts: list[Cut] = []
        self._cell: list[int] = []
        self._seen: set[bytes] = set()
        self._built = 0
        self._weight = csr_array((0, cells), dtype=np.float64)

    def learn(self, cell: int, cut: Cut) -> None:
        """A cut of what must be kept from everybody of a cell."""
        key = cell.to_bytes(8) + cut.cells.tobytes() + cut.weight.tobytes() + cut.right.to_bytes(8)
        if cell in self._blamed.needs and key not in self._seen:
            self._seen.add(key)
            self._cuts.append(cut)
            self._cell.append(cell)

    def broken(self, share: NDArray[np.float64]) -> list[Cut]:
        """Lifted cuts that a pattern breaks, the most broken ones; but for those that no pattern satisfies.

        share: float64 (cells), how much of each is withheld.
        """
        if not self._cuts or not self._known.shape[0]:
            return []
        weight = self._rows()
        cut, known, missing = self._missing(weight, share)
        _, _, never = self._missing(weight, self._usable)
        pair = known * weight.shape[1] + np.array(self._cell, np.int64)[cut]
        worth = np.flatnonzero((missing > MARGIN) & (never <= 0) & ~np.isin(pair, self._spared))
        worth = worth[np.argsort(-missing[worth], kind="stable")][:MOST]
        pairs = zip(cut[worth].tolist(), known[worth].tolist(), strict=True)
        return [self._cuts[c].without(self._blamed.known[k].tolist()) for c, k in pairs]

    def _missing(
        self, weight: csr_array, share: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """(cut, set, what is missing without the set as a share of the right side), where a set has cells in a cut."""
        # With every cell of a set counted, so that the pairs are the same for all patterns.
        pairs = (weight @ self._known.T).tocoo()
        cut, known = pairs.coords[0].astype(np.int64), pairs.coords[1].astype(np.int64)
        part = csr_array(weight.multiply(share[None, :])) @ self._known.T
        own = np.asarray(csr_array(part)[cut, known]).ravel()
        return cut, known, 1.0 - (weight @ share)[cut] + own

    def _rows(self) -> csr_array:
        """Weights as shares of right sides (cuts x cells)."""
        if self._built < len(self._cuts):
            indptr = np.cumsum([0, *(len(cut.cells) for cut in self._cuts)])
            data = np.concatenate([cut.weight / cut.right for cut in self._cuts])
            where = np.concatenate([cut.cells for cut in self._cuts])
            self._weight = csr_array((data, where, indptr), shape=(len(self._cuts), self._known.shape[1]))
            self._built = len(self._cuts)
        return self._weight
