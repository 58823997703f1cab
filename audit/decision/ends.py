"""What tables have to show for requirements to be met: how far which cells must be able to move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.decision.cuts import Requirement


@dataclass(frozen=True)
class Ends:
    """The ends of all requirements; a requirement is met once each of its ends is (see `wide`).

    Attributes
    ----------
    requirement, cell: int64 (ends), what an end belongs to.
    sign: int64 (ends), 1: the cell must be able to move down, -1: up, 0: either way.
    distance: int64 (ends), by how many units at least.
    known: int64 csr (ends x cells), 1 for what the attacker knows; None if all are outsiders.
    attacker: int64 (ends), the same for attackers who know the same; 0 for outsiders.
    wide: bool (requirements), met by two tables that together span the width, too, if all other ends are met: the end
        of sign 0 asks for more than is needed.
    """

    requirement: NDArray[np.int64]
    cell: NDArray[np.int64]
    sign: NDArray[np.int64]
    distance: NDArray[np.int64]
    known: csr_array | None
    attacker: NDArray[np.int64]
    wide: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cell)

    def since(self, first: int) -> "Ends":
        """The ends from a position on."""
        known = None if self.known is None else csr_array(self.known[first:])
        return replace(
            self,
            requirement=self.requirement[first:],
            cell=self.cell[first:],
            sign=self.sign[first:],
            distance=self.distance[first:],
            known=known,
            attacker=self.attacker[first:],
        )

    def met(
        self, move: NDArray[np.int64] | NDArray[np.float64], slack: float = 0.0, denominator: int = 1
    ) -> NDArray[np.bool_]:
        """bool (ends): which are shown by a table.

        move: (cells, and perhaps further columns), by how much the table moves each, in 1 / denominator. slack: share
        of the distance that may be missing.
        """
        own = move[self.cell]
        extent = np.where(self.sign == 0, np.abs(own), -self.sign * own)
        extent = extent // denominator  # never the distance times that, which 64 bits may not hold
        met: NDArray[np.bool_] = extent >= self.distance * (1.0 - slack) if slack else extent >= self.distance
        if self.known is not None and met.any():
            met &= (self.known @ (move[: self.known.shape[1]] != 0).astype(np.int64)) == 0
        return met

    def known_to(self, end: int) -> NDArray[np.int64]:
        """int64, cells that the attacker of an end knows."""
        if self.known is None:
            return np.empty(0, np.int64)
        known: NDArray[np.int64] = self.known.indices[self.known.indptr[end] : self.known.indptr[end + 1]].astype(
            np.int64
        )
        return known

    def ways(self, end: int) -> tuple[int, ...]:
        """1: down, -1: up; both if either will do."""
        sign = int(self.sign[end])
        return (sign,) if sign else (1, -1)

    def requirements_met(self, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (requirements): all their ends are met."""
        result = np.ones(len(self.wide), np.bool_)
        result[self.requirement[~met]] = False
        return result


def ends_of(requirements: Sequence[Requirement], value: NDArray[np.int64], never_published: NDArray[np.bool_]) -> Ends:
    """The ends of requirements for true values.

    value: int64 (columns, the cells first). never_published: bool (cells), which nobody knows exactly.
    """
    found: list[tuple[int, int, int, int]] = []
    wide = np.zeros(len(requirements), np.bool_)
    for q, need in enumerate(requirements):
        at = int(value[need.cell])
        down = 0 if need.lower is None else max(at - need.lower, 0)
        up = 0 if need.upper is None else max(need.upper - at, 0)
        if down:
            found.append((q, need.cell, 1, down))
        if up:
            found.append((q, need.cell, -1, up))
        if down + up < need.width:
            found.append((q, need.cell, 0, need.width))
            wide[q] = need.width > 1
    attackers: dict[tuple[int, ...], int] = {(): 0}
    attacker = [attackers.setdefault(_secret(requirements[q], never_published), len(attackers)) for q, *_ in found]
    columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
    known = None
    if any(need.known_to for need in requirements):
        pairs = [(e, c) for e, (q, *_) in enumerate(found) for c in _secret(requirements[q], never_published)]
        row, cell = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        known = csr_array((np.ones(len(row), np.int64), (row, cell)), shape=(len(found), len(never_published)))
    return Ends(columns[0], columns[1], columns[2], columns[3], known, np.array(attacker, dtype=np.int64), wide)


def _secret(need: Requirement, never_published: NDArray[np.bool_]) -> tuple[int, ...]:
    """What the attacker knows beyond what anyone can."""
    return tuple(sorted({c for c in need.known_to if not never_published[c]}))
