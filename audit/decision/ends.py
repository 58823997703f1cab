"""What tables have to show for requirements to be met: how far which cells must be able to move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.decision.equations import stored


@dataclass(frozen=True)
class Ends:
    """The ends of all requirements; a requirement is met once each of its ends is (see `wide`).

    Attributes
    ----------
    requirement, cell: int64 (ends), what an end belongs to.
    sign: int64 (ends), 1: the cell must be able to move down, -1: up, 0: either way.
    down, up: int64 (ends), by how many units at least.
    either: bool (ends), of sign 0: down or up is asked, each by its own distance; elsewhere both are the same, and what
        falls short of it both ways together is too little.
    known: int64 csr (ends x cells), 1 for what the attacker knows; None if all are outsiders.
    attacker: int64 (ends), the same for attackers who know the same; 0 for outsiders.
    wide: bool (requirements), met by two tables that together span the width, too, if all other ends are met: the end
        of sign 0 asks for more than is needed.
    """

    requirement: NDArray[np.int64]
    cell: NDArray[np.int64]
    sign: NDArray[np.int64]
    down: NDArray[np.int64]
    up: NDArray[np.int64]
    either: NDArray[np.bool_]
    known: csr_array | None
    attacker: NDArray[np.int64]
    wide: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def distance(self) -> NDArray[np.int64]:
        """int64 (ends), the longest way."""
        return np.maximum(self.down, self.up)

    def since(self, first: int) -> "Ends":
        """The ends from a position on."""
        known = None if self.known is None else csr_array(self.known[first:])
        return replace(
            self,
            requirement=self.requirement[first:],
            cell=self.cell[first:],
            sign=self.sign[first:],
            down=self.down[first:],
            up=self.up[first:],
            either=self.either[first:],
            known=known,
            attacker=self.attacker[first:],
        )

    def met(self, move: NDArray[np.float64], slack: float) -> NDArray[np.bool_]:
        """bool (ends): which are shown by a table, but for a share of the distance.

        move: (cells, and perhaps further columns), by how much the table moves each. slack: share that may be missing.
        """
        own, enough = move[self.cell], 1.0 - slack
        met: NDArray[np.bool_] = (self.sign >= 0) & (-own >= self.down * enough)
        met |= (self.sign <= 0) & (own >= self.up * enough)
        if self.known is not None and met.any():
            met &= (self.known @ (move[: self.known.shape[1]] != 0).astype(np.int64)) == 0
        return met

    def shown_by(
        self,
        table: NDArray[np.int64],
        cells: NDArray[np.int64],
        moves: NDArray[np.int64],
        denominator: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """int64, (table, end) ascending: which ends are shown by tables that change few cells each. What it takes
        depends on these alone.

        table, cells, moves, denominator: int64, for each change of a cell whose it is, the cell (once in each table),
        and by how much, in 1 / denominator.
        """
        order, ordered = self._by_cell
        first = np.searchsorted(ordered, cells)
        count = np.searchsorted(ordered, cells, side="right") - first
        end = order[np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)]
        own, parts, sign = np.repeat(moves, count), np.repeat(denominator, count), self.sign[end]
        # Never the distance times the denominator, which 64 bits may not hold.
        met = (sign >= 0) & (-own // parts >= self.down[end])
        met |= (sign <= 0) & (own // parts >= self.up[end])
        shower, shown = np.repeat(table, count)[met], end[met]
        if self.known is not None and len(shown):
            which, known, _ = stored(self.known, shown)
            most = self.known.shape[1]
            changed, asked = np.sort(table * most + cells), shower[which] * most + known
            stopped = which[changed[np.minimum(np.searchsorted(changed, asked), len(changed) - 1)] == asked]
            shower, shown = np.delete(shower, stopped), np.delete(shown, stopped)
        ascending = np.lexsort((shown, shower))
        return shower[ascending], shown[ascending]

    @cached_property
    def _by_cell(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(ends by their cells, these cells)."""
        order = np.argsort(self.cell, kind="stable")
        return order, self.cell[order]

    def known_to(self, end: int) -> NDArray[np.int64]:
        """int64, cells that the attacker of an end knows."""
        if self.known is None:
            return np.empty(0, np.int64)
        known: NDArray[np.int64] = self.known.indices[self.known.indptr[end] : self.known.indptr[end + 1]].astype(
            np.int64
        )
        return known

    def ways(self, end: int) -> tuple[tuple[int, int], ...]:
        """(1: down, -1: up; how far), both if either will do."""
        sign, down, up = int(self.sign[end]), int(self.down[end]), int(self.up[end])
        return tuple((way, distance) for way, distance in ((1, down), (-1, up)) if sign in (0, way))

    def requirements_met(self, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (requirements): all their ends are met."""
        result = np.ones(len(self.wide), np.bool_)
        result[self.requirement[~met]] = False
        return result


def ends_of(requirements: Sequence[Requirement], value: NDArray[np.int64], cells: int) -> Ends:
    """The ends of requirements for true values.

    value: int64 (columns, the cells first). cells: number of cells.
    """
    found: list[tuple[int, int, int, int, int]] = []
    either = np.array([need.either for need in requirements], np.bool_)
    wide = np.zeros(len(requirements), np.bool_)
    for q, need in enumerate(requirements):
        at = int(value[need.cell])
        low, high = need.ends(at)
        down, up = at - low, high - at
        if need.either:
            if down and up:
                found.append((q, need.cell, 0, down, up))
            continue
        if down:
            found.append((q, need.cell, 1, down, 0))
        if up:
            found.append((q, need.cell, -1, 0, up))
        if down + up < need.width:
            found.append((q, need.cell, 0, need.width, need.width))
            wide[q] = need.width > 1
    attackers: dict[tuple[int, ...], int] = {(): 0}
    attacker = [attackers.setdefault(requirements[q].attacker.known, len(attackers)) for q, *_ in found]
    columns = np.array(found, dtype=np.int64).reshape(-1, 5).T
    known = None
    if any(need.attacker.known for need in requirements):
        pairs = [(e, c) for e, (q, *_) in enumerate(found) for c in requirements[q].attacker.known]
        row, cell = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        known = csr_array((np.ones(len(row), np.int64), (row, cell)), shape=(len(found), cells))
    of_end = np.array(attacker, dtype=np.int64)
    own, far = either[columns[0]], (columns[3], columns[4])
    return Ends(columns[0], columns[1], columns[2], *far, own, known, of_end, wide)
