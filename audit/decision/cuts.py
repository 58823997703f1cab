"""What a pattern that fails says of every other pattern: the capacity cuts of Fischetti & Salazar (2001)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Multipliers, Proof
from audit.decision.equations import Equations
from audit.linear.integers import NO_LOWER, NO_UPPER

_SAFE = float(2**61)


@dataclass(frozen=True)
class Requirement:
    """What must stay possible for one cell, in units.

    cell: its position. lower, upper: the cell must be able to lie at or below, at or above these (None: nothing is
    asked on that side). width: its values must span at least so much (1: it must not be disclosed exactly).
    known_to: cells that the attacker knows (an insider's own); empty for outsiders.
    """

    cell: int
    lower: int | None = None
    upper: int | None = None
    width: int = 1
    known_to: tuple[int, ...] = ()


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


@dataclass(frozen=True)
class Missed:
    """How a requirement is missed.

    distance: units that the ends together have to move away from the true value.
    ends: (1 for the minimum, -1 for the maximum, proof of that outer end).
    """

    distance: int
    ends: tuple[tuple[int, Proof | None], ...]


def capacity_cut(equations: Equations, need: Requirement, missed: Missed, columns: NDArray[np.int64]) -> Cut | None:
    """The cut that the proofs of the missed ends give; None where they give none.

    columns: int64, the open columns of the component in which the ends were proved.

    With d = c - y A over all columns, c (x - v) = d (x - v) + y A (x - v) for the true values v. Relations do not
    change, so no table can move the cell further than what each withheld cell contributes within its own bounds.
    """
    capacities, rights = [], []
    for sign, proof in missed.ends:
        if not isinstance(proof, Multipliers):
            return None
        found = _capacity(equations, need.cell, sign, proof, columns)
        if found is None:
            return None
        capacities.append(found)
        rights.append(proof.denominator)
    scale = int(np.lcm.reduce(rights))
    if scale > 2**20:
        return None
    total = np.zeros(equations.cells)
    right = missed.distance * scale
    weight = np.zeros(equations.cells, np.int64)
    for (capacity, always), denominator in zip(capacities, rights, strict=True):
        factor = scale // denominator
        total += capacity.astype(np.float64) * factor
        right -= always * factor
        weight = weight + np.minimum(capacity, 2**40) * factor
    if right <= 0 or right >= 2**40 or total.max(initial=0.0) >= _SAFE:
        return None
    weight = np.minimum(weight, right)
    weight[list(need.known_to)] = 0
    cells = np.flatnonzero(weight)
    return Cut(cells, weight[cells], right)


def _capacity(
    equations: Equations, cell: int, sign: int, proof: Multipliers, columns: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int] | None:
    """(what each cell can contribute if it is withheld, what columns that are always open and links can), both in units
    of 1 / denominator; a cell without a limit contributes NO_UPPER. None where 64 bits might not hold it, or an open
    column has no limit."""
    rows = np.unique(equations.by_column[columns].indices)[proof.rows]
    used = equations.matrix[rows]
    if (np.abs(used).T.astype(np.float64) @ np.abs(proof.numerator.astype(np.float64))).max(initial=0.0) >= _SAFE:
        return None
    rest = -(used.T @ proof.numerator)
    rest[cell] += sign * proof.denominator
    down, up = equations.value - equations.column_lower, equations.column_upper - equations.value
    free = np.where(rest > 0, equations.column_lower == NO_LOWER, equations.column_upper == NO_UPPER) & (rest != 0)
    room = np.where(free, 0, np.where(rest > 0, down, up))
    if (np.abs(rest.astype(np.float64)) * np.abs(room.astype(np.float64))).max(initial=0.0) >= _SAFE:
        return None
    capacity = np.where(free, NO_UPPER, np.abs(rest) * room)
    always = equations.always_open
    if free[always].any():
        return None
    total = sum(capacity[always].tolist())
    capacity[always] = 0
    held = used @ equations.value
    for row, y, value in zip(rows.tolist(), proof.numerator.tolist(), held.tolist(), strict=True):
        low, high = int(equations.lower[row]), int(equations.upper[row])
        if low != high:
            bound = low if y > 0 else high
            if abs(bound) >= NO_UPPER:
                return None
            total += y * (value - bound)
    return capacity[: equations.cells], total
