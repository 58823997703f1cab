"""Cutting planes: the relaxed master problem, and what fractional and whole patterns of it break."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.separation import Separation
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.combining import cheaper
from tableseal.suppression.search.lifted import Lifted
from tableseal.suppression.search.master import Chosen, Master, Row, whole_bound
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.relations import Lonely
from tableseal.suppression.search.result import Found

CUTS_A_ROUND = 400
"""Cuts added before the relaxation is solved again."""

HELD = (0.7, 0.3, 1e-3)
"""Shares from which cells count as withheld where relations alone are asked what they tell attackers."""

LIFTED = 20_000
"""Cells up to which cuts are lifted to who knows cells (66,810 cells, 7,635 contributors: 1.5 s of a limit of 5 s)."""

NEARLY = 1e-6


class Planes:
    """The search's knowledge: cuts, the best safe pattern, the proved bound, and which cells may still matter.

    Attributes
    ----------
    best, cost: the cheapest pattern that the oracle has passed, and what it costs (without one: what everything does);
        bound: what none can go below.
    candidates: int64, positions of the cells that may be withheld.
    open: bool (candidates), those that may be withheld in a pattern better than the best.
    share: float64 (cells), how much of each the relaxation withholds; reduced: float64 (candidates), reduced costs.
    passed_over: whole patterns in a row that were not made safe because they break many cuts.
    """

    def __init__(self, problem: Problem, tools: Tools, *, lifting: bool = False) -> None:
        """lifting: cuts are lifted to who knows cells (a quick pattern of turnover of 1,116 cells costs 1.7% more with
        them, and has no time for what they prove)."""
        self.problem, self.tools = problem, tools
        self._proved: int | None = None
        self.candidates = np.flatnonzero(problem.may)
        self.master = Master(self.candidates, problem.primary, problem.cost, tools.engine, tools.integer_solver)
        self._place = np.full(len(problem.primary), -1, dtype=np.int64)
        self._place[self.candidates] = np.arange(len(self.candidates))
        oracle = tools.oracle
        self._lifts = lifting and oracle.watched and len(problem.cost) <= LIFTED
        shared = oracle.shared() if self._lifts else {}
        self._separation = Separation(problem.equations, oracle.requirements, oracle.ends, tools.engine, shared)
        self._lifted: Lifted | None = None
        self._ask()
        self._looked_at = set[bytes]()
        self.passed_over = 0
        self._lonely = Lonely(problem.equations)
        self._short = csr_array(abs(problem.equations.short[:, : problem.equations.cells].sign()).astype(np.float64))
        self._short_row = np.repeat(np.arange(self._short.shape[0]), np.diff(self._short.indptr))
        self.best: NDArray[np.bool_] | None = None
        self.cost, self.bound, self._taken = problem.price(problem.primary | problem.may), 0, 0
        self.open = np.ones(len(self.candidates), np.bool_)
        self.share = problem.primary.astype(np.float64)
        self.reduced = np.zeros(len(self.candidates))
        self._asked = problem.asked
        for relation, cell in self._lonely.alone(problem.primary):
            if self._asked[cell]:
                self.add(self._lonely.cut(relation, cell))
        self.take()

    def improve(self, pattern: NDArray[np.bool_]) -> None:
        """A safe pattern: the best one from now on, or what is best of both in every part of the table."""
        oracle = self.tools.oracle
        if self.best is not None and not oracle.watched:
            pattern = cheaper(self.problem, oracle, self.best, pattern, self.tools.limits)
        cost = self.problem.price(pattern)
        if self.best is None or cost < self.cost:
            self.best, self.cost = pattern.copy(), cost
            self.tools.keep(self.found())

    def take_over(self, found: Found) -> None:
        """What another search has found, if the oracle has passed it."""
        if found.pattern is not None and found.guarantee == "intervals":
            self.improve(found.pattern)

    def found(self) -> Found:
        """The answer as far as it goes."""
        bound = self.bound if self._proved is None else self._proved
        return Found("optimal" if bound >= self.cost else "feasible", self.best, self.cost, min(bound, self.cost))

    def assume(self) -> None:
        """Take it from now on that all requirements have to be met; what is proved so far stays."""
        if self._proved is None:
            self._proved, self._taken = self.bound, 0
            self._ask()

    def add(self, cut: Cut) -> bool:
        """Add a cut that every safe pattern satisfies (after `assume`: every one that meets all it is asked); False if
        it is known already."""
        self.tools.oracle.pool.add(cut, sure=self._proved is None)
        return self.master.add(cut)

    def relax(self) -> bool:
        """Solve the relaxation: a bound, and candidates whose use alone would cost more than the best pattern.

        False: no pattern satisfies all cuts.
        """
        found = self.master.relaxed()
        if found is None:
            return False
        share, value, self.reduced = found
        self.share = self.problem.primary.astype(np.float64)
        self.share[self.candidates] = share
        self.raise_bound(whole_bound(value))
        self.open &= value + self.reduced <= self.cost - 1 + NEARLY * max(1.0, self.cost)
        return True

    def relax_lifted(self, limits: Limits) -> bool:
        """The same with what cuts in hand say of who knows cells, until they say nothing more; no program is solved but
        the relaxation."""
        while self.relax():
            if limits.out_of_time() or not self._lift(self.share):
                return True
            self.tools.progress("search", self.bound, self.cost)
        return False

    def raise_bound(self, bound: int) -> None:
        """No safe pattern costs less; but for the best one, which need not be a pattern of open candidates."""
        self.bound = min(max(self.bound, bound), self.cost)

    def separate(self, share: NDArray[np.float64], limits: Limits) -> int:
        """Add cuts that a pattern breaks (float64, cells); how many are new."""
        oracle = self.tools.oracle
        if oracle.ends is not self._separation.ends:
            self._ask()
        added = self._bridges(share)
        if oracle.watched:
            added += sum(self.held((share >= least) | self.problem.primary) for least in HELD)
        added += sum(self.add(cut) for cut in self._separation.cuts(share, limits, CUTS_A_ROUND).values())
        return added + self._lift(share)

    def _lift(self, share: NDArray[np.float64]) -> int:
        """Add what cuts in hand say of who knows cells; how many are new. Not of large tables."""
        if not self._lifts:
            return 0
        if self._lifted is None:  # late: of thousands of contributors it takes seconds
            blamed = self.tools.oracle.blamed()
            if blamed is None:
                return 0
            self._lifted = Lifted(blamed, self.problem.primary | self.problem.may)
            for relation, cell in self._lonely.asked(self._asked):
                self._lifted.learn(cell, self._lonely.cut(relation, cell))
        for cell, cut in self._separation.roots:
            self._lifted.learn(cell, cut)
        self._separation.roots.clear()
        return sum(self.add(cut) for cut in self._lifted.broken(share))

    def held(self, pattern: NDArray[np.bool_]) -> int:
        """Add cuts of what attackers find out of a pattern from relations alone; how many are new."""
        key = pattern.tobytes()
        if key in self._looked_at:
            return 0
        self._looked_at.add(key)
        return sum(self.add(broken.cut) for broken in self.tools.oracle.held(pattern) if broken.cut is not None)

    def _bridges(self, share: NDArray[np.float64]) -> int:
        """A cell that is withheld needs others in each of its relations that are withheld as much."""
        total = self._short @ share
        cells = self._short.indices
        broken = np.flatnonzero(2 * share[cells] > total[self._short_row] + 1e-3)
        added = 0
        for entry in broken.tolist():
            row, cell = int(self._short_row[entry]), int(cells[entry])
            others = self._lonely.others(row, cell)
            if self.problem.primary[others].any():
                continue
            inside = self._place[others]
            inside = inside[inside >= 0]
            own = self._place[cell]
            if own < 0 and self._asked[cell]:
                added += self.add(self._lonely.cut(row, cell))
            elif own >= 0:
                weight = np.append(np.ones(len(inside)), -1.0)
                added += self.master.add_row(Row(np.append(inside, own), weight, 0.0))
        return added

    def choose(self, seconds: float, gap: float, reach: float = np.inf) -> Chosen:
        """The cheapest whole pattern of the master, or one so near to it.

        reach: reduced cost up to which cells beside those of the best pattern are looked at. What a smaller reach
        proves holds for patterns of these cells alone.
        """
        self.take()
        looked_at = self.open
        if self.best is not None and np.isfinite(reach):
            looked_at = (self.open & (self.reduced <= reach)) | self.best[self.candidates]
        return self.master.whole(seconds, open_candidates=looked_at, gap=gap)

    def take(self) -> int:
        """Add the cuts that the oracle has found; how many are new."""
        pool, added = self.tools.oracle.pool, 0
        for cut, sure in zip(pool.cuts[self._taken :], pool.sure[self._taken :], strict=True):
            if sure or self._proved is not None:
                added += self.master.add(cut)
        self._taken = len(pool.cuts)
        return added

    def _ask(self) -> None:
        """Look for cuts of all requirements that have to be met."""
        oracle = self.tools.oracle
        self._separation.ask(oracle.requirements, oracle.ends, oracle.unsure if self._proved is None else ())

    def pattern(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The cells (bool) of chosen candidates (bool), with the primaries."""
        pattern = self.problem.primary.copy()
        pattern[self.candidates[chosen]] = True
        return pattern
