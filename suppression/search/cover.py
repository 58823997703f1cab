"""A fast heuristic: satisfy whatever cut a pattern breaks, as cheaply as seems; then give back what is not needed."""

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.cuts import Cut
from tableseal.audit.decision.oracle import Decision, Oracle
from tableseal.audit.decision.parts import learn_from, parts
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.giving_back import GivingBack
from tableseal.suppression.search.relations import Lonely, Tied

STALLED, DISTURBED = 3, 0.5
"""When `leaner` ends, and the standard deviation of the logarithm of the factors on its costs (a four-way table of 868
cells: 24.4 million, after 0.7 s 21.7, after 5 s 20.0; to give back cell by cell takes 39 s to 17.7)."""

NEEDED = 0.4
CLEANED = 0.25
"""Shares of the time left, where there are many attackers, for what each end needs and for giving back."""


PATIENCE = 2
"""Rounds of cuts after which each end takes what it needs instead: most tables need 1 to 3; where each adds a cell
or two for every end, as many as it takes are many (fh3d_mid: 17 in 38 s, cost 8,957; its ends take 5 s, and 4,671.
HIE1327D: none after 120 s; 2 s)."""


def cover(
    problem: Problem,
    oracle: Oracle,
    start: NDArray[np.bool_],
    limits: Limits,
    price: NDArray[np.float64] | None = None,
    *,
    most: int | None = None,
) -> tuple[NDArray[np.bool_] | None, Requirement | None]:
    """(a safe pattern around `start`, a requirement that nothing allowed meets); None, None: out of time, or nothing
    is shown and nothing refuted.

    price: float64 (cells), what the cells seem to cost, if not their cost. most: give up after so many rounds of cuts.
    """
    price = problem.cost.astype(np.float64) if price is None else price
    pattern, rounds = start.copy(), 0
    lonely = Lonely(problem.equations)
    while not limits.out_of_time():
        if rounds == most:
            return None, None
        if rounds == PATIENCE:
            pattern, _ = oracle.narrowed(problem.primary | problem.may, start, price, limits.share(NEEDED))
        rounds += 1
        _accompany(problem, lonely, pattern, price)
        decision = oracle.decide(pattern, limits, exact=False)
        if decision.safe:
            return pattern, None
        if not decision.failing.any():
            decision = _widen(problem, oracle, pattern, price, decision, limits)
        failing = np.flatnonzero(decision.failing).tolist()
        if not failing and not decision.protected.all():
            return None, None  # nothing is proved and not everything is shown
        for q, cut in zip(failing, decision.cuts, strict=True):
            if not satisfy(problem, cut, pattern, price):
                return None, oracle.requirements[q]
    return None, None


def completed(
    problem: Problem,
    oracle: Oracle,
    start: NDArray[np.bool_],
    limits: Limits,
    price: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.bool_] | None, Requirement | None]:
    """The same as `cover`; where there are many attackers each end first takes what it needs most cheaply, which costs
    less than what broken cuts add up to, and takes less time."""
    if oracle.watched:
        price = problem.cost.astype(np.float64) if price is None else price
        start, _ = oracle.narrowed(problem.primary | problem.may, start, price, limits)
    return cover(problem, oracle, start, limits, price)


def _widen(
    problem: Problem,
    oracle: Oracle,
    pattern: NDArray[np.bool_],
    price: NDArray[np.float64],
    decision: Decision,
    limits: Limits,
) -> Decision:
    """Widen a pattern in place for what linear programs meet and no table shows; what is decided then."""
    for q in np.flatnonzero(~decision.protected).tolist():
        wider = oracle.widened(pattern, q, problem.may, price, limits)
        if wider is None:
            return oracle.decide(pattern, limits)
        pattern |= wider
    return oracle.decide(pattern, limits, exact=False)


def _accompany(problem: Problem, lonely: Lonely, pattern: NDArray[np.bool_], price: NDArray[np.float64]) -> None:
    """No withheld cell is left alone in a relation, as far as there is something to withhold beside it, and but for
    those that may be computed."""
    hopeless: set[tuple[int, int]] = set()
    matters = problem.may | problem.asked
    while True:
        alone = [(relation, c) for relation, c in lonely.alone(pattern) if matters[c] and (relation, c) not in hopeless]
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
            best = others[np.argmin(price[others] / wanted[others])]
            pattern[best] = True


