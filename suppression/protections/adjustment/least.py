"""What no choice of a large part goes below, by weak duality over sizes of changes (`cuts`).

With a multiplier y >= 0 for each entry of a relation, and a the absolute changes, between the least and the largest
that their cells allow for,

    weight @ a >= sum over cells of price a,    price = weight - sum over its relations of |c| (Y - 2 y),

Y the sum of the multipliers of a relation: what a cell that has to move is paid by all others of its relations. The
multipliers come from the interior point method, of large parts from a first-order one, and are made whole multiples of
2^-20, so that the sum is one of whole numbers: whatever the solver says, the bound is proved.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Floats, Problem
from tableseal.suppression.protections.adjustment.cuts import cuts
from tableseal.suppression.protections.adjustment.part import Ints, Part

SCALE = 2**20
"""Multipliers are whole multiples of one part of this."""

LARGE = 40_000
"""Cells from which they come from a first-order method (27,363 cells: 11 s, and 8 s by interior points, of which time
grows faster; bounds differ by 2 of 100,000)."""

LARGEST = 4096.0
"""Multiplier, in largest weights."""

MARGIN = 1 - 2**-15
"""Times the multipliers of the solver: room for their rounding, so that no price becomes negative."""

SHRUNK = (1000, 999, 990, 970, 950, 900, 850, 800, 700, 500, 0)
"""Thousandths of the multipliers that are tried: smaller ones leave fewer prices negative, where a limit has ended the
method before it was done (9,437 cells after 1,000 of 3,000 steps: 0 with all of them, 430,563 with 850; 491,746 is the
best)."""

REPAIRS = 5
"""Times that negative prices are mended."""


@dataclass(frozen=True)
class Least:
    """A proof for a part. bound: its weighted changes are never below. multiplier, price: int64 (entries of relations)
    and (cells), in units of 1 / SCALE."""

    bound: int
    multiplier: Ints
    price: Ints

    def excess(self, part: Part, moved: Ints) -> Floats:
        """float64 (relations): what a choice has above the bound, by where; all of it, but for rounding."""
        size, at = np.abs(moved), _cheapest(part, self.price)
        row = np.repeat(np.arange(part.relations.shape[0]), np.diff(part.relations.indptr))
        own = np.abs(part.relations.data) * size[part.relations.indices]
        whole = np.bincount(row, own, part.relations.shape[0])
        slack = self.multiplier * (whole[row] - 2.0 * own)
        meets = np.maximum(np.bincount(part.relations.indices, minlength=len(part)), 1)
        surplus = self.price * (size - at) / meets
        return np.bincount(row, slack + surplus[part.relations.indices], part.relations.shape[0]) / SCALE


def least(part: Part, limits: Limits) -> Least:
    """The bound of a whole part (all right sides 0)."""
    size = abs(part.relations)
    found = _multipliers(part, limits)
    tries = [(found * thousandths // 1000) for thousandths in SHRUNK] + [_repaired(part, size, found)]
    return max((_with(part, size, multiplier) for multiplier in tries), key=lambda proof: proof.bound)


def _multipliers(part: Part, limits: Limits) -> Ints:
    """int64 (entries of relations), 0 where the solver gives none."""
    above, sums, lower, upper = cuts(part)
    rows = part.relations.shape[0]
    low, high = (bound.astype(np.float64) for bound in part.moves.sizes)
    largest = max(1, int(part.weights.max(initial=1)))
    cost = np.concatenate([part.weights / largest, np.zeros(rows)])
    bottom, top = np.concatenate([low, np.zeros(rows)]), np.concatenate([high, np.full(rows, np.inf)])
    problem = Problem(csr_array(hstack([above, sums])), lower, upper, bottom, top)
    if len(part) > LARGE:
        found = Highs().first_order(problem, cost, limits.seconds_left())
    else:
        found = Highs().interior(problem).minimise(cost, bottom, top, limits.seconds_left())
    if found.row_dual is None:
        return np.zeros(part.relations.nnz, np.int64)
    dual = np.nan_to_num(found.row_dual[rows:]) * MARGIN * largest
    return np.floor(np.clip(dual, 0.0, LARGEST * largest) * SCALE).astype(np.int64)


def _prices(part: Part, size: csr_array, multiplier: Ints) -> Ints:
    """int64 (cells), in units of 1 / SCALE."""
    rows = size.shape[0]
    row = np.repeat(np.arange(rows), np.diff(size.indptr))
    whole = np.zeros(rows, np.int64)
    np.add.at(whole, row, multiplier)
    told = np.zeros(len(part), np.int64)
    np.add.at(told, size.indices, size.data.astype(np.int64) * (whole[row] - 2 * multiplier))
    price: Ints = part.weights * SCALE - told
    return price


def _repaired(part: Part, size: csr_array, multiplier: Ints) -> Ints:
    """Cells with a negative price take what they lack from the others of their first relation."""
    across = csr_array((np.arange(size.nnz), size.indices, size.indptr), shape=size.shape).tocsc()
    first = np.array([across.data[a] if a < b else -1 for a, b in pairwise(across.indptr)], np.int64)
    for _ in range(REPAIRS):
        price = _prices(part, size, multiplier)
        poor = np.flatnonzero((price < 0) & (first >= 0))
        if not len(poor):
            break
        multiplier = multiplier.copy()
        multiplier[first[poor]] += -price[poor]
    return multiplier


def _with(part: Part, size: csr_array, multiplier: Ints) -> Least:
    price = _prices(part, size, multiplier)
    total = sum(p * a for p, a in zip(price.tolist(), _cheapest(part, price).tolist(), strict=True))
    return Least(max(0, -(-total // SCALE)), multiplier, price)


def _cheapest(part: Part, price: Ints) -> Ints:
    """Absolute changes of cells that cost least at their prices."""
    low, high = part.moves.sizes
    return np.where(price >= 0, low, high)
