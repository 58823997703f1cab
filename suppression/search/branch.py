"""The cheapest safe pattern, proven: cutting planes after Fischetti & Salazar (2001).

A master problem chooses a pattern; attackers answer with tables (safe) or with cuts that every safe pattern satisfies.
First against fractional patterns, which is where most cuts are found; then against whole ones, each of which is also
completed by the heuristic, so that a safe pattern is always at hand.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.cover import PATIENCE, clean_up, completed, cover, leaner, tidied
from tableseal.suppression.search.method import Tools
from tableseal.suppression.search.planes import Planes
from tableseal.suppression.search.relaxation import THRESHOLDS, around, relax, round_off
from tableseal.suppression.search.result import Found

AIM = 0.3
"""Share of the gap between the best pattern and the bound that a master problem may leave open, while it is large."""

REACH = 0.01
"""Share of that gap up to which the reduced cost of a cell counts as small (fh3d_mid: a master of 913 of 2,588 cells
takes 3 s instead of 16, and costs the same)."""

NEAR_AIM = 0.05
"""AIM for masters of such cells: they are quick, and loose answers make dear patterns."""

EXACT = 5e-4
"""Gap of a master problem below which it is solved to its end."""

SHARE = 0.4
"""Of the time left that one master problem may take."""

OUTSIDERS = 0.2
RELAXED = 0.2
"""Shares of the time left, where there are insiders: for what outsiders say, the first relaxation."""

GAIN = 0.01
"""Share by which the bound must have risen for the relaxation to be rounded again."""

AFTERWARDS = 4
"""Rounds of the relaxation after a whole pattern."""


LEAN = 0.3
"""Share of the time left for making a first pattern leaner."""

ROOT = 0.3
"""Share of the time for the first relaxation and what is found around it."""


FEW, TURN = 10, 4
"""Where there are insiders: how many cuts a whole pattern may break to be made safe, and how many that break more are
passed over before one is made safe all the same (f3d_10: 1 s for the next one, 4 s for a safe pattern)."""

APART = 0.4
"""Share of the time left, where there are insiders, for whole patterns of which only relations are asked."""

NEARBY = 0.5
"""Share of the time left, where there are insiders, for whole patterns of few cells: these prove nothing."""


def nothing_more(planes: Planes, limits: Limits) -> None:
    """For searches that have no other ways to patterns."""


Proposed = Callable[[Problem, Tools], Found | None]
"""A pattern that withstands what the oracle was asked, and mostly what it watches for; None: there is no quick way to
one."""


def no_proposal(problem: Problem, tools: Tools) -> None:
    """For searches that begin with broken cuts."""


def cheapest(
    problem: Problem,
    tools: Tools,
    further: Callable[[Planes, Limits], None] = nothing_more,
    proposed: Proposed = no_proposal,
) -> Found:
    """The cheapest safe pattern, or the best one at the time limit with the gap.

    further: looks for better patterns in other ways, before whole patterns of the master are looked at. proposed: what
    to begin with, if not what broken cuts add up to.
    """
    limits = tools.limits
    planes = Planes(problem, tools, lifting=True)
    begun = _begun(planes, proposed, limits)
    pattern = begun.pattern
    if pattern is None:
        return replace(begun, bound=planes.bound)
    planes.improve(pattern)
    if tools.oracle.watched:
        relax(planes, limits.share(RELAXED))
        planes.improve(tidied(problem, tools.oracle, pattern, limits))
    relax(planes, limits.share(ROOT))
    _rounded(planes, limits.share(ROOT))
    if planes.bound < planes.cost:
        further(planes, limits)
    _near(planes, limits.share(NEARBY) if tools.oracle.watched else limits)
    _whole(planes, limits)
    if planes.bound < planes.cost and tools.oracle.unsure:
        planes.assume()
        _near(planes, limits)
        _whole(planes, limits)
    return planes.found()


def first_pattern(
    problem: Problem, tools: Tools, start: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_] | None, Requirement | None]:
    """(a safe pattern around `start`, a requirement that nothing allowed meets); of a table that takes more than a few
    rounds of cuts a leaner one, because what is found there in a hurry is far too dear."""
    oracle, limits = tools.oracle, tools.limits
    if oracle.watched:
        return completed(problem, oracle, start, limits)
    pattern, impossible = cover(problem, oracle, start, limits, most=PATIENCE)
    if pattern is not None or impossible is not None:
        return pattern, impossible
    pattern, impossible = cover(problem, oracle, start, limits)
    if pattern is not None:
        tools.keep(Found("feasible", pattern, problem.price(pattern), 0))
        pattern = leaner(problem, oracle, pattern, limits.share(LEAN), tools.seed)
    return pattern, impossible


def _begun(planes: Planes, proposed: Proposed, limits: Limits) -> Found:
    """A safe pattern to begin with. Where there is a watch, what is proposed is completed at once, so that a pattern is
    at hand early (which what proposes may keep before); then one near what outsiders alone ask for."""
    problem, tools = planes.problem, planes.tools
    if not tools.oracle.watched:
        found = proposed(problem, tools)
        if found is not None and (found.pattern is not None or found.impossible is not None):
            return found
        begun = problem.primary if found is None or found.start is None else found.start
        return _first_found(first_pattern(problem, tools, begun), begun)
    found = proposed(problem, replace(tools, keep=planes.take_over))
    start = None if found is None else found.start if found.pattern is None else found.pattern
    if start is not None:
        pattern, impossible = first_pattern(problem, tools, start)
        if pattern is not None:
            planes.improve(pattern)
        if impossible is not None or limits.out_of_time():
            return _first_found((planes.best, impossible), start)
    near = _against_outsiders(planes, limits.share(OUTSIDERS))
    if tools.oracle.large(near, all_parts=True):  # to look for tables takes long, so that few patterns can be shown
        near = _apart(planes, near, limits.share(APART))
    pattern, impossible = first_pattern(problem, tools, near)
    if pattern is not None:
        planes.improve(pattern)
    return _first_found((planes.best, impossible), near)


def _first_found(
    first: tuple[NDArray[np.bool_] | None, Requirement | None], start: NDArray[np.bool_] | None = None
) -> Found:
    """What `first_pattern` gives; start: where it began, to go on from if it gives nothing."""
    pattern, impossible = first
    if impossible is not None:
        return Found("infeasible", None, 0, 0, impossible)
    return Found("unfinished" if pattern is None else "feasible", pattern, 0, 0, start=start)


def _against_outsiders(planes: Planes, limits: Limits) -> NDArray[np.bool_]:
    """The bound that outsiders alone give, which holds against more attackers, too; a pattern that withstands them,
    near the relaxation."""
    problem, oracle = planes.problem, planes.tools.oracle
    with oracle.unwatched():
        cover(problem, oracle, problem.primary, limits)
        relax(planes, limits)
        start, price = around(planes, min(THRESHOLDS))
        pattern, _ = cover(problem, oracle, start, limits, price)
        return start if pattern is None else clean_up(problem, oracle, pattern, limits)


def _apart(planes: Planes, pattern: NDArray[np.bool_], limits: Limits) -> NDArray[np.bool_]:
    """A pattern of which relations alone tell attackers nothing, near the cheapest one of all that meet the cuts which
    these make: no table is looked for, so that each takes little more than its master."""
    problem, oracle = planes.problem, planes.tools.oracle
    within, price, best = problem.primary | problem.may, problem.cost.astype(np.float64), pattern
    while not limits.out_of_time():
        wider = oracle.let_go(pattern, within, price, limits)
        planes.take()
        if best is pattern or problem.price(wider) < problem.price(best):
            best = wider
        if np.array_equal(wider, pattern) or not planes.relax_lifted(limits):
            break
        chosen = planes.choose(SHARE * limits.seconds_left(), NEAR_AIM / 2)
        planes.raise_bound(chosen.bound)
        planes.tools.progress("search", planes.bound, planes.cost)
        if chosen.pattern is None:
            break
        pattern = planes.pattern(chosen.pattern)
    return best


def _rounded(planes: Planes, limits: Limits) -> None:
    """Safe patterns around the relaxation. Where there is a watch they show what else it knows, which raises the bound
    again: as long as it does."""
    bound = -1.0
    while planes.bound > bound * (1 + GAIN):
        bound = planes.bound
        round_off(planes, limits)
        if planes.tools.oracle.watched:
            relax(planes, limits)


def _near(planes: Planes, limits: Limits) -> None:
    """Whole patterns of the best one's cells and of those that the relaxation nearly withholds, until one is safe.

    Such a master takes a fraction of the time, and shows most of what is wrong with whole patterns.
    """
    while planes.bound < planes.cost * (1 - EXACT) and not limits.out_of_time():
        gap = planes.cost - planes.bound
        chosen = planes.choose(min(SHARE * limits.seconds_left(), 10.0**6), NEAR_AIM * gap / planes.cost, REACH * gap)
        if chosen.pattern is None or planes.master.price(chosen.pattern) >= planes.cost:
            return
        settled = _answer(planes, planes.pattern(chosen.pattern), limits)
        planes.tools.progress("search", planes.bound, planes.cost)
        if settled:
            return


def _whole(planes: Planes, limits: Limits) -> None:
    """Whole patterns of the master until one is safe or nothing better is left."""
    stuck, share = False, SHARE
    while planes.bound < planes.cost and not limits.out_of_time():
        before = planes.bound, planes.cost
        aim = AIM * (planes.cost - planes.bound) / planes.cost
        exact = stuck or aim <= EXACT
        chosen = planes.choose(min(share * limits.seconds_left(), 10.0**6), 0.0 if exact else aim)
        planes.raise_bound(planes.cost if chosen.infeasible else chosen.bound)
        planes.tools.progress("search", planes.bound, planes.cost)
        if planes.bound >= planes.cost:
            return
        if chosen.pattern is None:
            if share == 1.0:
                return
            # The master was too hard for its share of the time: more cuts make it easier, and it gets all that is left.
            relax(planes, limits)
            share = 1.0
            continue
        settled = _answer(planes, planes.pattern(chosen.pattern), limits)
        if settled and exact:
            return
        stuck = settled and before == (planes.bound, planes.cost)
        planes.tools.progress("search", planes.bound, planes.cost)


def _answer(planes: Planes, pattern: NDArray[np.bool_], limits: Limits) -> bool:
    """Whether a pattern of the master is safe, or nothing more can be learnt of it; otherwise cuts against it, and a
    safe pattern made from it."""
    oracle = planes.tools.oracle
    held = planes.held(pattern)
    with oracle.unwatched() if held else nullcontext():
        decision = oracle.decide(pattern, limits, exact=False)
    if held:
        problem = planes.problem
        within, price = problem.primary | problem.may, problem.cost.astype(np.float64)
        pattern = oracle.let_go(pattern, within, price, limits)
        planes.take()
    far = held + np.count_nonzero(decision.failing) > FEW
    planes.passed_over = planes.passed_over + 1 if oracle.watched and far else 0
    if planes.passed_over % TURN:
        planes.take()
        relax(planes, limits, 1)
        return False
    if decision.safe and not held:
        planes.improve(pattern)
        return True
    added = held + planes.take() + planes.separate(pattern.astype(np.float64), limits)
    if not added:
        decision = oracle.decide(pattern, limits)
        if decision.safe:
            planes.improve(pattern)
            return True
        added = planes.take()
    found, _ = completed(planes.problem, oracle, pattern, limits)
    if found is not None:
        planes.improve(found)
        planes.improve(tidied(planes.problem, oracle, found, limits))
    relax(planes, limits, AFTERWARDS)
    return added == 0
