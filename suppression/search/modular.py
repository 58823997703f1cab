"""Sub-table by sub-table from the top down, as in HiTaS (de Wolf 2002), then made safe on the whole.

Hierarchies are cut into simple sub-tables: in each variable one code and the codes directly below it. Each sub-table is
protected by itself, the totals first; linked tables are further sub-tables. A secondary cell of one is sensitive in all
others that hold it, so those are looked at again (backtracking). Sub-tables that are each safe need not be safe
together: that is what the repair on the whole is for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.attackers.requirement import Requirement
from tableseal.audit.bounds.plan import deciding
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.oracle import Oracle
from tableseal.audit.model import Hierarchy
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.elimination import elimination
from tableseal.suppression.search.heuristic import heuristic
from tableseal.suppression.search.kernels.protecting import protect
from tableseal.suppression.search.method import Search, Tools, keep_nothing
from tableseal.suppression.search.repair import PROPOSING, repaired
from tableseal.suppression.search.result import Found
from tableseal.suppression.search.small_table import is_small, withheld_besides


@dataclass(frozen=True)
class SubTable:
    """cells: int64, positions; depth: of its total codes together, 0 at the top; rows: int64, relations inside it."""

    cells: NDArray[np.int64]
    depth: int
    rows: NDArray[np.int64]


def modular(problem: Problem, tools: Tools) -> Found:
    """A safe pattern from sub-tables."""
    parts = sub_tables(problem)
    holding: dict[int, list[int]] = {}
    for number, part in enumerate(parts):
        for cell in part.cells.tolist():
            holding.setdefault(cell, []).append(number)
    pattern = problem.primary.copy()
    waiting = sorted({number for c in np.flatnonzero(pattern).tolist() for number in holding.get(c, ())})
    heapify(waiting)
    queued = set(waiting)
    limits = tools.limits.share(PROPOSING)
    run = Runner(worth_compiling(sum(len(part.rows) * len(part.cells) for part in parts), protect))
    while waiting and not limits.out_of_time():
        number = heappop(waiting)
        queued.discard(number)
        for cell in _protected(problem, tools, run, parts[number], pattern):
            pattern[cell] = True
            for other in holding[cell]:
                if other != number and other not in queued:
                    queued.add(other)
                    heappush(waiting, other)
    return repaired(problem, tools, pattern)


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


def _protected(problem: Problem, tools: Tools, run: Runner, part: SubTable, pattern: NDArray[np.bool_]) -> list[int]:
    """Cells to withhold besides so that a sub-table is safe by itself; none where it cannot be."""
    inside = np.zeros(len(pattern), np.bool_)
    inside[part.cells] = True
    if not (pattern & inside).any():
        return []
    own = {need.cell for need in problem.requirements if inside[need.cell]}
    spared = problem.primary & ~problem.asked
    carried = [Requirement(c) for c in part.cells[(pattern & ~spared)[part.cells]].tolist() if c not in own]
    needs = tuple(replace(need, sure=True) for need in problem.requirements if inside[need.cell]) + tuple(carried)
    if is_small(len(part.rows), len(part.cells)):
        found_small = withheld_besides(problem, part.cells, part.rows, pattern, needs, run)
        return [] if found_small is None else found_small.tolist()
    equations = problem.equations
    matrix = csr_array(equations.short[part.rows])
    zero = np.zeros(len(part.rows), np.int64)
    local = replace(
        equations, matrix=matrix, by_column=csr_array(matrix.T.tocsr()), short=matrix, lower=zero, upper=zero
    )
    small = replace(problem, equations=local, primary=pattern, may=problem.may & inside & ~pattern, requirements=needs)
    oracle = Oracle(local, needs, deciding(tools.engine), tools.engine)
    own_tools = replace(tools, oracle=oracle, keep=keep_nothing)
    methods: tuple[Search, ...] = (heuristic, elimination)
    found = [f for f in (method(small, own_tools) for method in methods) if f.pattern is not None]
    best = min(found, key=lambda f: f.cost, default=None)
    return [] if best is None or best.pattern is None else np.flatnonzero(best.pattern & ~pattern).tolist()
