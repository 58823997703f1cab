"""What no safe pattern costs less than: cuts of every block by itself, in one linear program; then integer programs of
blocks, among which the cost of each cell is shared out by what that program pays for it (Lagrangean decomposition).

Against outsiders alone: whoever knows more only asks for more.
"""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.bounds.block_cuts import BlockCuts, outsiders
from tableseal.suppression.bounds.blocks import blocks
from tableseal.suppression.bounds.covering import Covering, Solved, proved
from tableseal.suppression.bounds.whole_blocks import in_whole_blocks
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.shortfalls import shortfalls
from tableseal.suppression.search.master import Row
from tableseal.suppression.search.relations import Lonely

ROUNDS = 60
"""Of cuts, at most."""

BROKEN = 1e-3
"""By how much a cut has to be broken."""

RELAXED = 0.7
"""Share of the time for the linear program, where that is short."""

Floats = NDArray[np.float64]


def lower_bound(problem: Problem, solver: Solver, limits: Limits, cost: int | None = None) -> int:
    """What the secondary cells of no safe pattern cost less than, in steps of the scale; 0 where nothing is proved.

    cost: of a safe pattern: it is not gone beyond that.
    """
    found = 0
    for bound in rising(problem, solver, limits):
        found = max(found, bound)
        if cost is not None and found >= cost:
            return cost
    return found


def rising(problem: Problem, solver: Solver, limits: Limits) -> Iterator[int]:
    """One bound after another, as they are proved."""
    candidates = np.flatnonzero(problem.may & ~problem.primary)
    if len(candidates) == 0 or not problem.requirements or (problem.cost[candidates] < 0).any():
        return
    cutting, program = _Cutting(problem, candidates), Covering(problem.cost[candidates].astype(np.float64), solver)
    program.add(cutting.alone())
    solved = _relaxed(cutting, program, limits.share(RELAXED))
    if solved is None:
        return
    yield _whole_steps(proved(program.matrix, program.right, program.cost, solved.multiplier))
    for bound in in_whole_blocks(cutting.members, program, solved, solver, limits):
        yield _whole_steps(bound)


def _whole_steps(bound: float) -> int:
    """Costs are whole steps."""
    return max(0, ceil(bound))


def _relaxed(cutting: "_Cutting", program: Covering, limits: Limits) -> Solved | None:
    """The linear program with the cuts that it breaks, until there are no more or the time is over; None: no pattern
    keeps them, or there was not even time for the first ones."""
    best: Solved | None = None
    for _ in range(ROUNDS):
        solved = program.solve(limits.seconds_left())
        if solved is None:
            return best if limits.out_of_time() else None
        best = solved
        if limits.out_of_time() or not program.add(cutting.broken(solved.share, limits)):
            return best
        # Rows that came in since have no multipliers yet.
        best = Solved(solved.share, np.append(solved.multiplier, np.zeros(len(program.right) - len(solved.multiplier))))
    return best


class _Cutting:
    """All blocks of a problem, and its single relations."""

    def __init__(self, problem: Problem, candidates: NDArray[np.int64]) -> None:
        equations = problem.equations
        self._problem, self._candidates = problem, candidates
        self._place = np.full(len(problem.cost), -1, np.int64)
        self._place[candidates] = np.arange(len(candidates))
        self._lonely = Lonely(equations)
        self._short = csr_array(abs(equations.short[:, : equations.cells].sign()).astype(np.float64))
        self._row = np.repeat(np.arange(self._short.shape[0]), np.diff(self._short.indptr))
        self._known = self._short @ problem.primary.astype(np.float64) > 0
        ends = ends_of(problem.requirements, equations.value, equations.cells)
        asked = outsiders(ends, [need.sure for need in problem.requirements])
        own = blocks(problem)
        entries = sum(min(len(rows), len(cells)) * len(cells) for cells, rows in own)
        run = Runner(worth_compiling(entries, shortfalls))
        self._blocks = [BlockCuts(problem, block, asked, run) for block in own]
        self._ends = asked

    @property
    def members(self) -> list[NDArray[np.int64]]:
        """int64, the candidates of each block, ascending."""
        found = [np.sort(self._place[block.cells]) for block in self._blocks]
        return [own[own >= 0] for own in found]

    def alone(self) -> Iterator[Row]:
        """Whoever has to move and is alone in a relation needs another one there."""
        asked = np.zeros(len(self._problem.cost), np.bool_)
        asked[self._ends.cell] = True
        for relation, cell in self._lonely.alone(self._problem.primary):
            if asked[cell]:
                inside = self._place[self._lonely.others(relation, cell)]
                inside = np.sort(inside[inside >= 0])
                yield Row(inside, np.ones(len(inside)), 1.0)

    def broken(self, share: Floats, limits: Limits) -> Iterator[Row]:
        """Cuts that a choice breaks (float64, candidates), as far as there is time."""
        full = self._problem.primary.astype(np.float64)
        full[self._candidates] = share
        yield from self._bridges(full)
        for block in self._blocks:
            if limits.out_of_time():
                return
            yield from block.cuts(full, self._place)

    def _bridges(self, full: Floats) -> Iterator[Row]:
        """A cell that is withheld needs others in each of its relations that are withheld as far."""
        total, cells = self._short @ full, self._short.indices
        broken = (2 * full[cells] > total[self._row] + BROKEN) & ~self._known[self._row] & (self._place[cells] >= 0)
        for entry in np.flatnonzero(broken).tolist():
            cell = int(cells[entry])
            inside = self._place[self._lonely.others(int(self._row[entry]), cell)]
            inside = inside[inside >= 0]
            yield Row(np.append(inside, self._place[cell]), np.append(np.ones(len(inside)), -1.0), 0.0)
