"""What a pattern that fails says of every other pattern: the capacity cuts of Fischetti & Salazar (2001)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Multipliers, Proof
from tableseal.audit.decision.equations import Equations, stored
from tableseal.audit.linear.integers import NO_LOWER, NO_UPPER

_SAFE = float(2**61)

_LARGEST = 2**40
"""Right sides stay below, so that a cell that may contribute more satisfies the cut alone."""


_SHARES = 2**20
"""Parts of a right side in which the weights of two cuts are compared."""


@dataclass(frozen=True)
class Cut:
    """What a pattern must satisfy for a requirement to be met: sum of weight over withheld cells >= right > 0.

    cells: int64; weight: int64, positive, as many.
    """

    cells: NDArray[np.int64]
    weight: NDArray[np.int64]
    right: int

    def holds(self, pattern: NDArray[np.bool_]) -> bool:
        """Whether a pattern (bool, cells) satisfies it."""
        return int(self.weight[pattern[self.cells]].sum()) >= self.right

    def without(self, known: Sequence[int]) -> "Cut":
        """The same where some cells count for nothing, because the attacker knows them."""
        kept = ~np.isin(self.cells, known)
        return self if kept.all() else Cut(self.cells[kept], self.weight[kept], self.right)


@dataclass(frozen=True)
class Missed:
    """How a requirement is missed.

    distance: units that the ends together have to move away from the true value.
    ends: (1 for the minimum, -1 for the maximum, proof of that outer end).
    """

    distance: int
    ends: tuple[tuple[int, Proof | None], ...]


def either_cut(
    equations: Equations,
    need: Requirement,
    ways: Sequence[Missed],
    rows: NDArray[np.int64],
    view: NDArray[np.bool_] | None,
) -> Cut | None:
    """The cut of a requirement that has two ways to be met, both of which are missed; None where proofs give none.

    view: bool (cells), a pattern that has to break it; None: whichever holds for all.

    Every safe pattern satisfies the cut of one way or that of the other, so it satisfies the larger of both weights,
    each as a share of its right side. A pattern in between may break both and not that: but as it breaks both, a safe
    pattern has a further cell that weighs something in one of them.
    """
    cuts = [capacity_cut(equations, need, missed, rows) for missed in ways]
    found = [cut for cut in cuts if cut is not None and (view is None or not cut.holds(view))]
    if len(found) < len(ways):
        return None
    weight = np.zeros(equations.cells, np.int64)
    for cut in found:  # rounded up: a larger weight asks for less
        share = [-(-w * _SHARES // cut.right) for w in cut.weight.tolist()]
        weight[cut.cells] = np.maximum(weight[cut.cells], np.array(share, np.int64))
    cells = np.flatnonzero(weight)
    joint = Cut(cells, weight[cells], _SHARES)
    if view is None or not joint.holds(view):
        return joint
    further = cells[~view[cells]]
    return Cut(further, np.ones(len(further), np.int64), 1)


def capacity_cut(equations: Equations, need: Requirement, missed: Missed, rows: NDArray[np.int64]) -> Cut | None:
    """The cut that the proofs of the missed ends give; None where they give none.

    rows: int64, the relations of the component in which the ends were proved.

    With d = c - y A over all columns, c (x - v) = d (x - v) + y A (x - v) for the true values v. Relations do not
    change, so no table can move the cell further than what each withheld cell contributes within its own bounds.
    """
    capacities, rights = [], []
    for sign, proof in missed.ends:
        if not isinstance(proof, Multipliers):
            return None
        found = _capacity(equations, need, sign, proof, rows[proof.rows])
        if found is None:
            return None
        capacities.append(found)
        rights.append(proof.denominator)
    scale = int(np.lcm.reduce(rights))
    if scale > 2**20:
        return None
    right = missed.distance * scale
    weight = np.zeros(equations.cells, np.int64)
    for (cells, capacity, always), denominator in zip(capacities, rights, strict=True):
        factor = scale // denominator
        right -= always * factor
        weight[cells] += np.minimum(capacity, _LARGEST) * factor
    if right <= 0 or right >= _LARGEST:
        return None
    weight = np.minimum(weight, right)
    cells = np.flatnonzero(weight)
    return Cut(cells, weight[cells], right)


def _capacity(
    equations: Equations, need: Requirement, sign: int, proof: Multipliers, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int] | None:
    """(cells, what each can contribute if it is withheld, what columns that are always open and links can), in units of
    1 / denominator; a cell without a limit contributes NO_UPPER, one that the attacker knows nothing. None where 64
    bits might not hold it, or an open column has no limit."""
    which, column, coefficient = stored(equations.matrix, rows)
    y, denominator = proof.numerator, proof.denominator
    columns, place = np.unique(np.append(column, need.cell), return_inverse=True)
    if np.abs(coefficient.astype(np.float64) * y[which]).sum() + denominator >= _SAFE:
        return None
    rest = np.zeros(len(columns), np.int64)
    np.subtract.at(rest, place[:-1], coefficient * y[which])
    rest[place[-1]] += sign * denominator
    counts = (rest != 0) & ~np.isin(columns, need.attacker.known)
    columns, rest = columns[counts], rest[counts]
    value, least, most = equations.value[columns], equations.column_lower[columns], equations.column_upper[columns]
    free = np.where(rest > 0, least == NO_LOWER, most == NO_UPPER)
    room = np.where(free, 0, np.where(rest > 0, value - least, most - value))
    if np.abs(rest.astype(np.float64) * room).sum() >= _SAFE:
        return None
    capacity = np.where(free, NO_UPPER, np.abs(rest) * room)
    always = equations.always_open[columns]
    if free[always].any():
        return None
    total = int(capacity[always].sum())
    links = _slack(equations, rows, y)
    if links is None:
        return None
    return columns[~always], capacity[~always], total + links


def _slack(equations: Equations, rows: NDArray[np.int64], y: NDArray[np.int64]) -> int | None:
    """What links with two different bounds can contribute; None if one has no bound where it would need one."""
    total = 0
    loose = np.flatnonzero(equations.lower[rows] != equations.upper[rows])
    held = equations.matrix[rows[loose]] @ equations.value
    for at, value in zip(loose.tolist(), held.tolist(), strict=True):
        multiplier = int(y[at])
        bound = int(equations.lower[rows[at]] if multiplier > 0 else equations.upper[rows[at]])
        if abs(bound) >= NO_UPPER:
            return None
        total += multiplier * (value - bound)
    return total
