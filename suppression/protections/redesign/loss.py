"""What a design loses, in whole numbers that never fall when more is combined."""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.linear.absent import finest_axes
from tableseal.audit.model import Release
from tableseal.suppression.protections.redesign.recoded import Recodings

Ints = NDArray[np.int64]

LossName = Literal["cells", "entropy"]

WORDS = {"cells": "published cells lost", "entropy": "entropy lost, in millionths of a nat,"}
"""Loss -> what is summed up."""


@dataclass(frozen=True)
class Loss:
    """The loss of designs of a release.

    release: spelled out. name: `cells`, the number of distinct published cells that are lost; or `entropy`, H(X) - H(Y)
    of each table's values at the finest level that it lists, X before and Y after, in millionths, summed over tables.
    Both are sums over cells that are combined, and can only rise. (Hellinger distances can fall: values spread evenly
    over more parts may come nearer to the true ones.)
    """

    release: Release
    name: LossName

    def of(self, by: Recodings) -> int:
        """The loss of a design."""
        return {"cells": self._cells, "entropy": self._entropy}[self.name](by)

    @cached_property
    def _distinct(self) -> NDArray[np.int32]:
        """(cells x (1 + variables)): measure, codes."""
        measures = list(self.release.measures)
        rows = [
            np.column_stack([np.full(len(t.codes), measures.index(t.measure), np.int32), t.codes])
            for t in self.release.tables
        ]
        return np.unique(np.concatenate(rows), axis=0)

    def _cells(self, by: Recodings) -> int:
        """Cells that are combined become one; those of categories that all become their parent are gone."""
        moved = self._distinct.copy()
        for v, one in enumerate(by):
            moved[:, v + 1] = one.to[moved[:, v + 1]]
        sizes = (moved.max(axis=0, initial=0) + 1).tolist()
        if prod(sizes) >= 2**62:
            return len(moved) - len(np.unique(moved, axis=0))
        return len(moved) - len(np.unique(np.ravel_multi_index(tuple(moved.T), sizes)))

    @cached_property
    def _finest(self) -> list[tuple[NDArray[np.int32], Ints]]:
        """Of each table codes and true values of its finest cells."""
        found = []
        for table in self.release.tables:
            axes = finest_axes(table, self.release)
            inside = np.all([np.isin(table.codes[:, v], axis) for v, axis in enumerate(axes)], axis=0)
            found.append((table.codes[inside], table.truth.units[inside]))
        return found

    def _entropy(self, by: Recodings) -> int:
        lost = 0.0
        for codes, value in self._finest:
            moved = np.stack([one.to[codes[:, v]] for v, one in enumerate(by)], axis=1)
            _, cell = np.unique(moved, axis=0, return_inverse=True)
            lost += entropy(value) - entropy(np.bincount(cell.ravel(), weights=value))
        return max(0, round(lost * 10**6))


def entropy(values: NDArray[np.integer] | NDArray[np.floating]) -> float:
    """Of shares of their sum; 0 of nothing."""
    there = values[values > 0].astype(float)
    share = there / there.sum() if len(there) else there
    return float(-(share * np.log(share)).sum())
