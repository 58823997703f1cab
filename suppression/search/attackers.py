"""Attackers against a fractional pattern: how much of each cell is withheld limits how far a table may move it.

The multipliers of an attacker who cannot move a sensitive cell far enough give a cut that is valid for every pattern,
whatever the floats were: they are rounded to fractions, and the capacities are computed from these exactly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.certify import rationalise, scaled, sparse
from audit.decision.cuts import Cut, Missed, Requirement, capacity_cut
from audit.decision.equations import Equations
from audit.linear.integers import NO_LOWER, NO_UPPER
from audit.solvers.protocol import Problem as Program
from audit.solvers.protocol import Solver, WarmSolver

LEAST = 1e-7
"""Shares below this count as nothing."""

MARGIN = 1e-4
"""A cut must be broken by so much of its right side to be worth adding."""


@dataclass(frozen=True)
class Attack:
    """One end of a requirement: how far (units) the cell must be able to move down (sign 1) or up (sign -1)."""

    requirement: int
    cell: int
    sign: int
    distance: int


def attacks_of(requirements: tuple[Requirement, ...], value: NDArray[np.int64]) -> list[Attack]:
    """The ends of all requirements of outsiders that ask for a distance, largest distances first."""
    found = []
    for q, need in enumerate(requirements):
        if need.known_to:
            continue
        at = int(value[need.cell])
        if need.lower is not None and need.lower < at:
            found.append(Attack(q, need.cell, 1, at - need.lower))
        if need.upper is not None and need.upper > at:
            found.append(Attack(q, need.cell, -1, need.upper - at))
    return sorted(found, key=lambda a: (-a.distance, a.cell, a.sign))


class Attackers:
    """Separates fractional patterns."""

    def __init__(self, equations: Equations, requirements: tuple[Requirement, ...], solver: Solver) -> None:
        self._equations, self._solver = equations, solver
        self._requirements = requirements
        self.attacks = attacks_of(requirements, equations.value)
        value = equations.value
        self._down = np.where(
            equations.column_lower == NO_LOWER, np.inf, (value - equations.column_lower).astype(float)
        )
        self._up = np.where(equations.column_upper == NO_UPPER, np.inf, (equations.column_upper - value).astype(float))

    def cuts(self, share: NDArray[np.float64], most: int) -> list[Cut]:
        """Cuts that a fractional pattern breaks, at most so many.

        share: float64 (cells), how much of each cell is withheld.
        """
        equations = self._equations
        full = np.ones(equations.matrix.shape[1])
        full[: equations.cells] = np.where(share > LEAST, share, 0.0)
        full[equations.always_open] = 1.0
        label = equations.groups(full > 0)
        groups: dict[int, list[Attack]] = {}
        for attack in self.attacks:
            groups.setdefault(int(label[attack.cell]), []).append(attack)
        found: list[Cut] = []
        for group, attacks in sorted(groups.items()):
            columns = np.flatnonzero(label == group)
            found += self._group(columns, full[columns], attacks, most - len(found))
            if len(found) >= most:
                break
        return found

    def _group(
        self, columns: NDArray[np.int64], share: NDArray[np.float64], attacks: list[Attack], most: int
    ) -> list[Cut]:
        equations = self._equations
        rows = np.unique(equations.by_column[columns].indices)
        matrix = csr_array(csr_array(equations.matrix[rows])[:, columns])
        slack_low = np.where(equations.lower[rows] == NO_LOWER, -np.inf, 0.0)
        slack_high = np.where(equations.upper[rows] == NO_UPPER, np.inf, 0.0)
        held = csr_array(equations.matrix[rows]) @ equations.value
        loose = equations.lower[rows] != equations.upper[rows]
        slack_low[loose] = np.where(np.isinf(slack_low[loose]), -np.inf, (equations.lower[rows] - held)[loose])
        slack_high[loose] = np.where(np.isinf(slack_high[loose]), np.inf, (equations.upper[rows] - held)[loose])
        down, up = self._down[columns], self._up[columns]
        warm: WarmSolver | None = None
        reached: list[NDArray[np.float64]] = []
        found: list[Cut] = []
        for attack in attacks:
            if len(found) >= most:
                break
            # No cell has to contribute more than the whole distance (the strengthening of the cuts).
            low, high = -np.minimum(down, attack.distance) * share, np.minimum(up, attack.distance) * share
            at = int(np.searchsorted(columns, attack.cell))
            low[at], high[at] = -attack.distance, attack.distance
            if any(self._serves(y, low, high, at, attack) for y in reached):
                continue
            if warm is None:
                warm = self._solver.warm(Program(matrix, slack_low, slack_high, low, high))
            warm.set_columns(low, high)
            cost = np.zeros(len(columns))
            cost[at] = attack.sign
            outcome = warm.minimise(cost)
            if outcome.x is None or outcome.row_dual is None:
                continue
            if attack.sign * outcome.x[at] <= -attack.distance * (1 - MARGIN):
                reached.append(outcome.x)
                continue
            y = rationalise(outcome.row_dual) or scaled(outcome.row_dual)
            if y is None:
                continue
            need = self._requirements[attack.requirement]
            missed = Missed(attack.distance, ((attack.sign, sparse(y)),))
            cut = capacity_cut(equations, need, missed, columns)
            if cut is not None:
                found.append(cut)
        return found

    @staticmethod
    def _serves(
        y: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], at: int, attack: Attack
    ) -> bool:
        """Whether a table found for another attack answers this one."""
        if attack.sign * y[at] > -attack.distance * (1 - MARGIN):
            return False
        return bool((y >= low - 1e-9).all() and (y <= high + 1e-9).all())
