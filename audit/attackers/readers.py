"""How far tables in hand bring withheld cells in the eyes of readers, where no table was found at the ends themselves.

Where much hangs together, vertices are full of fractions and integer programs take too long: what is proved of an end
no table shows to be reached. Whether a cell is protected asks less: only that it can go as far as it has to.
"""

import numpy as np
from scipy.sparse import csr_array

from tableseal.audit.attackers.areas import View
from tableseal.audit.attackers.asked import Asked
from tableseal.audit.attackers.attacker import OUTSIDER
from tableseal.audit.attackers.contributors import Contributors
from tableseal.audit.attackers.ranks import required_by_ranks
from tableseal.audit.attackers.shown import Cleared
from tableseal.audit.bounds.component import TargetBounds
from tableseal.audit.bounds.engine import CellBounds
from tableseal.audit.in_hand.tables import Table
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.model import Policy
from tableseal.audit.rules import Sensitivity
from tableseal.audit.sparse import row_of_entries, rows_at


def asked_by_readers(
    contributors: Contributors,
    found: CellBounds,
    sensitivity: Sensitivity,
    policy: Policy,
    forms: csr_array,
    in_hand: Table,
) -> Asked | None:
    """What readers are asked about: withheld cells of which it is not shown that they can go as far as rules and their
    own contributors ask, where a table is in hand from which they can be moved. None: there are none.

    forms: int64 csr (open cells x columns).
    """
    at_hand = np.bincount(row_of_entries(forms), ~in_hand.known[forms.indices], forms.shape[0]) == 0
    needs = {
        k: need
        for k in contributors.targets[at_hand[contributors.targets]].tolist()
        if _open(found.bounds[k])
        and not _covers(found.bounds[k], *(need := _need(k, contributors, sensitivity, policy)))
    }
    if not needs:
        return None
    cells, ends = np.array(list(needs), np.int64), np.array(list(needs.values()), np.int64)
    return Asked(OUTSIDER, cells, ends[:, 0], ends[:, 1], np.ones(len(cells), np.bool_))


class Reached:
    """The least and the largest values in tables in hand of what readers were asked about.

    Attributes
    ----------
    low, high: int64 (forms), above each other where nothing was shown.
    """

    def __init__(self, asked: Asked, reduced: Reduced, forms: csr_array) -> None:
        """forms: int64 csr (forms x columns), of which readers were asked about some."""
        self._cells = asked.cells
        self._constant = rows_at(forms, asked.cells) @ np.where(reduced.fixed, reduced.value, 0)
        self.low, self.high = np.full(forms.shape[0], NO_UPPER), np.full(forms.shape[0], NO_LOWER)

    def note(self, view: View, cleared: Cleared) -> None:
        """What was shown in one area."""
        here = cleared.low <= cleared.high
        at = view.cell[here]
        self.low[self._cells[at]] = cleared.low[here] + self._constant[at]
        self.high[self._cells[at]] = cleared.high[here] + self._constant[at]

    def on(self, found: CellBounds) -> CellBounds:
        """The bounds of open cells with what these tables show."""
        return found.reaching(self.low, self.high)


def _need(k: int, contributors: Contributors, sensitivity: Sensitivity, policy: Policy) -> tuple[int, int]:
    """How far down and up a cell must be able to go; NO_UPPER, NO_LOWER: any change will do."""
    cell = int(contributors.open_cells[k])
    low, high, width = NO_UPPER, NO_LOWER, 0
    if policy.require.protection:
        lower, upper = sensitivity.required_lower.get(cell), sensitivity.required_upper.get(cell)
        low, high = NO_UPPER if lower is None else lower, NO_LOWER if upper is None else upper
        width = sensitivity.required_width.get(cell) or 0
    by_ranks, _ = required_by_ranks(contributors, k, policy.insider_p)
    if by_ranks is not None:
        low, high = min(low, by_ranks[0]), max(high, by_ranks[1])
    truth = contributors.cells.truth.get(cell)
    if width and truth is not None:  # wherever that lies: upwards, where most cells have no limit
        high = max(high, min(low, truth) + width)
    return low, high


def _open(bounds: TargetBounds) -> bool:
    """Whether an end is not reached by a table."""
    return any(not end.unlimited and end.attained != end.outer for end in (bounds.lower, bounds.upper))


def _covers(bounds: TargetBounds, low: int, high: int) -> bool:
    """Whether tables in hand have two values of a cell, and go as far down and up as it must."""
    down, up = bounds.lower.attained, bounds.upper.attained
    if bounds.lower.unlimited or bounds.upper.unlimited:
        return (bounds.lower.unlimited or (down is not None and down <= low)) and (
            bounds.upper.unlimited or (up is not None and up >= high)
        )
    return down is not None and up is not None and down < up and down <= low and up >= high
