"""What tables in hand say of the combinations of a grid."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.implied.danger import Danger
from tableseal.audit.implied.grids import Grid
from tableseal.audit.in_hand.exchanges import Exchanges
from tableseal.audit.in_hand.tables import Table, Tables
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

ROUNDS, FEW, WORTH = 12, 8, 8
"""Tables in chosen directions; open questions that are left to bounds; the share (one in so many) that a table has to
settle."""

MOVED, SETTLED = 100, 10
"""Open questions that are left to moves one by one, where a table is in hand for them; that a table of exchanges has to
settle to be followed by another one (of 16,299 columns it takes 0.2 s, a move 0.02 s)."""


class Seen:
    """Values that tables give open combinations of one grid.

    Attributes
    ----------
    grid: the grid. left: bool (unlisted combinations), open ones.
    danger: None where values alone are not sensitive.
    """

    def __init__(self, grid: Grid, left: NDArray[np.bool_], danger: Danger | None) -> None:
        self.grid, self.left, self.danger = grid, left, danger
        self._least, self._most = np.full(len(left), NO_UPPER), np.full(len(left), NO_LOWER)
        self._tables = np.zeros(len(left), np.int64)

    def see(self, table: Table) -> None:
        """One more table."""
        if not self.left.any():
            return
        known = self.grid.sums((~table.known).astype(np.int64)) == 0
        value = self.grid.sums(np.where(table.known, table.value, 0))
        self._least = np.where(known, np.minimum(self._least, value), self._least)
        self._most = np.where(known, np.maximum(self._most, value), self._most)
        self._tables += known

    @property
    def single(self) -> NDArray[np.bool_]:
        """bool (unlisted combinations): several tables give one value (one table alone says nothing of that)."""
        result: NDArray[np.bool_] = self.left & (self._tables > 1) & (self._least == self._most)
        return result

    @property
    def sensitive(self) -> NDArray[np.bool_]:
        """bool (unlisted combinations): no table gives a harmless value; without a danger those of one value."""
        if self.danger is None:
            return self.single
        within = (self._least >= self.danger.low) & (self._most <= self.danger.high)
        result: NDArray[np.bool_] = self.left & ((self._tables == 0) | within)
        return result

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """bool (unlisted combinations): those that one more table may settle."""
        return (self.sensitive | self.single) & (self._tables > 0)


def look(seen: Sequence[Seen], true: Table, tables: Tables, records: Table | None) -> list[Table]:
    """All tables that were looked at: the true one, as far as it is known, some far apart, and then such as give as
    many of the combinations in doubt as can be another value than they have.

    records: a table in hand, from which combinations can be moved one by one in the end.
    """
    looked = [true, *([] if records is None else [records]), *tables.far_apart()]
    for table in looked:
        for one in seen:
            one.see(table)
    few = FEW if records is None else MOVED
    if records is not None:
        looked += _exchanged(seen, tables, records)
    left, fruitless = _doubtful(seen), 0
    for turn in range(ROUNDS):
        if left <= few or fruitless == 2:
            break
        direction = np.sum([one.grid.spread(one.doubtful) for one in seen], axis=0).astype(np.float64)
        table = tables.towards(direction if turn % 2 else -direction)
        looked.append(table)
        for one in seen:
            one.see(table)
        now = _doubtful(seen)
        fruitless, left = (fruitless + 1 if WORTH * (left - now) < left else 0), now
    return looked


def _exchanged(seen: Sequence[Seen], tables: Tables, records: Table) -> list[Table]:
    """The tables of exchanges that were looked at, as long as each settles some questions."""
    looked, left = list[Table](), _doubtful(seen)
    exchanges = Exchanges(tables.reduced, records) if left > MOVED else None
    while exchanges is not None and left > MOVED and not tables.limits.out_of_time():
        wanted = np.sum([one.grid.spread(one.doubtful) for one in seen], axis=0) > 0
        looked.append(exchanges.table(wanted))
        for one in seen:
            one.see(looked[-1])
        before, left = left, _doubtful(seen)
        if before - left < SETTLED:
            break
    return looked


def _doubtful(seen: Sequence[Seen]) -> int:
    return sum(int(one.doubtful.sum()) for one in seen)
