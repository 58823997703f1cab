"""Cuts of all blocks as one linear program over the cells that may be withheld, and what its multipliers prove."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.solvers.protocol import Problem as Program
from tableseal.audit.solvers.protocol import Solver
from tableseal.audit.sparse import stacked
from tableseal.suppression.search.master import Row

Floats = NDArray[np.float64]

LOOSE = 3
"""Times in a row that a cut may be kept with room to spare before it is dropped."""

SLACK = 1e-6


@dataclass(frozen=True)
class Solved:
    """share: float64 (candidates), how far each is withheld; multiplier: float64 (rows), not negative."""

    share: Floats
    multiplier: Floats


class Covering:
    """Minimise cost @ share under cuts; kept warm.

    Attributes
    ----------
    cost: float64 (candidates), not negative. matrix: float64 csr (rows x candidates); right: float64 (rows).
    """

    def __init__(self, cost: Floats, solver: Solver) -> None:
        self.cost = cost
        self.matrix, self.right = csr_array((0, len(cost)), dtype=np.float64), np.empty(0)
        self._loose = np.empty(0, np.int64)
        self._seen: set[bytes] = set()
        self._keys: list[bytes] = []
        self._warm = solver.warm(Program(self.matrix, self.right, self.right, np.zeros(len(cost)), np.ones(len(cost))))

    def add(self, rows: Iterable[Row]) -> int:
        """Add cuts that it does not hold; how many these are."""
        fresh = []
        for row in rows:
            key = row.candidates.tobytes() + row.weight.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                self._keys.append(key)
                fresh.append(row)
        if fresh:
            start = np.cumsum([0, *(len(row.candidates) for row in fresh)])
            of, weight = np.concatenate([r.candidates for r in fresh]), np.concatenate([r.weight for r in fresh])
            matrix = csr_array((weight, of, start), shape=(len(fresh), len(self.cost)))
            right = np.array([row.right for row in fresh])
            self._warm.add_rows(matrix, right, np.full(len(fresh), np.inf))
            self.matrix, self.right = stacked([self.matrix, matrix]), np.append(self.right, right)
            self._loose = np.append(self._loose, np.zeros(len(fresh), np.int64))
        return len(fresh)

    def solve(self, seconds: float) -> Solved | None:
        """A cheapest choice; None: there is none, or not in time. Drops what has been loose for long."""
        outcome = self._warm.minimise(self.cost, seconds)
        if outcome.x is None or outcome.row_dual is None:
            return None
        loose = self.matrix @ outcome.x > self.right + SLACK
        self._loose = np.where(loose, self._loose + 1, 0)
        kept, multiplier = self._loose < LOOSE, np.maximum(outcome.row_dual, 0.0)
        if 2 * np.count_nonzero(~kept) > len(kept) // 4:
            self._warm.drop_rows(~kept)
            self._seen.difference_update(key for key, keep in zip(self._keys, kept.tolist(), strict=True) if not keep)
            self._keys = [key for key, keep in zip(self._keys, kept.tolist(), strict=True) if keep]
            self.matrix, self.right, self._loose = csr_array(self.matrix[kept]), self.right[kept], self._loose[kept]
            multiplier = multiplier[kept]
        return Solved(np.clip(outcome.x, 0.0, 1.0), multiplier)


def proved(matrix: csr_array, right: Floats, cost: Floats, multiplier: Floats) -> float:
    """What cost @ x is not below for 0 <= x <= 1 with matrix @ x >= right, whatever the multipliers (float64, rows, not
    negative): weak duality, less all that floats can be off.

    The part of the cost of a column that multipliers leave is off by no more than so many roundings as it has entries.
    """
    spent, size = matrix.T @ multiplier, abs(matrix).T @ multiplier
    entries = np.bincount(matrix.indices, minlength=len(cost))
    off = (entries + 4) * np.finfo(np.float64).eps * (np.abs(cost) + size)
    left = np.minimum(cost - spent - off, 0.0)
    gained = multiplier * right
    off_by = 4 * np.finfo(np.float64).eps * float(np.abs(gained).sum() + np.abs(left).sum())
    return fsum([*left.tolist(), *gained.tolist()]) - off_by
