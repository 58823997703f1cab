"""A fast heuristic: satisfy whatever cut a pattern breaks, as cheaply as seems; then give back what is not needed."""

import numpy as np
from numpy.typing import NDArray

from audit.bounds.component import Limits
from audit.decision.cuts import Cut, Requirement
from audit.decision.oracle import Oracle
from suppression.problem import Problem
from suppression.search.relations import Lonely


def cover(
    problem: Problem, oracle: Oracle, start: NDArray[np.bool_], limits: Limits
) -> tuple[NDArray[np.bool_] | None, Requirement | None]:
    """(a safe pattern around `start`, a requirement that nothing allowed meets); None, None: out of time."""
    pattern = start.copy()
    lonely = Lonely(problem.equations)
    while not limits.out_of_time():
        _accompany(problem, lonely, pattern)
        decision = oracle.decide(pattern, limits)
        if decision.safe:
            return pattern, None
        failing = np.flatnonzero(decision.failing).tolist()
        if not failing:
            return None, None  # nothing is proved and not everything is shown
        for q, cut in zip(failing, decision.cuts, strict=True):
            if not satisfy(problem, cut, pattern):
                return None, problem.requirements[q]
    return None, None


def _accompany(problem: Problem, lonely: Lonely, pattern: NDArray[np.bool_]) -> None:
    """No withheld cell is left alone in a relation, as far as there is something to withhold beside it."""
    hopeless: set[tuple[int, int]] = set()
    while True:
        alone = [pair for pair in lonely.alone(pattern) if pair not in hopeless]
        if not alone:
            return
        wanted = np.zeros(len(pattern), np.int64)
        for relation, cell in alone:
            wanted[lonely.others(relation, cell)] += 1
        for relation, cell in alone:
            others = lonely.others(relation, cell)
            if pattern[others].any():
                continue
            others = others[problem.may[others]]
            if len(others) == 0:
                hopeless.add((relation, cell))
                continue
            best = others[np.argmin(problem.cost[others] / wanted[others])]
            pattern[best] = True


def satisfy(problem: Problem, cut: Cut, pattern: NDArray[np.bool_]) -> bool:
    """Withhold cells until the cut holds, cheapest for what they contribute first; False: that is not possible."""
    missing = cut.right - int(cut.weight[pattern[cut.cells]].sum())
    usable = problem.may[cut.cells] & ~pattern[cut.cells]
    cells, weight = cut.cells[usable], cut.weight[usable].astype(np.float64)
    while missing > 0 and len(cells):
        best = int(np.argmin(problem.cost[cells] / np.minimum(weight, missing)))
        pattern[cells[best]] = True
        missing -= int(weight[best])
        cells, weight = np.delete(cells, best), np.delete(weight, best)
    return missing <= 0


def clean_up(problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits) -> NDArray[np.bool_]:
    """Give back every secondary cell that turned out not to be needed, dearest first."""
    kept = pattern.copy()
    secondary = np.flatnonzero(kept & ~problem.primary)
    for cell in secondary[np.lexsort((secondary, -problem.cost[secondary]))].tolist():
        if limits.out_of_time():
            break
        kept[cell] = False
        if not oracle.decide(kept, limits).safe:
            kept[cell] = True
    return kept
