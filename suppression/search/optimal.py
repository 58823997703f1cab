"""The cheapest safe pattern, proven: cutting planes after Fischetti & Salazar (2001).

A master problem chooses a pattern; attackers answer with tables (safe) or with cuts that every safe pattern satisfies.
First against fractional patterns, which is where most cuts are found; then against whole ones, each of which is also
completed by the heuristic, so that a safe pattern is always at hand.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from audit.bounds.component import Limits
from audit.progress import Progress
from suppression.problem import Problem
from suppression.search.attackers import Attackers
from suppression.search.cover import clean_up, cover
from suppression.search.master import Master, Row, whole_bound
from suppression.search.method import Tools
from suppression.search.relations import Lonely
from suppression.search.result import Found

CUTS_A_ROUND = 400
"""Cuts added before the relaxation is solved again."""

ROUNDS = 60
"""Rounds of the relaxation at most."""

STALLED = 6
"""Rounds in which the relaxation may rise by less than a thousandth before whole patterns are looked for."""


def optimal(problem: Problem, tools: Tools) -> Found:
    """The cheapest safe pattern, or the best one at the time limit with the gap."""
    limits, progress = tools.limits, tools.progress
    search = _Search(problem, tools)
    pattern, impossible = cover(problem, tools.oracle, problem.primary, limits)
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    if pattern is None:
        return Found("unfinished", None, 0, 0)
    search.improve(clean_up(problem, tools.oracle, pattern, limits))
    search.relax(limits, progress)
    return search.whole(limits, progress)


class _Search:
    def __init__(self, problem: Problem, tools: Tools) -> None:
        self.problem, self.oracle, self._keep = problem, tools.oracle, tools.keep
        self._candidates = np.flatnonzero(problem.may)
        self.master = Master(self._candidates, problem.primary, problem.cost, tools.engine, tools.integer_solver)
        self._attackers = Attackers(problem.equations, problem.requirements, tools.engine)
        self._lonely = Lonely(problem.equations)
        self._short = csr_array(abs(problem.equations.short[:, : problem.equations.cells].sign()).astype(np.float64))
        self.best: NDArray[np.bool_] | None = None
        self.cost = 0
        self.bound = 0
        self.open = np.ones(len(self._candidates), np.bool_)
        for relation, cell in self._lonely.alone(problem.primary):
            self.master.add(self._lonely.cut(relation, cell))

    def improve(self, pattern: NDArray[np.bool_]) -> None:
        """A safe pattern."""
        cost = self.problem.price(pattern)
        if self.best is None or cost < self.cost:
            self.best, self.cost = pattern.copy(), cost
            self._keep(Found("feasible", self.best, cost, min(self.bound, cost)))

    def relax(self, limits: Limits, progress: Progress) -> None:
        """Cuts against fractional patterns; raises the bound and closes candidates that cannot be in a better one."""
        slow, last = 0, -1.0
        for _ in range(ROUNDS):
            found = self.master.relaxed()
            if found is None or limits.out_of_time():
                return
            share, value, reduced = found
            self._learn(value, reduced)
            progress("search", self.bound, self.cost)
            if self.bound >= self.cost:
                return
            slow = slow + 1 if value - last <= 1e-3 * max(1.0, abs(value)) else 0
            last = value
            if slow >= STALLED:
                return
            if not self._separate(share, limits):
                return

    def _learn(self, value: float, reduced: NDArray[np.float64]) -> None:
        """A proved bound, and candidates whose use alone would cost more than the best pattern."""
        self.bound = max(self.bound, whole_bound(value))
        self.open &= value + reduced <= self.cost - 1 + 1e-6 * max(1.0, self.cost)

    def _separate(self, share: NDArray[np.float64], limits: Limits) -> int:
        whole = np.where(self.problem.primary, 1.0, 0.0)
        whole[self._candidates] = share
        added = self._bridges(whole)
        for cut in self._attackers.cuts(whole, CUTS_A_ROUND):
            self.master.add(cut)
            added += 1
        return added

    def _bridges(self, share: NDArray[np.float64]) -> int:
        """A cell that is withheld needs others in each of its relations that are withheld as much."""
        total = self._short @ share
        rows = np.repeat(np.arange(self._short.shape[0]), np.diff(self._short.indptr))
        cells = self._short.indices
        broken = np.flatnonzero(2 * share[cells] > total[rows] + 1e-3)
        place = np.full(len(share), -1, dtype=np.int64)
        place[self._candidates] = np.arange(len(self._candidates))
        added = 0
        for entry in broken.tolist():
            row, cell = int(rows[entry]), int(cells[entry])
            others = self._lonely.others(row, cell)
            if self.problem.primary[others].any():
                continue
            inside = place[others]
            inside = inside[inside >= 0]
            own = place[cell]
            if own < 0:
                self.master.add_row(Row(inside, np.ones(len(inside)), 1.0))
            else:
                self.master.add_row(Row(np.append(inside, own), np.append(np.ones(len(inside)), -1.0), 0.0))
            added += 1
        return added

    def whole(self, limits: Limits, progress: Progress) -> Found:
        """Whole patterns of the master until one is safe or the bound meets the best."""
        assert self.best is not None
        while self.bound < self.cost and not limits.out_of_time():
            chosen = self.master.whole(
                min(limits.seconds_left(), 10.0**6),
                open_candidates=self.open,
            )
            if chosen.infeasible:
                # Nothing among the open candidates: nothing cheaper than the best pattern is left.
                self.bound = self.cost
                break
            self.bound = min(max(self.bound, whole_bound(chosen.bound)), self.cost)
            if chosen.pattern is None:
                break
            pattern = self.problem.primary.copy()
            pattern[self._candidates[chosen.pattern]] = True
            if self._answer(pattern, limits):
                break
            progress("search", self.bound, self.cost)
        return Found(
            "optimal" if self.bound >= self.cost else "feasible", self.best, self.cost, min(self.bound, self.cost)
        )

    def _answer(self, pattern: NDArray[np.bool_], limits: Limits) -> bool:
        """Whether a pattern of the master is safe; otherwise cuts against it, and a safe pattern made from it."""
        added = 0
        for relation, cell in self._lonely.alone(pattern):
            if self.problem.primary[cell]:
                self.master.add(self._lonely.cut(relation, cell))
                added += 1
        share = pattern.astype(np.float64)
        added += self._bridges(share)
        decision = self.oracle.decide(pattern, limits)
        if decision.safe:
            self.improve(pattern)
            return True
        for cut in decision.cuts:
            self.master.add(cut)
            added += 1
        for cut in self._attackers.cuts(share, CUTS_A_ROUND):
            self.master.add(cut)
            added += 1
        completed, _ = cover(self.problem, self.oracle, pattern, limits)
        if completed is not None:
            self.improve(clean_up(self.problem, self.oracle, completed, limits))
        return added == 0
