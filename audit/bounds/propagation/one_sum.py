"""One published sum over all columns: every end of a sum of some of them follows from what the others can take.

Of columns x with low <= x <= high that add up to N, those of a target can be as small as N less what all others can
take, and as large as N less what the others must: both ends are reached by whole numbers, and so is every value in
between, since one unit after another can move from the target to the others.
"""

import numpy as np

from tableseal.audit.bounds.component import Component, Limits
from tableseal.audit.bounds.knowledge import Knowledge
from tableseal.audit.linear.integers import NO_LOWER
from tableseal.audit.linear.propagate import InfeasibleError

LARGEST = 2.0**60
"""Sums of what columns can take below it stay within 64 bits."""


def is_one_sum(component: Component) -> bool:
    """One equation in which every column stands once, and targets that are sums of columns."""
    return bool(
        component.matrix.shape[0] == 1
        and component.matrix.nnz == component.matrix.shape[1]
        and (component.matrix.data == 1).all()
        and (component.targets.data == 1).all()
        and component.lower[0] == component.upper[0]
        and (component.column_lower > NO_LOWER).all()
    )


class OneSum:
    """Closes all ends at once, where no proofs are asked for."""

    name = "one sum"
    quick = True

    def work(self, component: Component, known: Knowledge, limits: Limits) -> None:
        """Both ends of every target."""
        if known.keep or not is_one_sum(component):
            return
        low = component.column_lower
        left = int(component.lower[0]) - sum(low.tolist())
        room = np.minimum(component.column_upper - low, max(left, 0))
        if left < 0 or sum(room.tolist()) < left:
            raise InfeasibleError
        if float(room.astype(np.float64).sum()) >= LARGEST:
            return
        least, own = component.targets @ low, component.targets @ room
        smallest = least + np.maximum(0, left - (room.sum() - own))
        ends = np.concatenate([smallest, -(least + np.minimum(left, own))])
        every = np.arange(len(ends))
        known.prove_all(every, ends, {})
        known.attain(ends)
        known.lp.know(every, ends)
        known.in_hand = known.feasible = known.convex = True
