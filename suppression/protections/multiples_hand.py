"""A table of multiples in hand, and neighbourhoods of its cells that are chosen anew by small integer programs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.highs import USUAL_EFFORT, Highs
from tableseal.audit.solvers.protocol import Problem
from tableseal.suppression.protections.multiples import Part
from tableseal.suppression.protections.neighbourhood import neighbourhood

Ints = NDArray[np.int64]

PRICE = 20
"""Of a step beyond the neighbours, in bases: dearer than any change for its sake."""

BROKEN = 200
"""Of one that a relation is off, in bases: dearer than any step beyond."""

NODES = 200
"""Of the search tree of a neighbourhood."""

LARGE, EFFORT = 700, 0.5
"""Cells of a neighbourhood from which on heuristics may take so much of the work."""

CLOSED = 1_000
"""Cells among which it is proved that no zero-restricted choice exists."""


class Search:
    """A choice for a part that becomes better step by step.

    Attributes
    ----------
    x: int64 (cells, then sums that no table shows), steps above the lower neighbours.
    off: int64 (relations), by how much each is off.
    """

    def __init__(self, part: Part, x: Ints) -> None:
        self.part, self.x = part, x
        self.matrix, self.across = part.relations, csr_array(part.relations.T.tocsr())
        self.off: Ints = self.matrix @ x - part.right
        more = len(x) - len(part.value)
        self._between = np.concatenate([part.between, np.zeros(more, np.int64)])
        lowest = part.low if (part.value >= 0).all() else np.full(len(part.value), 2**40)
        self._lowest = np.concatenate([lowest, np.full(more, 2**40)])
        self._cost = np.concatenate([part.base - 2.0 * part.residual, np.zeros(more)])
        self._step = np.concatenate([np.full(len(part.value), float(part.base)), np.zeros(more)])
        self._dear = self._step * PRICE
        self._random = np.random.default_rng(0)

    @property
    def beyond(self) -> Ints:
        """int64 (cells): steps beyond the neighbours."""
        cells = len(self.part.value)
        x: Ints = self.x[:cells]
        found: Ints = np.maximum(np.maximum(x - self.part.between, -x), 0)
        return found

    def rows(self, cells: Ints) -> Ints:
        """Relations that cells touch."""
        found: Ints = np.unique(csr_array(self.across[cells]).indices).astype(np.int64)
        return found

    def around(self, row: int, size: int) -> Ints:
        """Cells near a relation that hang together most closely: always one with the fewest relations yet untouched."""
        return neighbourhood(self.matrix, self.across, row, size, self._random)

    def improve(self, cells: Ints, limits: Limits, nodes: int = NODES) -> bool:
        """Choose some cells anew while all others stay; whether that was better."""
        program = _Program.of(self, cells)
        found = Highs().minimise_integer(
            program.problem,
            program.cost,
            limits.seconds_left(),
            nodes=nodes,
            integral=program.integral,
            effort=USUAL_EFFORT if len(cells) < LARGE else EFFORT,
        )
        if found.x is None:
            return False
        n = len(cells)
        parts = np.round(found.x[: 3 * n]).astype(np.int64)
        x = parts[:n] + parts[n : 2 * n] - parts[2 * n :]
        off = self.off[program.rows] + program.own @ (x - self.x[cells])
        if self._worth(cells, x, off) >= self._worth(cells, self.x[cells], self.off[program.rows]):
            return False
        self.x[cells], self.off[program.rows] = x, off
        return True

    def _worth(self, cells: Ints, x: Ints, off: Ints) -> tuple[int, float, float]:
        """What is off, prices of steps beyond, changes: the smaller the better, the first first."""
        between, step = self._between[cells], self._step[cells]
        beyond = np.maximum(np.maximum(x - between, -x), 0)
        inside = np.clip(x, 0, between)
        return int(np.abs(off).sum()), float((self._dear[cells] * beyond).sum()), float(
            (self._cost[cells] * inside + step * beyond).sum()
        )  # fmt: skip

    def impossible(self, row: int, limits: Limits) -> bool:
        """Whether relations near one allow for no zero-restricted choice of their cells, whatever all others are."""
        cells = self.around(row, CLOSED)
        rows = self.rows(cells)
        inside = np.isin(self.matrix.indices, cells)
        entries = np.repeat(np.arange(self.matrix.shape[0]), np.diff(self.matrix.indptr))
        missing = np.bincount(entries[~inside], minlength=self.matrix.shape[0])
        own = rows[missing[rows] == 0]
        if not len(own):
            return False
        right = self.part.right[own].astype(np.float64)
        matrix = csr_array(csr_array(self.matrix[own])[:, cells])
        shown = cells < len(self.part.value)
        low = np.where(shown, 0.0, -np.inf)
        high = np.where(shown, self._between[cells], np.inf).astype(np.float64)
        problem = Problem(matrix, right, right, low, high)
        found = Highs().minimise_integer(problem, np.zeros(len(cells)), limits.seconds_left(), nodes=10 * NODES)
        return found.status == "infeasible"


@dataclass(frozen=True)
class _Program:
    """A neighbourhood. Columns: steps between the neighbours, beyond the upper one, beyond the lower one (cells each);
    what broken relations stay off, above and below. rows: its relations; own: int64 csr (rows x cells)."""

    rows: Ints
    own: csr_array
    problem: Problem
    cost: NDArray[np.float64]
    integral: NDArray[np.bool_]

    @staticmethod
    def of(search: Search, cells: Ints) -> "_Program":
        rows = search.rows(cells)
        own = csr_array(csr_array(search.matrix[rows])[:, cells])
        now, off = search.x[cells], search.off[rows]
        right = (own @ now - off).astype(np.float64)
        broken = np.flatnonzero(off)
        n, k = len(cells), len(broken)
        slack = csr_array((np.ones(k, np.int64), (broken, np.arange(k))), shape=(len(rows), k))
        unseen = cells >= len(search.part.value)
        between = np.where(unseen, 0, search._between[cells])
        above = np.where(unseen, np.inf, np.maximum(1, now - between))
        below = np.where(unseen, np.inf, np.minimum(np.maximum(1, -now), search._lowest[cells]))
        high = np.concatenate([between, above, below, np.full(2 * k, np.inf)]).astype(np.float64)
        dear, step = search._dear[cells], search._step[cells]
        stays = np.full(2 * k, float(BROKEN * search.part.base))
        cost = np.concatenate([search._cost[cells], dear + step, dear + step, stays])
        problem = Problem(csr_array(hstack([own, own, -own, slack, -slack])), right, right, np.zeros(len(high)), high)
        return _Program(rows, own, problem, cost, np.arange(len(high)) < 3 * n)
