"""Combinations that a table in hand shows to have another value: each is moved by itself, as little as possible."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.areas import areas
from tableseal.audit.attackers.asked import Asked
from tableseal.audit.attackers.attacker import OUTSIDER
from tableseal.audit.attackers.readers import Reached
from tableseal.audit.attackers.shown import Shown
from tableseal.audit.in_hand.tables import Table
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER
from tableseal.audit.linear.reduce import Reduced
from tableseal.audit.sparse import row_of_entries, rows_at

Ints = NDArray[np.int64]


class Mover:
    """Moves combinations from one table."""

    def __init__(self, reduced: Reduced, in_hand: Table, shown: Shown) -> None:
        self._reduced, self._in_hand, self._shown = reduced, in_hand, shown

    def beyond(self, forms: csr_array, low: Ints, high: Ints) -> NDArray[np.bool_]:
        """bool (forms): tables in hand have two values of it, one of them at or below `low`, or at or above `high`.

        forms: int64 csr (forms x columns). low, high: int64 (forms); NO_UPPER, NO_LOWER: any two values will do.
        """
        found = np.zeros(forms.shape[0], np.bool_)
        known = np.bincount(row_of_entries(forms), ~self._in_hand.known[forms.indices], forms.shape[0]) == 0
        any_low, any_high = np.full_like(low, NO_UPPER), np.full_like(high, NO_LOWER)
        # Upwards first: most combinations have room there.
        for down, up, asked in ((any_low, high, known), (low, any_high, known & (low != NO_UPPER))):
            left = np.flatnonzero(asked & ~found)
            if len(left):
                least, most = self._moved(rows_at(forms, left), down[left], up[left])
                found[left] = (least < most) & (least <= down[left]) & (most >= up[left])
        return found

    def _moved(self, forms: csr_array, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """(the least, the largest value) of each in tables that bring it as far as this, if there are any."""
        count = forms.shape[0]
        asked = Asked(OUTSIDER, np.arange(count), low, high, np.ones(count, np.bool_))
        reached = Reached(asked, self._reduced, forms)
        value, known = forms @ self._in_hand.value, np.ones(count, np.bool_)
        for area in areas(self._reduced, forms, value, known, [asked], self._in_hand):
            if area.table is not None:
                for view, cleared in zip(area.views, self._shown(area), strict=True):
                    reached.note(view, cleared)
        return reached.low, reached.high
