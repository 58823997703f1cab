"""Cells that hang together, how far each may move, and the least by which each sensitive one has to."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Moves:
    """How far cells may move (all int64, cells, in units).

    least, most: changes that the limits allow, least <= 0 <= most.
    sensitive: bool (cells), those that have to move: by up_least to up_most, or by down_least to down_most the other
    way; a side whose least is above its most is impossible.
    """

    least: Ints
    most: Ints
    sensitive: Mask
    up_least: Ints
    up_most: Ints
    down_least: Ints
    down_most: Ints

    @property
    def up(self) -> Mask:
        """bool (cells), sensitive cells that can move up."""
        return self.sensitive & (self.up_least <= self.up_most)

    @property
    def down(self) -> Mask:
        """bool (cells), sensitive cells that can move down."""
        return self.sensitive & (self.down_least <= self.down_most)

    @property
    def open(self) -> Mask:
        """bool (cells), sensitive cells that can move either way."""
        return self.up & self.down

    def within(self, direction: Ints) -> tuple[Ints, Ints]:
        """Least and largest change of each cell. direction: int64 (cells), 1 up, -1 down, of sensitive cells."""
        up, down = self.sensitive & (direction > 0), self.sensitive & (direction < 0)
        least = np.where(up, self.up_least, np.where(down, -self.down_most, self.least))
        most = np.where(up, self.up_most, np.where(down, -self.down_least, self.most))
        return least, most

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """Least and largest absolute change of each cell, whichever way it moves."""
        either = np.minimum(self.up_least, self.down_least)
        low = np.where(self.open, either, np.where(self.up, self.up_least, self.down_least))
        high = np.maximum(np.where(self.up, self.up_most, 0), np.where(self.down, self.down_most, 0))
        free = np.maximum(self.most, -self.least)
        return np.where(self.sensitive, low, 0), np.where(self.sensitive, high, free)

    def settled(self, direction: Ints) -> "Moves":
        """The same with directions settled: no cell has to move, beyond its limits."""
        least, most = self.within(direction)
        return replace(self, least=least, most=most, sensitive=np.zeros(len(least), np.bool_))

    def beside(self, other: "Moves") -> "Moves":
        """Those of these cells, then of others."""
        names = self.__dataclass_fields__
        return Moves(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))

    def take(self, cells: Ints) -> "Moves":
        """Those of some cells."""
        return Moves(*(getattr(self, name)[cells] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Part:
    """Cells that hang together.

    Attributes
    ----------
    relations: int64 csr (relations x cells); changes fulfil relations @ change == right, in a whole part 0.
    right: int64 (relations). moves: how far cells may move.
    weights: int64 (cells), what a change by one unit costs; 0 of sums that no table shows.
    """

    relations: csr_array
    right: Ints
    moves: Moves
    weights: Ints

    def __len__(self) -> int:
        return len(self.weights)

    def change(self, moved: Ints) -> int:
        """Weighted sum of the absolute changes of published cells."""
        return int((np.abs(moved) * self.weights).sum())

    def allows(self, moved: Ints) -> bool:
        """Whether all relations hold, all cells stay within their limits, and sensitive ones move far enough."""
        moves = self.moves
        up = (moved >= moves.up_least) & (moved <= moves.up_most)
        down = (-moved >= moves.down_least) & (-moved <= moves.down_most)
        free = (moved >= moves.least) & (moved <= moves.most)
        fits = np.where(moves.sensitive, up | down, free)
        return bool(fits.all()) and bool((self.relations @ moved == self.right).all())

    def around(self, cells: Ints, moved: Ints) -> "Part":
        """Some cells of it, while all others stay as they have moved."""
        columns = csr_array(self.relations[:, cells])
        rows = np.flatnonzero(np.diff(columns.indptr) > 0)
        own = csr_array(columns[rows])
        return Part(own, own @ moved[cells], self.moves.take(cells), self.weights[cells])
