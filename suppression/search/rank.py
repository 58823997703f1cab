"""Safe patterns that take as much rank from the released system as a budget allows.

The search problem of Oganian and Domingo-Ferrer 2003, section 4.5, made precise: of all patterns that pass the oracle
and cost at most the budget, one whose withheld cells take the most independent statements away. More rank taken away
is not more protection (docs/explanation/figures.md): what it buys in intervals and entropy is told by an audit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.io.numbers import rational
from tableseal.audit.linear.naming import plural
from tableseal.audit.measures.subspace import Vector
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.elimination import elimination, in_steps
from tableseal.suppression.search.greedy_elimination import eliminated, movements
from tableseal.suppression.search.method import Tools, keep_nothing
from tableseal.suppression.search.optimal import optimal
from tableseal.suppression.search.rank_exact import Best, MostRank
from tableseal.suppression.search.rank_greedy import grow
from tableseal.suppression.search.rank_space import counted_cells, decrease, dependencies_among
from tableseal.suppression.search.repair import repaired
from tableseal.suppression.search.result import Found, RankTaken

SMALL = 120
"""Cells that may be withheld up to which the cheapest safe pattern is looked for with proof, to set the budget."""

EXACT = 60
"""Cells that may be withheld up to which it is tried to prove that no pattern takes more rank."""

NODES = 20_000
"""Cases that are looked at for that (the tests have linked tables of 27 cells: some thousands)."""

RESTARTS = 6
"""Safe patterns that are made with disturbed costs, to start from."""

SEVERAL = 2_000
"""Cells that may be withheld up to which there are restarts and exchanges; beyond, one pattern is grown."""

EXCHANGES = 200
"""Cells that are given back in turn to see whether others take more rank for the same money."""


@dataclass(frozen=True)
class Budget:
    """What secondary cells may cost at most.

    cells: how many (None: any number). cost: in the costs of the problem (None: with `cells`, anything; without, the
    cost of the cheapest safe pattern that is found).
    """

    cells: int | None = None
    cost: Fraction | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """A budget from words: `cells=12`, `cost=500`, or both with a comma.

        Raises
        ------
        InputError: anything else.
        """
        given: dict[str, Fraction] = {}
        for part in text.split(","):
            name, _, number = part.partition("=")
            try:
                given["" if name.strip() in given else name.strip()] = rational(number)
            except ValueError:
                given[""] = Fraction(0)
        cells = given.get("cells", Fraction(0))
        if not given.keys() <= {"cells", "cost"} or min(given.values()) < 0 or cells.denominator != 1:
            expected = 'cells=NUMBER, cost=NUMBER or both, such as "cells=12"'
            raise InputError(expected=expected, at=OptionName("budget", text))
        return cls(int(cells) if "cells" in given else None, given.get("cost"))


@dataclass(frozen=True)
class Rank:
    """The method with its settings.

    pure: patterns need not be safe (labelled so). margins: withheld margins count; else only the rank of the system
    without margins is looked at.
    """

    budget: Budget = Budget()
    pure: bool = False
    margins: bool = True

    def __call__(self, problem: Problem, tools: Tools) -> Found:
        """The pattern with the largest rank decrease that is found, cheapest first among equals.

        Raises
        ------
        InputError: no safe pattern within the budget is known.
        """
        cheapest = None
        if not self.pure or self.budget == Budget():
            cheapest = _cheapest(problem, tools)
            if cheapest.pattern is None:
                return cheapest
        cells = int(problem.may.sum()) if self.budget.cells is None else self.budget.cells
        money = _money(problem, self.budget, cheapest)
        search = _Search(problem, tools, self, cells, money)
        if self.pure or cheapest is None:
            search.consider(problem.primary)
        else:
            search.start(cheapest)
        search.exchange()
        best = search.prove()
        return Found(
            "feasible",
            best.pattern,
            problem.price(best.pattern),
            0,
            guarantee="none" if self.pure else "intervals",
            rank=self._taken(problem, best.pattern),
            most_rank=best.decrease if best.proved else None,
        )

    def _taken(self, problem: Problem, pattern: NDArray[np.bool_]) -> RankTaken:
        whole, inner = (
            decrease(dependencies_among(problem, counted_cells(problem, margins=margins)), pattern)
            for margins in (True, False)
        )
        return RankTaken(whole, inner, self.margins)


def _cheapest(problem: Problem, tools: Tools) -> Found:
    """A cheap safe pattern: the cheapest, with proof, of a small problem."""
    return (optimal if problem.may.sum() <= SMALL else elimination)(problem, tools)


def _money(problem: Problem, budget: Budget, cheapest: Found | None) -> int:
    """The budget in steps of the problem's costs."""
    if budget.cost is not None:
        return int(budget.cost * problem.scale)
    if budget.cells is None and cheapest is not None:
        return cheapest.cost
    return int(problem.cost[problem.may].sum())


