"""Additive tables of multiples near a table: exactly, by integer programs over parts that hang together.

A cell with true value v is shown as base * (low + step), low = v // base. Zero-restricted: step is 0 or 1, and 0 where
v is a multiple; then the absolute change is residual + (base - 2 residual) * step, which is linear. The relaxed kind
goes beyond the two neighbours where nothing else adds up: first as few steps as possible, then as near as possible.

Of two-way tables the constraints are those of a network, and the linear program has whole corners: it is the answer.

Source of the notion: Cox 1987, "A constructive procedure for unbiased controlled rounding"; Salazar 2006.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from tableseal.audit.bounds.component import Limits
from tableseal.audit.solvers.highs import Highs
from tableseal.audit.solvers.protocol import Floats, Outcome, Problem

NODES = 20_000
"""Of its search tree."""

WHOLE = 1e-6
"""From a whole number, at most, of what is one."""


@dataclass(frozen=True)
class Part:
    """Cells that hang together, of one base.

    Attributes
    ----------
    relations: int64 csr (relations x (cells, then sums that no table shows)); each is 0 for true values.
    base: of all of them. value: int64 (cells), true values. fixed: int64 (relations), what all other cells, which are
        multiples, put into each, in steps of the base.
    unlisted: int64, columns of the equations of the release that the sums are which no table shows.
    """

    relations: csr_array
    base: int
    value: NDArray[np.int64]
    fixed: NDArray[np.int64]
    unlisted: NDArray[np.int64]

    @property
    def low(self) -> NDArray[np.int64]:
        """int64 (cells): the lower neighbour, in steps."""
        return self.value // self.base

    @property
    def residual(self) -> NDArray[np.int64]:
        """int64 (cells): what is above it, in units."""
        return self.value % self.base

    @property
    def between(self) -> NDArray[np.int64]:
        """int64 (cells): steps from the lower neighbour to the upper one; 0 for a multiple."""
        return (self.residual > 0).astype(np.int64)

    @property
    def right(self) -> NDArray[np.int64]:
        """int64 (relations): what steps above the lower neighbours, with sums that no table shows, add up to."""
        found: NDArray[np.int64] = -(self.relations[:, : len(self.value)] @ self.low + self.fixed)
        return found

    @property
    def flat(self) -> bool:
        """Whether no cell is in more than two relations as a part alone, as in two-way tables: then the linear program
        mostly has a whole corner, and is solved at any size."""
        across = csr_array(self.relations.T.tocsr())
        stands = np.diff(across.indptr)
        inner = np.abs(np.asarray(across.sum(axis=1))) == stands
        return int(stands[inner].max(initial=0)) <= 2

    @property
    def nearest(self) -> int:
        """Sum of the changes if every cell went to its nearest multiple: no choice is below."""
        return int(np.minimum(self.residual, self.base - self.residual).sum())

    def change(self, steps: NDArray[np.int64]) -> int:
        """Sum of the absolute changes. steps: int64 (cells), of the base."""
        return int(np.abs(steps * self.base - self.value).sum())

    def adds_up(self, steps: NDArray[np.int64]) -> bool:
        """Whether relations between cells alone hold."""
        cells = len(self.value)
        alone = np.diff(self.relations[:, cells:].tocsr().indptr) == 0
        sums = self.relations[:, :cells] @ steps + self.fixed
        return not sums[alone].any()


@dataclass(frozen=True)
class Chosen:
    """A choice for a part. steps: int64 (cells), of the base; None: none was found. bound: no choice of its kind has
    smaller changes. unrestricted: no zero-restricted choice exists, proved."""

    status: Literal["optimal", "feasible", "none"]
    steps: NDArray[np.int64] | None
    bound: int
    unrestricted: bool = False


def _zero_restricted(part: Part) -> Problem:
    more = part.relations.shape[1] - len(part.value)
    right = part.right.astype(np.float64)
    high = np.concatenate([part.between.astype(np.float64), np.full(more, np.inf)])
    return Problem(part.relations, right, right, np.zeros(len(high)), high)


def _at_least(part: Part, bound: float) -> int:
    """Changes are whole: a bound of the program is rounded up."""
    if not np.isfinite(bound):
        return part.nearest
    return max(part.nearest, int(np.ceil(bound + int(part.residual.sum()) - 1e-5 * max(1.0, abs(bound)))))


def steps_of(part: Part, x: Floats) -> NDArray[np.int64] | None:
    """Steps of a solution, if they are whole and add up."""
    cells = len(part.value)
    near = np.round(x[:cells])
    if np.abs(x[:cells] - near).max(initial=0.0) > WHOLE:
        return None
    steps: NDArray[np.int64] = part.low + near.astype(np.int64)
    return steps if part.adds_up(steps) else None


def program(
    part: Part, limits: Limits, *, whole: bool, start: NDArray[np.int64] | None = None, nodes: int = NODES
) -> tuple[Outcome, int]:
    """Zero-restricted: a step 0 or 1 of every cell; and what the changes cannot go below. start: steps above the lower
    neighbours, of sums that no table shows, too, that are in hand."""
    cells, more = len(part.value), part.relations.shape[1] - len(part.value)
    problem = _zero_restricted(part)
    cost = np.concatenate([part.base - 2.0 * part.residual, np.zeros(more)])
    integral = np.arange(cells + more) < cells if whole else np.zeros(cells + more, np.bool_)
    found = Highs().minimise_integer(
        problem,
        cost,
        limits.seconds_left(),
        nodes=nodes,
        integral=integral,
        start=None if start is None else start.astype(np.float64),
    )
    if whole:
        return found, _at_least(part, found.bound)
    return found, _at_least(
        part, float(cost @ found.x) if found.status == "optimal" and found.x is not None else -np.inf
    )


def beyond(part: Part, limits: Limits) -> Chosen:
    """The relaxed kind, of cells that hang together with their multiples: as few steps beyond the neighbours as
    possible, then as near as possible."""
    cells, more = len(part.value), part.relations.shape[1] - len(part.value)
    own, rest = csr_array(part.relations[:, :cells]), csr_array(part.relations[:, cells:])
    right = part.right.astype(np.float64)
    none, ones = np.zeros(cells + more), np.ones(cells)
    between = part.between.astype(np.float64)
    upper = np.concatenate([between, np.full(cells + cells + more, np.inf)])  # a step, then steps above and below
    upper[cells * 2 : cells * 3] = part.low if (part.value >= 0).all() else np.inf
    lower = np.zeros(len(upper))
    matrix = csr_array(hstack([own, own, -own, rest]))
    integral = np.arange(len(upper)) < 3 * cells
    fewest = np.concatenate([none[:cells], ones, ones, np.zeros(more)])
    first = Highs().minimise_integer(
        Problem(matrix, right, right, lower, upper),
        fewest,
        limits.seconds_left(),
        nodes=NODES,
        integral=integral,
    )
    if first.x is None:
        return Chosen("none", None, part.nearest, unrestricted=True)
    least = round(float(fewest @ first.x))
    counted = csr_array(vstack([matrix, csr_array(fewest[None].astype(np.int64))]))
    ends = np.append(right, 0.0), np.append(right, float(least))
    distance = np.concatenate([part.base - 2.0 * part.residual, np.full(2 * cells, float(part.base)), np.zeros(more)])
    near = Highs().minimise_integer(
        Problem(counted, *ends, lower, upper), distance, limits.seconds_left(), nodes=NODES, integral=integral
    )
    x = near.x if near.x is not None else first.x
    steps = part.low + np.round(x[:cells] + x[cells : 2 * cells] - x[2 * cells : 3 * cells]).astype(np.int64)
    if not part.adds_up(steps):
        return Chosen("none", None, part.nearest, unrestricted=True)
    best = first.status == near.status == "optimal"
    return Chosen("optimal" if best else "feasible", steps, part.change(steps) if best else part.nearest, True)
