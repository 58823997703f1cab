"""Why one value of a cell is known from what is stated of that cell alone, in words."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.model import Status, Table
from tableseal.audit.prepare import Prepared


class OwnStatements:
    """What the tables of one release state of their cells, each by itself."""

    def __init__(self, prepared: Prepared) -> None:
        self._release, self._cells = prepared.release, prepared.cells

    def because(self, cell: int) -> str:
        """ "because table "t" publishes it", or all that together leaves one value."""
        release, cells = self._release, self._cells
        reasons = []
        for table, status in self._rows(cell):
            name = f'table "{table.name}"'
            if status == Status.STRUCTURAL_ZERO:
                return f"because {name} lists it as a structural zero"
            if status < Status.STRUCTURAL_ZERO and table.rounding is None:
                return f"because {name} publishes it"
            if status < Status.STRUCTURAL_ZERO:
                reasons.append(f"{name} rounds it")
        if cells.absent_zero[cell] and cells.upper.units[cell] == 0:
            return "because a table that should list it has no row for it (absent: leaves: zero)"
        if cells.exact[cell]:
            return "because a table computes it as one of its totals (absent: totals: compute)"
        if cells.known_lower.known[cell]:
            reasons.append("its `lower` is known")
        if cells.known_upper.known[cell]:
            reasons.append("its `upper` is known")
        if cells.status[cell] >= Status.SECONDARY:
            reasons += ["no withheld cell is empty"] if release.intruder.nonempty else []
            reasons += ["the intruder's prior says so"] if release.intruder.prior is not None else []
        if not reasons:
            return "because nothing else is left by what is stated of it"
        return f"because {' and '.join(reasons)}, which leaves one value"

    def _rows(self, cell: int) -> list[tuple[Table, int]]:
        """(table, status) of every row that lists the cell."""
        order, owner, status = self._listing
        span = slice(*np.searchsorted(owner, [cell, cell + 1]).tolist())
        at = order[span]
        return [
            (self._release.tables[t], s)
            for t, s in zip(self._cells.listing_table[at].tolist(), status[at].tolist(), strict=True)
        ]

    @cached_property
    def _listing(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
        """Listed rows by cell, and the status of each: rows are listed table by table."""
        order = np.argsort(self._cells.listing_cell, kind="stable")
        status = np.concatenate([table.status for table in self._release.tables])
        return order, self._cells.listing_cell[order], status
