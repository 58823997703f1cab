"""The best direction among some base cells, at once: by the inverse of their equations, which is kept.

For a base cell that is known nearly as well as the policy allows, nearly every further answer takes the direction in
hand beyond the limit, and conjugate gradients need a hundred steps where a few members are out of balance. With the
inverse of A'A over the members in hand a further answer changes it by as many rows as it has (Sherman, Morrison &
Woodbury), further members border it, and the best direction is one step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tableseal.audit.compiling import Runner, kernel
from tableseal.suppression.generator.memory.ground import Floats, Positions
from tableseal.suppression.generator.memory.nearby import RIDGE, shared, solved

Array = Any

AT_ONCE = 12
"""Inverses that are kept, at most (3 MB each)."""


@dataclass(frozen=True, repr=False)
class Inverse:
    """Of the equations of some base cells with so many answers.

    members: int32, base cells. answers: how many. matrix: float64 (members x members), symmetric.
    """

    members: Positions
    answers: int
    matrix: Floats

    @staticmethod
    def of(members: Positions, rows: Positions, run: Runner) -> "Inverse":
        """rows: int32 (members x answers), which row of A each is in; 0: none."""
        together = np.zeros((len(members), len(members)))
        run(shared, rows, together)
        together[np.diag_indices(len(members))] += RIDGE
        matrix = np.eye(len(members))
        run(solved, together, matrix)
        return Inverse(members, rows.shape[1], (matrix + matrix.T) / 2)

    def with_answers(self, rows: Positions, run: Runner) -> "Inverse":
        """With further answers. rows: int32 (members x answers), all of them."""
        matrix = self.matrix.copy()
        for row in rows.T[self.answers :]:
            inside = np.flatnonzero(row)
            order = inside[np.argsort(row[inside], kind="stable")]
            if not len(order):
                continue
            starts = np.flatnonzero(np.diff(row[order], prepend=0))
            added = np.add.reduceat(matrix[order], starts)
            between = np.add.reduceat(added[:, order], starts, axis=1) + np.eye(len(starts))
            by = added.copy()
            run(solved, between, by)
            run(lowered, matrix, added, by)
        return Inverse(self.members, rows.shape[1], matrix)

    def with_members(self, new: Positions, rows: Positions, run: Runner) -> "Inverse":
        """With further members. rows: int32 (all members x answers), the new ones last."""
        old, more = len(self.members), len(new)
        across, own = np.zeros((more, old)), np.zeros((more, more))
        run(shared_across, rows[old:], rows[:old], across)
        run(shared, rows[old:], own)
        own[np.diag_indices(more)] += RIDGE
        solution = np.zeros((more, old))
        run(lowered, solution, np.ascontiguousarray(-across.T), self.matrix)
        run(lowered, own, np.ascontiguousarray(across.T), np.ascontiguousarray(solution.T))
        corner = np.eye(more)
        run(solved, own, corner)
        corner = (corner + corner.T) / 2
        matrix = np.empty((old + more, old + more))
        side = np.zeros((more, old))
        run(lowered, side, corner, solution)
        grown = self.matrix.copy()
        run(lowered, grown, solution, side)
        matrix[:old, :old], matrix[old:, :old], matrix[:old, old:], matrix[old:, old:] = grown, side, side.T, corner
        return replace(self, members=np.concatenate([self.members, new]), matrix=matrix)

    def step(self, slope: Floats, entries: Floats) -> Floats:
        """The step from a direction to the best one. slope: half of how |A d|^2 changes with each entry."""
        found: Floats = -np.einsum("ij,j->i", self.matrix, slope + RIDGE * entries)
        return found


class Inverses:
    """Those that were needed last, by base cell: what they say follows from answers and members, so that it does not
    matter which are there."""

    def __init__(self, kept: Mapping[int, Inverse]) -> None:
        self._kept = dict(kept)

    def copy(self) -> "Inverses":
        """The same, for another memory."""
        return Inverses(self._kept)

    def found(self, b: int, members: Positions, rows: Positions, run: Runner) -> Inverse:
        """That of a base cell, with these members and answers. rows: int32 (base cells x answers)."""
        one = self._kept.get(b)
        if one is None or not np.array_equal(one.members, members):
            one = Inverse.of(members, np.ascontiguousarray(rows[members]), run)
        elif one.answers < rows.shape[1]:
            one = one.with_answers(rows[members], run)
        self.keep(b, one)
        return one

    def keep(self, b: int, one: Inverse) -> None:
        """As the latest one."""
        self._kept.pop(b, None)
        self._kept[b] = one
        while len(self._kept) > AT_ONCE:
            del self._kept[next(iter(self._kept))]


@kernel
def lowered(matrix: Array, left: Array, right: Array) -> None:
    """Take left' right from a matrix."""
    for i in range(len(matrix)):
        for r in range(len(left)):
            by = left[r, i]
            if by != 0.0:
                for j in range(matrix.shape[1]):
                    matrix[i, j] -= by * right[r, j]


@kernel
def shared_across(some: Array, others: Array, out: Array) -> None:
    """In how many answers two base cells are in one row, one of some and one of others. See `shared`."""
    for i in range(len(some)):
        one = some[i]
        for j in range(len(others)):
            other, total = others[j], np.int32(0)
            for a in range(len(one)):
                total += np.int32(one[a] == other[a]) * np.int32(one[a] > 0)
            out[i, j] = total