def satisfy(problem: Problem, cut: Cut, pattern: NDArray[np.bool_], price: NDArray[np.float64]) -> bool:
    """Withhold cells until the cut holds, cheapest for what they contribute first; False: that is not possible."""
    missing = cut.right - int(cut.weight[pattern[cut.cells]].sum())
    usable = problem.may[cut.cells] & ~pattern[cut.cells]
    cells, weight = cut.cells[usable], cut.weight[usable].astype(np.float64)
    while missing > 0 and len(cells):
        best = int(np.argmin(price[cells] / np.minimum(weight, missing)))
        pattern[cells[best]] = True
        missing -= int(weight[best])
        cells, weight = np.delete(cells, best), np.delete(weight, best)
    return missing <= 0


def needed(
    problem: Problem, oracle: Oracle, within: NDArray[np.bool_], limits: Limits
) -> tuple[NDArray[np.bool_], bool]:
    """(what each requirement in turn needs most cheaply within a pattern, whether that is shown to be safe)."""
    return oracle.narrowed(within, problem.primary, problem.cost.astype(np.float64), limits)


def clean_up(
    problem: Problem,
    oracle: Oracle,
    pattern: NDArray[np.bool_],
    limits: Limits,
    giving_back: GivingBack | None = None,
) -> NDArray[np.bool_]:
    """Give back every secondary cell of a safe pattern that turned out not to be needed, dearest first.

    giving_back: what remembers parts that were looked at before, of the same problem and oracle.
    """
    asked = ~problem.primary
    if GivingBack.suits(oracle):
        lean, done = (giving_back or GivingBack(problem, oracle)).lean(pattern, limits)
        if oracle.decide(lean, limits, exact=False).safe:
            pattern, asked = lean, asked & ~done
    kept = pattern.copy()
    for part in parts(oracle, pattern, asked):
        cells, left = part.cells, pattern[part.cells]
        relations = Tied(part.oracle.equations, part.oracle.ends.cell)
        tied = relations.needed(left)
        secondary = np.flatnonzero(left & ~problem.primary[cells])
        for cell in secondary[np.lexsort((secondary, -problem.cost[cells[secondary]]))].tolist():
            if limits.out_of_time():
                break
            if tied[cell] or part.oracle.pool.needed(left)[cell]:
                continue
            left[cell] = False
            if part.oracle.shows_safe(left, limits):
                tied = relations.needed(left)
            else:
                left[cell] = True
        kept[cells] = left
        learn_from(oracle, part, left)
    return kept


def leaner(
    problem: Problem, oracle: Oracle, pattern: NDArray[np.bool_], limits: Limits, seed: int
) -> NDArray[np.bool_]:
    """A cheaper safe pattern within a safe one: each end takes what it needs of it again, first at the cells' costs,
    then with costs disturbed, until that gives nothing several times in a row."""
    best, stalled, draw = pattern, 0, np.random.default_rng(seed)
    price: NDArray[np.float64] = problem.cost.astype(np.float64)
    while stalled < STALLED and not limits.out_of_time():
        found, safe = oracle.narrowed(best, problem.primary, price, limits)
        better = safe and problem.price(found) < problem.price(best)
        best, stalled = (found, 0) if better else (best, stalled + 1)
        price = np.exp(draw.normal(0, DISTURBED, len(price))) * problem.cost.astype(np.float64)
    return best


def tidied(
    problem: Problem,
    oracle: Oracle,
    pattern: NDArray[np.bool_],
    limits: Limits,
    giving_back: GivingBack | None = None,
) -> NDArray[np.bool_]:
    """A cheaper safe pattern, if there is one near a safe one: what is not needed is given back.

    Where the oracle watches for more, everything is given back that what it was asked so far does not need, and what
    turns out to be missing is withheld again: to ask the watch of each cell takes ten times as long.
    """
    if not oracle.watched:
        return clean_up(problem, oracle, pattern, limits, giving_back)
    with oracle.unwatched():
        lean = clean_up(problem, oracle, pattern, limits.share(CLEANED))
    found, _ = completed(problem, oracle, lean, limits)
    return pattern if found is None or problem.price(found) >= problem.price(pattern) else found