class _Search:
    """The best pattern so far, and the ways to better ones."""

    def __init__(self, problem: Problem, tools: Tools, method: Rank, cells: int, money: int) -> None:
        self._problem, self._tools, self._pure = problem, tools, method.pure
        self._cells, self._money = cells, money
        self._vectors: list[Vector] = dependencies_among(problem, counted_cells(problem, margins=method.margins))
        self._candidates = np.flatnonzero(problem.may)
        self._best: Best | None = None

    def start(self, cheapest: Found) -> None:
        """Safe patterns within the budget, each grown: the cheapest one, and others by disturbed costs.

        Raises
        ------
        InputError: none is within the budget.
        """
        problem, tools = self._problem, self._tools
        draw = np.random.default_rng(tools.seed)
        patterns = [cheapest.pattern]
        moves = movements(problem)
        for _ in range(RESTARTS if len(self._candidates) <= SEVERAL else 0):
            if tools.limits.out_of_time():
                break
            disturbed = in_steps(problem.cost * draw.uniform(0.5, 1.5, len(problem.cost)))
            proposal = eliminated(problem, moves, disturbed)
            patterns.append(repaired(problem, replace(tools, keep=keep_nothing), proposal).pattern)
        inside = [p for p in patterns if p is not None and self._within(p)]
        if not inside:
            used = 0 if cheapest.pattern is None else int((cheapest.pattern & ~problem.primary).sum())
            raise InputError(
                f"the cheapest safe pattern that was found withholds {plural(used, 'secondary cell')} at a cost of "
                f"{cheapest.cost / problem.scale:,.10g}, which is more than the budget; give at least that, or ",
                OptionName("pure"),
                " for patterns that need not be safe.",
                at=OptionName("budget"),
            )
        for pattern in inside:
            self.consider(pattern)

    def _within(self, pattern: NDArray[np.bool_]) -> bool:
        problem = self._problem
        secondary = int((pattern & ~problem.primary).sum())
        return secondary <= self._cells and problem.price(pattern) <= self._money

    def consider(self, pattern: NDArray[np.bool_]) -> bool:
        """Grow a pattern that will do; whether that gives a better one than before."""
        problem = self._problem
        grown = grow(self._vectors, pattern, self._candidates, problem.cost, self._room(pattern))
        found = Best(grown, decrease(self._vectors, grown), False)
        if self._best is not None and self._order(found) <= self._order(self._best):
            return False
        self._best = found
        if not self._pure:
            self._tools.keep(Found("feasible", grown, problem.price(grown), 0))
        return True

    def _order(self, found: Best) -> tuple[int, int]:
        return found.decrease, -self._problem.price(found.pattern)

    def _room(self, pattern: NDArray[np.bool_]) -> Callable[[list[int], list[int]], int]:
        problem = self._problem
        cells = self._cells - int((pattern & ~problem.primary).sum())
        money = self._money - problem.price(pattern)

        def afford(added: list[int], more: list[int]) -> int:
            left = money - int(problem.cost[added].sum())
            spent = np.cumsum(problem.cost[more])
            return max(0, min(cells - len(added), int(np.searchsorted(spent, left, side="right"))))

        return afford

    def exchange(self) -> None:
        """Give one cell back and spend what becomes free on rank, as long as that gains something."""
        problem, tools = self._problem, self._tools
        tried = 0
        better = len(self._candidates) <= SEVERAL
        while better and self._best is not None:
            better = False
            pattern = self._best.pattern
            secondary = np.flatnonzero(pattern & ~problem.primary)
            for cell in secondary[np.lexsort((secondary, -problem.cost[secondary]))].tolist():
                if tried >= EXCHANGES or tools.limits.out_of_time():
                    return
                tried += 1
                without = pattern.copy()
                without[cell] = False
                if self._accept(without) and self.consider(without):
                    better = True
                    break

    def _accept(self, pattern: NDArray[np.bool_]) -> bool:
        return self._judge(pattern) == ()

    def _judge(self, pattern: NDArray[np.bool_]) -> tuple[Cut, ...] | None:
        if self._pure:
            return ()
        decision = self._tools.oracle.decide(pattern, self._tools.limits)
        return () if decision.safe else decision.cuts or None

    def prove(self) -> Best:
        """The best of all patterns within the budget, where that is little enough work to find out."""
        assert self._best is not None
        problem, nodes = self._problem, NODES if len(self._candidates) <= EXACT else 0
        given = self._vectors, self._best, problem.primary, self._candidates, problem.cost, self._judge
        return MostRank(*given, anything=self._pure, nodes=nodes).within(self._cells, self._money)
