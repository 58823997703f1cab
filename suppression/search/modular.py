"""Sub-table by sub-table from the top down, as in HiTaS (de Wolf 2002), then made safe on the whole.

Hierarchies are cut into simple sub-tables: in each variable one code and the codes directly below it. Each sub-table is
protected by itself, the totals first; linked tables are further sub-tables. A secondary cell of one is sensitive in all
others that hold it, so those are looked at again (backtracking). Sub-tables that are each safe need not be safe
together: that is what the repair on the whole is for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.component import Limits
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.equations import stored
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Hierarchy
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.by_parts import by_parts
from tableseal.suppression.search.combining import cheaper
from tableseal.suppression.search.cover import clean_up, leaner
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.kernels.protecting import protect
from tableseal.suppression.search.method import Search, Tools, keep_nothing
from tableseal.suppression.search.repair import PROPOSING, at_once, made_safe, remembers, repaired, widened
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.small_table import LARGER, LARGEST, SmallTable, is_small

TRIES, CELLS = 8, 200_000
"""Proposals at most, and cells in all of them together, from the second on."""

CAUTION = (0.5, 1.5, 0.0)
"""How much dearer a cell seems for each relation of other sub-tables in which it would stand alone, in turn, as long as
prices are what cells cost; then the first of these."""

MANY = 8
"""Sub-tables from which on larger ones are protected in one call, too."""

QUICKLY = 2_000
"""Cells from which boxes come first, so that a pattern is at hand at once."""

SEPARATE, TOGETHER, LEANER = 0.5, 0.5, 0.5
"""Shares of the time left, where sub-tables are too large for calls: for blocks and small grids by themselves, for what
other ends need then, and for each end to take what it needs again. (34,440 cells: boxes cost 173,498 after 0.1 s;
blocks and small grids 48,364 after 21 s, clean 45,098 after 41 s; calls, which that table has instead, 41,665 after
58 s, and 51,527 after 45 s if blocks and grids complete what they propose.)"""

ALL = 0.9
"""SEPARATE where the oracle cannot remember tables: what is left is for boxes alone."""

CALLING = 0.6
"""PROPOSING where calls take long."""

NOTHING = Found("unfinished", None, 0, 0)

Pattern = NDArray[np.bool_]

LARGE: tuple[Search, ...] = (heuristic, elimination)
"""What sub-tables are protected with that are not small."""

STEPS = 16
"""Parts of a unit of cost that prices tell apart."""

DEAREST = 2.0**50
"""Prices beyond are no longer told apart."""

DISTURBED = 0.1
"""Standard deviation of the logarithm of factors on costs after these: what one try does better in one part of the
table and another one in another is put together (turnover of 11,135 cells, five seeds, cost beside that of MOD: -0.2%
to 0.3% after the first try, -0.5% to -0.3% after four, -0.7% to -0.05% after ten)."""

AGAIN, WATCHED = 8, 0.6
"""Where the oracle watches for more: how often is proposed again at most, and the share of the time for that."""

NEAR = 1.03
"""Times the cost of the best pattern up to which a proposal is made safe."""


@dataclass(frozen=True)
class SubTable:
    """cells: int64, positions; depth: of its total codes together, 0 at the top; rows: int64, relations inside it."""

    cells: NDArray[np.int64]
    depth: int
    rows: NDArray[np.int64]


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


def quick(problem: Problem, tools: Tools, tables: "SubTables", share: float = 1.0) -> Found:
    """A safe pattern from sub-tables where nothing is watched for. In large tables boxes come first, so that a pattern
    is at hand at any time; where sub-tables are too large for calls, then blocks and small grids, each by itself.

    share: of the time, for all that is done once a first proposal is safe.
    """
    if len(problem.cost) < QUICKLY or not tables.separable:
        return best_proposal(problem, tools, tables, share)
    best = _cheapest(tools, at_once(problem, tools.oracle, problem.primary), problem)
    if tables.small:
        return _cheaper(best, best_proposal(problem, tools, tables, share))
    best = _cheapest(tools, _separately(problem, tools), problem, best)
    if best.pattern is None or not remembers(problem):
        return best
    limits = tools.limits.share(share)
    pattern = leaner(problem, tools.oracle, best.pattern, limits.share(LEANER), tools.seed)
    best = _cheapest(tools, pattern, problem, best)
    return _cheapest(tools, clean_up(problem, tools.oracle, pattern, limits), problem, best)


def _separately(problem: Problem, tools: Tools) -> Pattern | None:
    """A safe pattern of what ends need in blocks and small grids, of what others need on the whole, and of boxes."""
    oracle, whole = tools.oracle, remembers(problem)
    limits = tools.limits.share(SEPARATE if whole else ALL)
    inside, met = by_parts(problem, oracle, problem.primary, limits, remember=whole)
    if not whole:
        return at_once(problem, oracle, inside, met, tools.limits)
    return widened(problem, replace(tools, limits=tools.limits.share(TOGETHER)), inside)


def _cheapest(tools: Tools, pattern: Pattern | None, problem: Problem, best: Found = NOTHING) -> Found:
    """A safe pattern as an answer, told of if it is cheaper than the best so far; else this one."""
    if pattern is None or (best.pattern is not None and best.cost <= problem.price(pattern)):
        return best
    found = Found("feasible", pattern, problem.price(pattern), 0)
    tools.keep(found)
    return found


def _cheaper(best: Found, found: Found) -> Found:
    """The cheaper one of two answers; what is impossible stands."""
    if found.impossible is not None or best.pattern is None:
        return found
    return best if found.pattern is None or best.cost < found.cost else found


def first_proposal(problem: Problem, tools: Tools, tables: "SubTables") -> Found:
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
    best = Found("unfinished", None, 0, 0)
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


def best_proposal(problem: Problem, tools: Tools, tables: "SubTables", share: float = 1.0) -> Found:
    """The best of several proposals of sub-tables, each made safe on the whole, in every part of the table.

    share: of the time, for all that is done once the first one is safe.
    """
    draw, better = np.random.default_rng(tools.seed), replace(tools, limits=tools.limits.share(share))
    hasty, seen = tables.small and not tables.larger, set[bytes]()
    best: Found | None = None
    tries = max(1, min(TRIES, CELLS // max(1, len(problem.cost)))) if tables.small else 1  # others take too long
    for number in range(tries):
        if best is not None and better.limits.out_of_time():
            break
        caution, weight = CAUTION[0], np.ones(len(problem.cost))
        if number < len(CAUTION):
            caution = CAUTION[number]
        else:
            weight = np.exp(draw.normal(0, DISTURBED, len(weight)))
        first = tools.limits if hasty else tools.limits.share(CALLING if tables.small else PROPOSING)
        limits = first if best is None else better.limits
        proposal = tables.proposal(STEPS * weight * problem.cost, caution, limits)
        if proposal.tobytes() in seen or (best is not None and problem.price(proposal) > NEAR * best.cost):
            continue
        seen.add(proposal.tobytes())
        own_tools = tools if best is None else replace(better, keep=keep_nothing)
        found = repaired(problem, own_tools, proposal, better.limits)
        if found.pattern is None:
            return found if best is None else best
        if best is None or best.pattern is None:
            best = found
            tools.keep(best)
            continue
        pattern = cheaper(problem, tools.oracle, best.pattern, found.pattern, better.limits)
        if problem.price(pattern) < best.cost:
            best = Found("feasible", pattern, problem.price(pattern), 0)
            tools.keep(best)
    assert best is not None  # the first try comes to an end
    return best


@dataclass(frozen=True)
class _Frame:
    """What is known of a sub-table whatever the pattern and the prices.

    which, relation: int64 (pairs), a cell by its place in the sub-table, and a relation of another one that holds it.
    needs: what is required of its cells. small: the sub-table for one call; None where it is too large.
    """

    which: NDArray[np.int64]
    relation: NDArray[np.int64]
    needs: list[Requirement]
    small: SmallTable | None


class SubTables:
    """The sub-tables of a problem, which propose patterns."""

    def __init__(self, problem: Problem, tools: Tools) -> None:
        self._problem, self._tools = problem, tools
        self._parts = sub_tables(problem)
        self._needs: dict[int, list[Requirement]] = {}
        for need in problem.requirements:
            self._needs.setdefault(need.cell, []).append(need)
        self._spared = problem.primary & ~problem.asked
        self._holding: dict[int, list[int]] = {}
        for number, part in enumerate(self._parts):
            for cell in part.cells.tolist():
                self._holding.setdefault(cell, []).append(number)
        entries = sum(len(part.rows) * len(part.cells) for part in self._parts)
        self._run = Runner(worth_compiling(entries, protect))
        short = problem.equations.short
        self._relations = csr_array(abs(short[:, : len(problem.cost)].sign()))
        self._of_cell = csr_array(self._relations.T.tocsr())
        self._frames: dict[int, _Frame] = {}

    @property
    def small(self) -> bool:
        """Whether each is small enough to be protected in one call."""
        return all(self._fits(part) for part in self._parts)

    @property
    def larger(self) -> bool:
        """Whether such a call may take seconds."""
        return not all(is_small(len(part.rows), len(part.cells)) for part in self._parts)

    @property
    def separable(self) -> bool:
        """Whether there are many, and nothing but cells hangs together in them."""
        return len(self._parts) >= MANY and not self._problem.equations.always_open.any()

    def _fits(self, part: SubTable) -> bool:
        """Whether a sub-table is small enough to be protected in one call."""
        largest = LARGER if len(self._parts) >= MANY else LARGEST
        return is_small(len(part.rows), len(part.cells), largest=largest)

    def proposal(self, price: NDArray[np.float64], caution: float, limits: Limits) -> NDArray[np.bool_]:
        """A pattern (bool, cells) of which each sub-table is safe by itself, as far as there was time.

        price: float64 (cells), what a cell seems to cost; besides it costs so often `caution` times as much again as it
        stands alone in relations of other sub-tables, because there more will have to be withheld beside it.
        """
        pattern = self._problem.primary.copy()
        withheld = self._relations @ pattern.astype(np.int64)
        waiting = sorted({number for c in np.flatnonzero(pattern).tolist() for number in self._holding.get(c, ())})
        queued = set(waiting)
        while waiting and not limits.out_of_time():
            number = heappop(waiting)
            queued.discard(number)
            part, frame = self._parts[number], self._frame(number)
            lonely = withheld[frame.relation] == 0
            alone = np.bincount(frame.which, lonely, len(part.cells))
            dear = np.rint(np.minimum(price[part.cells] * (1 + caution * alone), DEAREST))
            for cell in self._protected(part, frame, pattern, dear):
                pattern[cell] = True
                withheld[self._of_cell.indices[self._of_cell.indptr[cell] : self._of_cell.indptr[cell + 1]]] += 1
                for other in self._holding[cell]:
                    if other != number and other not in queued:
                        queued.add(other)
                        heappush(waiting, other)
        return pattern

    def _frame(self, number: int) -> "_Frame":
        """What is known of a sub-table whatever the pattern and the prices."""
        frame = self._frames.get(number)
        if frame is None:
            part = self._parts[number]
            which, relation, _ = stored(self._of_cell, part.cells)
            outside = ~np.isin(relation, part.rows)
            needs = [replace(need, sure=True) for c in part.cells.tolist() for need in self._needs.get(c, ())]
            small = None
            if self._fits(part):
                extra = [c for c in part.cells[~self._spared[part.cells]].tolist() if c not in self._needs]
                small = SmallTable(self._problem, part.cells, part.rows, needs, extra)
            frame = self._frames[number] = _Frame(which[outside], relation[outside], needs, small)
        return frame

    def _protected(
        self, part: SubTable, frame: "_Frame", pattern: NDArray[np.bool_], price: NDArray[np.float64]
    ) -> list[int]:
        """Cells to withhold besides so that a sub-table is safe by itself; none where it cannot be.

        price: float64 (cells of the sub-table).
        """
        if frame.small is not None:
            besides = frame.small.withheld_besides(pattern, price, self._run)
            return [] if besides is None else besides.tolist()
        withheld = part.cells[pattern[part.cells]]
        extra = withheld[~self._spared[withheld]].tolist()
        needs = frame.needs + [Requirement(c) for c in extra if c not in self._needs]
        if not needs:
            return []
        cost = np.zeros(len(pattern), np.int64)
        cost[part.cells] = price.astype(np.int64)
        problem = replace(self._problem, cost=cost)
        inside = np.zeros(len(pattern), np.bool_)
        inside[part.cells] = True
        equations, engine = problem.equations, self._tools.engine
        matrix = csr_array(equations.short[part.rows])
        zero = np.zeros(len(part.rows), np.int64)
        local = replace(
            equations, matrix=matrix, by_column=csr_array(matrix.T.tocsr()), short=matrix, lower=zero, upper=zero
        )
        small = replace(
            problem, equations=local, primary=pattern, may=problem.may & inside & ~pattern, requirements=tuple(needs)
        )
        oracle = Oracle(local, needs, deciding(engine), engine)
        own_tools = replace(self._tools, oracle=oracle, keep=keep_nothing)
        found = [f for method in LARGE for f in (method(small, own_tools),) if f.pattern is not None]
        best = min(found, key=lambda f: f.cost, default=None)
        return [] if best is None or best.pattern is None else np.flatnonzero(best.pattern & ~pattern).tolist()


def sub_tables(problem: Problem) -> list[SubTable]:
    """All simple sub-tables that hold a relation, from the top down; of equal depth in the order of the tables."""
    cells, release = problem.cells, problem.release
    short = problem.equations.short
    length = np.diff(short.indptr)
    by_column = csr_array(short.T.tocsr())
    found = []
    for table in release.tables:
        measure = list(release.measures).index(table.measure)
        axes = [
            list(_groups(hierarchy, np.unique(table.codes[:, v])))
            for v, hierarchy in enumerate(release.variables.values())
        ]
        masks = [[np.isin(cells.codes[:, v], codes) for codes, _ in axis] for v, axis in enumerate(axes)]
        depths = [[depth for _, depth in axis] for axis in axes]
        for choice in product(*(range(len(axis)) for axis in axes)):
            inside = cells.measure == measure
            for mask, k in zip(masks, choice, strict=True):
                inside = inside & mask[k]
            members = np.flatnonzero(inside)
            if len(members) == 0:
                continue
            rows, held = np.unique(by_column[members].indices, return_counts=True)
            rows = rows[held == length[rows]].astype(np.int64)
            if len(rows):
                found.append(SubTable(members, sum(d[k] for d, k in zip(depths, choice, strict=True)), rows))
    return sorted(found, key=lambda part: part.depth)


def _groups(hierarchy: Hierarchy, codes: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int64], int]]:
    """(a code with those directly below it, its depth) for each code that a table breaks down, in any grouping; the one
    code alone where it breaks down none."""
    if len(codes) == 1:
        yield codes.astype(np.int64), 0
        return
    seen: set[tuple[int, ...]] = set()
    for parent in hierarchy.parents:
        children: dict[int, list[int]] = {}
        for code, above in enumerate(parent.tolist()):
            if code != hierarchy.total_index:
                children.setdefault(above, []).append(code)
        for above, below in sorted(children.items()):
            group = tuple(([above] if above >= 0 else []) + below)
            if group not in seen and np.isin(group, codes).sum() > 1:
                seen.add(group)
                yield np.array(group, dtype=np.int64), _depth(parent.tolist(), above)


def _depth(parent: list[int], code: int) -> int:
    steps = 0
    while code >= 0:
        code = parent[code]
        steps += 1
    return max(0, steps - 1)
