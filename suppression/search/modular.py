"""Sub-table by sub-table from the top down, as in HiTaS (de Wolf 2002), then made safe on the whole.

Hierarchies are cut into simple sub-tables: in each variable one code and the codes directly below it. Each sub-table is
protected by itself, the totals first; linked tables are further sub-tables. A secondary cell of one is sensitive in all
others that hold it, so those are looked at again (backtracking). Sub-tables that are each safe need not be safe
together: that is what the repair on the whole is for.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.bounds.component import Limits
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.in_hand.handed import Handed
from tableseal.suppression.bounds.diving import dive
from tableseal.suppression.bounds.lower_bound import relaxed_choice
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.by_parts import by_parts, without_dear_cells
from tableseal.suppression.search.combining import cheaper
from tableseal.suppression.search.cover import clean_up, leaner, tidied
from tableseal.suppression.search.giving_back import GivingBack
from tableseal.suppression.search.in_hand import InHand
from tableseal.suppression.search.method import Tools, keep_nothing
from tableseal.suppression.search.regions import protect_anew
from tableseal.suppression.search.repair import PROPOSING, at_once, made_safe, remembers, repaired, widened
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.sub_tables import SubTables

TRIES, CELLS = 8, 600_000
"""Proposals at most, and cells in all of them together, from the second on."""

QUESTIONS, CELLS_A_QUESTION = 400, 10
"""Questions of single ends after which nothing more is proposed, or one for so many cells if that is more: a measure of
time that is the same on every machine (two tables of 3,276 cells of which most hangs together: eight proposals take
10 s and 1,200 questions, and the later ones gain 0.5% and nothing; of others eight take 100 to 500)."""

CAUTION = (0.5, 1.5, 0.0)
"""How much dearer a cell seems for each relation of other sub-tables in which it would stand alone, in turn, as long as
prices are what cells cost; then the first of these."""

QUICKLY = 2_000
"""Cells from which boxes come first, so that a pattern is at hand at once."""

SEPARATE, TOGETHER, REGIONS, LEANER = 0.5, 0.5, 0.95, 0.5
"""Shares of the time left, where calls may take long: for blocks and small grids by themselves, for what other ends
need then, for regions protected anew, and for each end to take what it needs again. (34,440 cells: boxes cost 173,498
after 0.6 s, blocks and small grids 45,413 after 14 s, with regions 41,590 after 30 s; calls 42,491 after 60 s.)"""

DIVING, PACE = 0.5, 1e-3
"""Share of the time for a choice of which all blocks are safe by themselves, in place of blocks and small grids, and
seconds for each cell that there have to be for it."""

DEAR = 0.2
"""Share of what is left then, for small grids where boxes move dear cells (241,080 cells, from a cost of 8,791,293:
6,693,138 after 5 s)."""

REROUTED = 0.3
"""Of what is left then, for boxes led around dear cells."""

GUIDED = 20_000
"""Cells from which the first proposal follows a choice that may withhold cells in part (fh3d_big, 66,810 cells, cost
74,330 after 17 s, 73,886 after 20 s, 73,366 after 64 s; without it 74,721 after 10 s, 74,393 after 15 s, 73,861 after
66 s; of 3,276 cells a search takes 2 s, and the choice alone 0.8 s)."""

GUIDING, PULL = 0.3, 0.99
"""Share of the time for that choice; how much cheaper seems what it withholds wholly."""

CALLING = 0.6
"""PROPOSING where calls take long."""

BATCHES, MISSED = 16, 3
"""How often, in a pass over all sub-tables that are protected again, the outcome is made safe on the whole, and how
often in a row that may give nothing (turnover of 11,135 cells: 0.05 s each)."""

NOTHING = Found("unfinished", None, 0, 0)

Pattern = NDArray[np.bool_]

STEPS = 16
"""Parts of a unit of cost that prices tell apart."""

DISTURBED = 0.1
"""Standard deviation of the logarithm of factors on costs after these: what one try does better in one part of the
table and another one in another is put together (turnover of 11,135 cells, five seeds, cost beside that of MOD: -0.2%
to 0.3% after the first try, -0.5% to -0.3% after four, -0.7% to -0.05% after ten)."""

AGAIN, WATCHED = 8, 0.6
"""Where the oracle watches for more: how often is proposed again at most, and the share of the time for that."""

NEAR = 1.03
"""Times the cost of the best pattern up to which a proposal is made safe."""


def modular(problem: Problem, tools: Tools) -> Found:
    """A safe pattern from sub-tables."""
    tables = SubTables(problem, tools)
    if not tables.small or not tools.oracle.watched:
        return best_proposal(problem, tools, tables) if tools.oracle.watched else quick(problem, tools, tables)
    hasty = first_proposal(problem, tools, tables)
    if hasty.pattern is None:
        return hasty
    tools.keep(hasty)
    found = proposed_again(problem, replace(tools, limits=tools.limits.share(WATCHED)))
    found = found if found.pattern is None else repaired(problem, tools, found.pattern)
    return found if found.pattern is not None and found.cost < hasty.cost else hasty


def quick(problem: Problem, tools: Tools, tables: SubTables, share: float = 1.0) -> Found:
    """A safe pattern from sub-tables where nothing is watched for. In large tables boxes come first, so that a pattern
    is at hand at any time; where sub-tables are too large for calls, or for the time that calls take, then blocks and
    small grids, each by itself.

    share: of the time, for all that is done once a first proposal is safe.
    """
    if len(problem.cost) < QUICKLY or not tables.separable:
        return best_proposal(problem, tools, tables, share)
    boxes = InHand(problem, tools.oracle.ends)
    pattern = at_once(problem, tools.oracle, problem.primary, tools.limits, boxes)
    best = _cheapest(tools, boxes.pattern if boxes.complete else pattern, problem, shown=boxes.handed())
    if tables.small and not tables.larger:
        return _cheaper(best, best_proposal(problem, tools, tables, share))
    limits = tools.limits.share(share) if remembers(problem) else tools.limits
    best = _separately(problem, replace(tools, limits=limits), best, blocks=remembers(problem) or not boxes.complete)
    if best.pattern is None or not remembers(problem):
        return best
    pattern = leaner(problem, tools.oracle, best.pattern, limits.share(LEANER), tools.seed)
    best = _cheapest(tools, pattern, problem, best)
    return _cheapest(tools, clean_up(problem, tools.oracle, pattern, limits), problem, best)


def _separately(problem: Problem, tools: Tools, best: Found, *, blocks: bool) -> Found:
    """A safe pattern of what ends need in blocks and small grids, of what others need on the whole, and of boxes, with
    small regions protected anew; or the best so far.

    blocks: False: boxes come first. Where the oracle cannot remember tables, blocks and small grids take longer than
    all ends have, and what regions make of boxes costs less (241,080 cells: in 60 s 6,467,109, with blocks 8,080,352;
    where boxes are led around dear cells for 16 s, 4,929,965 after 123 s, with blocks 4,827,672 after 448 s).
    """
    oracle = tools.oracle
    hand = InHand(problem, oracle.ends)
    hand.offer(oracle.tables(problem.primary))
    inside: Pattern | None = None
    if _dives(problem, oracle, tools.limits):
        inside = dive(problem, tools.engine, tools.limits.share(DIVING))
    if inside is None:
        if blocks:
            by_parts(problem, oracle, hand, tools.limits.share(SEPARATE))
        inside = hand.pattern
    pattern: Pattern | None = inside
    if remembers(problem):
        oracle.learn(hand.tables)
    if len(hand.missing) and remembers(problem):
        pattern = widened(problem, replace(tools, limits=tools.limits.share(TOGETHER)), inside)
        hand.offer(oracle.tables(pattern) if pattern is not None else [])
    elif len(hand.missing):
        pattern = at_once(problem, oracle, inside, tools.limits.share(REROUTED), hand, cheaper=True)
    if not hand.complete:
        return _cheapest(tools, pattern, problem, best, hand.handed())
    best = _cheapest(tools, hand.pattern, problem, best, hand.handed())
    if not blocks:
        without_dear_cells(problem, oracle, hand, tools.limits.share(DEAR))
    if GivingBack.suits(oracle):
        protect_anew(problem, oracle, hand, tools.limits.share(REGIONS))
        if remembers(problem):
            oracle.learn(hand.tables)
    return _cheapest(tools, hand.pattern, problem, best, hand.handed())


def _dives(problem: Problem, oracle: Oracle, limits: Limits) -> bool:
    """Whether a large table begins with a choice of which all blocks are safe by themselves: where all ends ask for as
    much (34,440 farms, 60 s: 39,654, with blocks and small grids 42,784; turnover 42,459,140 after 135 s, with these
    41,468,754 after 76 s)."""
    large = len(problem.cost) >= GUIDED and remembers(problem) and GivingBack.suits(oracle)
    alike = len(np.unique(oracle.ends.distance)) == 1
    return large and alike and limits.seconds_left() >= PACE * len(problem.cost)


def _cheapest(
    tools: Tools, pattern: Pattern | None, problem: Problem, best: Found = NOTHING, shown: Handed | None = None
) -> Found:
    """A safe pattern as an answer, told of if it is cheaper than the best so far; else this one. shown: see `Found`."""
    if pattern is None or (best.pattern is not None and best.cost <= problem.price(pattern)):
        return best
    found = Found("feasible", pattern, problem.price(pattern), 0, shown=shown)
    tools.keep(found)
    return found


def _cheaper(best: Found, found: Found) -> Found:
    """The cheaper one of two answers; what is impossible stands."""
    if found.impossible is not None or best.pattern is None:
        return found
    return best if found.pattern is None or best.cost < found.cost else found


def first_proposal(problem: Problem, tools: Tools, tables: SubTables) -> Found:
    """A safe pattern as soon as there is one, from a single proposal: nothing is tried again, nothing given back. What
    the oracle watches for is looked at once the rest is safe, for which a few small programs do."""
    proposal = tables.proposal(STEPS * problem.cost.astype(np.float64), CAUTION[0], tools.limits)
    with tools.oracle.unwatched():
        found = made_safe(problem, tools, proposal)
    return found if found.pattern is None else made_safe(problem, tools, found.pattern)


def proposed_again(problem: Problem, tools: Tools) -> Found:
    """Where the oracle watches for more: the best proposal against what it was asked, then against that and what this
    pattern does not withstand, and so on: as far as there is time, not known to be safe. Sub-tables choose more
    cheaply than each attacker by itself.
    """
    oracle, keep = tools.oracle, replace(tools, keep=keep_nothing)
    best = NOTHING
    for _ in range(AGAIN):
        posed = replace(problem, requirements=oracle.requirements)
        with oracle.unwatched():
            found = best_proposal(posed, keep, SubTables(posed, keep))
        if found.pattern is None:
            return found if best.pattern is None else best
        best = found
        if tools.limits.out_of_time() or oracle.decide(found.pattern, tools.limits, exact=False).safe:
            break
    return best


def best_proposal(problem: Problem, tools: Tools, tables: SubTables, share: float = 1.0) -> Found:
    """The best of several proposals of sub-tables, each made safe on the whole, in every part of the table.

    share: of the time, for all that is done once the first one is safe.
    """
    oracle, draw = tools.oracle, np.random.default_rng(tools.seed)
    better = replace(tools, limits=tools.limits.share(share))
    hasty, seen = tables.small and not tables.larger, set[bytes]()
    back, plain = GivingBack(problem, oracle), GivingBack.suits(oracle)
    most = oracle.questions + max(QUESTIONS, len(problem.cost) // CELLS_A_QUESTION)
    best = NOTHING
    tries = max(1, min(TRIES, CELLS // max(1, len(problem.cost)))) if tables.small else 1  # others take too long

    def enough() -> bool:
        return better.limits.out_of_time() or (plain and oracle.questions > most)

    guide = _guide(problem, tools) if plain and len(problem.cost) >= GUIDED else None
    for caution, weight in islice(_prices(len(problem.cost), guide, draw), tries):
        if best.pattern is not None and enough():
            break
        first = tools.limits if hasty else tools.limits.share(CALLING if tables.small else PROPOSING)
        limits = first if best.pattern is None else better.limits
        proposal = tables.proposal(STEPS * weight * problem.cost, caution, limits)
        dear = best.pattern is not None and problem.price(proposal) > NEAR * best.cost
        if proposal.tobytes() in seen or dear:
            continue
        seen.add(proposal.tobytes())
        if plain:
            back.show(proposal)
        found = _better(problem, tools if best.pattern is None else better, best, proposal, better.limits, back)
        if found.pattern is None:
            return found
        best = found
    if plain and hasty and best.pattern is not None:
        missed = 0
        for some in tables.batches(BATCHES):
            if missed == MISSED or enough():
                break
            proposal = tables.again(best.pattern, some, STEPS * problem.cost.astype(np.float64), CAUTION[0])
            if problem.price(proposal) < best.cost:
                before, best = best, _better(problem, better, best, proposal, better.limits, back)
                assert best.pattern is not None
                missed = missed + 1 if best is before else 0
    return best


def _guide(problem: Problem, tools: Tools) -> NDArray[np.float64] | None:
    """float64 (cells): factors on costs, smaller for what a cheapest choice withholds that may withhold cells in part;
    None: there was no time for one."""
    choice = relaxed_choice(problem, tools.engine, tools.limits.share(GUIDING))
    return None if choice is None else 1 - PULL * choice


def _prices(
    cells: int, guide: NDArray[np.float64] | None, draw: np.random.Generator
) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """(caution, float64 (cells): factors on costs) of one proposal after another."""
    if guide is not None:
        yield CAUTION[0], guide
    for caution in CAUTION:
        yield caution, np.ones(cells)
    while True:
        yield CAUTION[0], np.exp(draw.normal(0, DISTURBED, cells))


def _better(problem: Problem, tools: Tools, best: Found, proposal: Pattern, tidying: Limits, back: GivingBack) -> Found:
    """The best of an answer and of a proposal, made safe and tidied, in every part of the table; what is better is
    told. best: without a pattern where there is none yet; then the answer may be that nothing is. tidying: for all but
    making it safe."""
    found = made_safe(problem, tools if best.pattern is None else replace(tools, keep=keep_nothing), proposal)
    if found.pattern is None:
        return found if best.pattern is None else best
    if best.pattern is None:
        tools.keep(found)
    pattern = tidied(problem, tools.oracle, found.pattern, tidying, back)
    if best.pattern is not None:
        pattern = cheaper(problem, tools.oracle, best.pattern, pattern, tidying)
    return _cheapest(tools, pattern, problem, best)
