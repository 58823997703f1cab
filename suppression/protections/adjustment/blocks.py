"""Blocks of a part chosen anew by an integer program each, while all other cells stay.

Block coordinate descent (Gonzalez and Castro 2011, "A heuristic block coordinate descent approach for controlled
tabular adjustment"). A block is some hundred cells that hang together closely. Blocks begin where the changes are
furthest above what the bound says of the place; where nothing is above it, there is nothing to gain.
"""

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.progress import Progress
from tableseal.suppression.protections.adjustment.least import Least
from tableseal.suppression.protections.adjustment.part import Ints, Part
from tableseal.suppression.protections.adjustment.program import solve
from tableseal.suppression.protections.neighbourhood import neighbourhood

SIZES = (100, 200, 400)
"""Cells of a block, from pass to pass."""

NODES = 20
"""Of its search tree."""

MOST_BLOCKS = 600
"""Blocks of one search, where no time limit ends it: the same on every machine."""


def improve(part: Part, moved: Ints, proof: Least, limits: Limits, tell: Progress) -> Ints:
    """int64 (cells), changes that are never worse.

    moved: int64 (cells), whole changes that the part allows.
    """
    blocks = _Blocks(part, moved)
    for size in SIZES:
        if not blocks.run(size, proof, limits, tell):
            break
    return blocks.moved


class _Blocks:
    """moved: int64 (cells), what has been chosen so far."""

    def __init__(self, part: Part, moved: Ints) -> None:
        self.part, self.moved = part, moved
        self._across = csr_array(part.relations.T.tocsr())
        self._random = np.random.default_rng(0)
        self._best, self._count = part.change(moved), 0

    def run(self, size: int, proof: Least, limits: Limits, tell: Progress) -> bool:
        """Blocks of a size until each relation has been in one since anything in it has changed; False: no more is to
        be done, or time is over."""
        relations, timed = self.part.relations, np.isfinite(limits.seconds_left())
        waiting = np.ones(relations.shape[0], np.bool_)
        while waiting.any():
            excess = proof.excess(self.part, self.moved)
            order = np.flatnonzero(waiting & (excess > 1e-6))
            order = order[np.argsort(-excess[order], kind="stable")]
            if not len(order):
                break
            for row in order.tolist():
                if not waiting[row]:
                    continue
                if self._best <= proof.bound or (not timed and self._count >= MOST_BLOCKS):
                    return False
                if limits.seconds_left() <= 0:
                    limits.reached.add("time")
                    return False
                cells = neighbourhood(relations, self._across, row, size, self._random)
                changed = self._choose(cells, limits)
                waiting[self._rows(cells)] = False
                waiting[self._rows(changed)] = True
                if not len(changed):
                    waiting[row] = False
                tell("sum of changes", self._best, 0)
        return True

    def _choose(self, cells: Ints, limits: Limits) -> Ints:
        """Cells of a block that have changed for the better."""
        self._count += 1
        own, before = self.part.around(cells, self.moved), self.moved[cells]
        if not own.moves.sensitive.any() and not before.any():
            return cells[:0]
        for whole in (False, True):  # directions are whole, and changes are not: no network
            found = solve(own, limits.seconds_left(), NODES, whole=whole).whole(own)
            if found is not None:
                break
        if found is None or own.change(found) >= own.change(before):
            return cells[:0]
        self.moved = self.moved.copy()
        self.moved[cells] = found
        self._best += own.change(found) - own.change(before)
        changed: Ints = cells[found != before]
        return changed

    def _rows(self, cells: Ints) -> Ints:
        found: Ints = np.unique(csr_array(self._across[cells]).indices).astype(np.int64)
        return found
