"""The largest rank decrease within a budget, by branch and bound over the cells that may be withheld."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate, takewhile

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.measures.rank import PRIME
from tableseal.audit.measures.subspace import Vector

Judge = Callable[[NDArray[np.bool_]], tuple[Cut, ...] | None]
"""Whether a pattern will do: no cuts: it does; cuts: what it and every other one must satisfy; None: it does not."""

PRICE_OF_A_QUESTION = 100
"""Nodes that asking for a judgement counts for."""


@dataclass(frozen=True)
class Best:
    """A pattern, the rank it takes away, and whether it is proved that no pattern takes more (nor as much for less)."""

    pattern: NDArray[np.bool_]
    decrease: int
    proved: bool


@dataclass(frozen=True)
class Column:
    """What is left of a cell's column in the dependencies beside the withheld ones, the first entry 1.

    Nothing left: withholding the cell takes one off the rank. Equal columns: withholding one of the cells, each of the
    others takes one off.
    """

    entries: tuple[tuple[int, int], ...]

    @property
    def free(self) -> bool:
        """Withholding the cell takes one off the rank."""
        return not self.entries

    def beside(self, other: "Column") -> "Column":
        """What is left once a cell with another column is withheld too."""
        pivot = other.entries[0][0]
        own = dict(self.entries)
        factor = own.get(pivot, 0)
        if not factor:
            return self
        for k, entry in other.entries:
            new = (own.get(k, 0) - factor * entry) % PRIME
            if new:
                own[k] = new
            else:
                own.pop(k, None)
        return column_of(own)


def column_of(entries: Vector) -> Column:
    """A column from its entries modulo the prime."""
    if not entries:
        return Column(())
    inverse = pow(entries[min(entries)], -1, PRIME)
    return Column(tuple((k, entries[k] * inverse % PRIME) for k in sorted(entries)))


class MostRank:
    """Looks for the pattern that takes the most rank, case by case."""

    def __init__(
        self,
        vectors: list[Vector],
        start: Best,
        fixed: NDArray[np.bool_],
        candidates: NDArray[np.int64],
        cost: NDArray[np.int64],
        judge: Judge,
        *,
        anything: bool,
        nodes: int,
    ) -> None:
        """
        Parameters
        ----------
        start: a pattern to beat, within the budget. fixed: bool (cells), withheld in every pattern.
        judge: whether a pattern will do; anything: all do, so that cells that take rank at once are always taken where
        only their number counts. nodes: cases to look at, at most.
        """
        self._fixed, self._judge = fixed, judge
        self._cuts: list[Cut] = []
        self._cost: dict[int, int] = dict(zip(candidates.tolist(), cost[candidates].tolist(), strict=True))
        # Only where all cells cost the same is a cell that takes rank at once as good as any.
        self._anything = anything and len(set(self._cost.values())) <= 1
        self._best = start
        self._price = int(cost[start.pattern & ~fixed].sum())
        self._left = nodes
        self._chosen: list[int] = []
        entries: dict[int, Vector] = {}
        for k, vector in enumerate(vectors):
            for cell, entry in vector.items():
                entries.setdefault(cell, {})[k] = entry % PRIME
        self._columns = {cell: column_of(own) for cell, own in entries.items()}

    def within(self, cells: int, money: int) -> Best:
        """The best pattern of so many cells, at that cost together; proved if no more cases had to be looked at."""
        taken, withheld = 0, list[Column]()
        nothing = Column(())

        def beside(column: Column) -> Column:
            for other in withheld:
                column = column.beside(other)
            return column

        for cell in np.flatnonzero(self._fixed).tolist():
            rest = beside(self._columns.get(cell, nothing))
            taken += rest.free
            if not rest.free:
                withheld.append(rest)
        self._branch({c: beside(self._columns.get(c, nothing)) for c in self._cost}, taken, cells, money, 0)
        return Best(self._best.pattern, self._best.decrease, self._left > 0)

    def _branch(self, open_cells: dict[int, Column], taken: int, cells: int, money: int, price: int) -> None:
        if self._left <= 0:
            return
        self._left -= 1
        if not self._look(taken, cells, price, open_cells):
            return
        columns = {c: column for c, column in open_cells.items() if self._cost[c] <= money}
        sizes = Counter(columns.values())
        # Cells that take rank first, then those that most others can be computed from.
        order = sorted(
            columns, key=lambda c: (not columns[c].free, -sizes[columns[c]], columns[c].entries, self._cost[c], c)
        )
        if self._anything and order and columns[order[0]].free:
            order = order[:1]
        rest = dict(columns)
        for cell in order:
            room = self._room(rest, cells, money)
            if room == 0 or taken + _most(sizes, room) < self._best.decrease + (price >= self._price):
                return
            own = rest.pop(cell)
            sizes[own] -= 1
            self._with(cell, own, rest, taken, cells, money, price)

    def _with(
        self, cell: int, own: Column, rest: dict[int, Column], taken: int, cells: int, money: int, price: int
    ) -> None:
        paid = self._cost[cell]
        self._chosen.append(cell)
        left = dict(rest) if own.free else {c: column.beside(own) for c, column in rest.items()}
        self._branch(left, taken + own.free, cells - 1, money - paid, price + paid)
        self._chosen.pop()

    def _look(self, taken: int, cells: int, price: int, open_cells: Iterable[int]) -> bool:
        """Keep the chosen cells if they are better and will do; False: they will not, whatever is added."""
        pattern = self._fixed.copy()
        pattern[self._chosen] = True
        within = pattern.copy()
        within[list(open_cells)] = True
        broken = False
        for cut in self._cuts:
            if not cut.holds(pattern):
                broken = True
                if cells == 0 or not cut.holds(within):
                    return False
        if broken or (taken, -price) <= (self._best.decrease, -self._price):
            return True
        self._left -= PRICE_OF_A_QUESTION
        cuts = self._judge(pattern)
        if cuts == ():
            self._best, self._price = Best(pattern, taken, False), price
        self._cuts += cuts or ()
        return True

    def _room(self, cells: Iterable[int], most: int, money: int) -> int:
        """How many of some cells there is room for at most."""
        spent = accumulate(sorted(self._cost[c] for c in cells))
        return min(most, sum(1 for _ in takewhile(lambda total: total <= money, spent)))


def _most(sizes: Counter[Column], room: int) -> int:
    """What so many cells can take off the rank at most: one each, but for the first that takes nothing, and a second
    where they are not all of one class. sizes: of the classes."""
    free = sizes[Column(())]
    beyond = room - free
    if beyond <= 0:
        return room
    largest = max((size for column, size in sizes.items() if not column.free), default=0)
    return free + max(0, beyond - 1 if beyond <= largest else beyond - 2, min(beyond, largest) - 1)
