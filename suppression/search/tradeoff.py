"""Cost against protection: safe patterns that no other one found beats in cost, rank decrease and least entropy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import full
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.entropy import sensitive_bits
from tableseal.suppression.search.rank_greedy import grow
from tableseal.suppression.search.rank_space import counted_cells, decrease, dependencies_among

LOOKED_AT = 8
"""Cells tried in each step towards more entropy: the cheapest beside the cell that has least."""


@dataclass(frozen=True)
class Point:
    """A safe pattern and what it costs and buys.

    pattern: bool (cells). cost: of its secondary cells, in 1 / scale. rank: taken from the released system. least_bits,
    mean_bits: entropy of the sensitive cells over their possible values; infinite without limit.
    """

    pattern: NDArray[np.bool_]
    cost: int
    rank: int
    least_bits: float
    mean_bits: float

    @property
    def goods(self) -> tuple[float, float, float]:
        """What more is better of."""
        return -self.cost, self.rank, self.least_bits

    def beats(self, other: "Point") -> bool:
        """At least as good in cost, rank and least entropy, and better in one of them."""
        return self.goods != other.goods and all(a >= b for a, b in zip(self.goods, other.goods, strict=True))


def tradeoff(
    problem: Problem, starts: Sequence[NDArray[np.bool_]], engine: Solver, limits: Limits, *, steps: int = 8
) -> tuple[Point, ...]:
    """The trade-off curve: points that no other point beats, cheapest first; empty without a start.

    Budgets go in equal steps from the cost of the cheapest start to twice that. Within each, every start grows towards
    rank; the cheapest one also, cell by cell, towards the entropy of the cell that has least of it. More withheld cells
    never make a pattern unsafe.

    starts: safe patterns.
    """
    if not starts:
        return ()
    curve = _Curve(problem, sorted(starts, key=problem.price), engine, limits, max(1, steps))
    curve.towards_rank()
    curve.towards_entropy()
    return pareto(list(curve.points.values()))


def pareto(points: list[Point]) -> tuple[Point, ...]:
    """The points that no other one beats, cheapest first; of equally good ones the first by its cells."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (*(-good for good in p.goods), np.flatnonzero(p.pattern).tolist())):
        if not any(p.beats(point) or p.goods == point.goods for p in kept):
            kept.append(point)
    return tuple(kept)


def _beside(problem: Problem, pattern: NDArray[np.bool_], cell: int) -> NDArray[np.int64]:
    """Cells that stand in a relation with any withheld cell which moves together with this one."""
    equations = problem.equations
    label = equations.groups(equations.opened(pattern))
    rows = np.unique(equations.by_column[np.flatnonzero(label == label[cell])].indices)
    columns = np.unique(equations.matrix[rows].indices)
    return columns[columns < equations.cells].astype(np.int64)


class _Curve:
    """Points found so far, by pattern."""

    def __init__(
        self, problem: Problem, starts: list[NDArray[np.bool_]], engine: Solver, limits: Limits, steps: int
    ) -> None:
        self._problem, self._starts, self._limits = problem, starts, limits
        first = starts[0]
        self._vectors = dependencies_among(problem, counted_cells(problem, margins=True))
        self._method = full(engine)
        self.points: dict[bytes, Point] = {}
        cost = problem.price(first)
        further = np.sort(problem.cost[problem.may & ~first])[:steps]
        self._budgets = [cost + max(cost, int(further.sum())) * k // steps for k in range(steps + 1)]
        for start in starts:
            self.point(start)

    def point(self, pattern: NDArray[np.bool_]) -> Point:
        """What a pattern costs and buys."""
        key = np.packbits(pattern).tobytes()
        if key not in self.points:
            bits = sensitive_bits(self._problem, pattern, self._method, self._limits)
            least, mean = (float(bits.min()), float(bits.mean())) if len(bits) else (0.0, 0.0)
            price = self._problem.price(pattern)
            self.points[key] = Point(pattern, price, decrease(self._vectors, pattern), least, mean)
        return self.points[key]

    def towards_rank(self) -> None:
        """Every start grown within each budget."""
        candidates = np.flatnonzero(self._problem.may)
        for start, budget in product(self._starts, self._budgets):
            if self._limits.out_of_time():
                return
            money = budget - self._problem.price(start)
            if money >= 0:
                self.point(grow(self._vectors, start, candidates, self._problem.cost, self._afford(money)))

    def _afford(self, money: int) -> Callable[[list[int], list[int]], int]:
        cost = self._problem.cost

        def afford(added: list[int], more: list[int]) -> int:
            return int(np.searchsorted(np.cumsum(cost[more]), money - int(cost[added].sum()), side="right"))

        return afford

    def towards_entropy(self) -> None:
        """One cell after another, each the one of a few that leaves the worst sensitive cell most uncertain."""
        problem, limits = self._problem, self._limits
        sensitive = np.flatnonzero(problem.primary)
        pattern = self._starts[0].copy()
        while not limits.out_of_time():
            bits = sensitive_bits(problem, pattern, self._method, limits)
            if len(bits) == 0 or np.isinf(bits.min()):
                return
            worst = int(sensitive[np.argmin(bits)])
            near = _beside(problem, pattern, worst)
            near = near[problem.may[near] & ~pattern[near]]
            near = near[problem.cost[near] <= self._budgets[-1] - problem.price(pattern)]
            near = near[np.lexsort((near, problem.cost[near]))][:LOOKED_AT]
            tried = []
            for cell in near.tolist():
                more = pattern.copy()
                more[cell] = True
                point = self.point(more)
                tried.append((-point.least_bits, -point.mean_bits, point.cost, cell))
            if not tried:
                return
            pattern[min(tried)[-1]] = True
