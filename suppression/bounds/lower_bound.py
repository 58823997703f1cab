"""What no safe pattern costs less than: cuts of every block by itself, in one linear program; then integer programs of
blocks, among which the cost of each cell is shared out by what that program pays for it (Lagrangean decomposition).

Against outsiders alone: whoever knows more only asks for more.
"""

from collections.abc import Iterable, Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.execution.executor import HERE, Executor
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

MANY, SLOW = 100_000, 2e-3
"""Candidates beyond which cells that are withheld for others wait until the program rises by no more than that share:
they are many (241,080 cells: 59,000 cuts at once, then 15 s for the program), and what ends need moves them. Elsewhere
their cuts help whole choices of blocks (mh3d_mid: 2,118,022 in place of 2,110,715)."""

AT_ONCE = 12_000
"""Cuts of a round at most, those that are broken most (241,080 cells: 268,832 after 17 s, 277,932 after 132 s; with all
of them 273,806 after 92 s, 56 s of which for one program)."""

RELAXED = 0.7
"""Share of the time for the linear program, where that is short."""

Floats = NDArray[np.float64]


def lower_bound(
    problem: Problem, solver: Solver, limits: Limits, cost: int | None = None, executor: Executor = HERE
) -> int:
    """What the secondary cells of no safe pattern cost less than, in steps of the scale; 0 where nothing is proved.

    cost: of a safe pattern: it is not gone beyond that. executor: its workers take blocks.
    """
    found = 0
    for bound in rising(problem, solver, limits, executor):
        found = max(found, bound)
        if cost is not None and found >= cost:
            return cost
    return found


def rising(problem: Problem, solver: Solver, limits: Limits, executor: Executor = HERE) -> Iterator[int]:
    """One bound after another, as they are proved."""
    found = _relaxation(problem, solver, limits.share(RELAXED))
    if found is None:
        return
    cutting, program, solved = found
    yield _whole_steps(proved(program.matrix, program.right, program.cost, solved.multiplier))
    for bound in in_whole_blocks(cutting.members, program, solved, solver, limits, executor):
        yield _whole_steps(bound)


def relaxed_choice(problem: Problem, solver: Solver, limits: Limits) -> Floats | None:
    """float64 (cells): how far each is withheld in the cheapest choice that may withhold cells in part, as far as cuts
    were found in time; 1 for primaries. None: nothing was found."""
    found = _relaxation(problem, solver, limits)
    if found is None:
        return None
    cutting, _, solved = found
    share = problem.primary.astype(np.float64)
    share[cutting.candidates] = solved.share
    return share


def _relaxation(problem: Problem, solver: Solver, limits: Limits) -> "tuple[_Cutting, Covering, Solved] | None":
    """The linear program of all blocks, solved; None: there is nothing to choose, or no time."""
    candidates = np.flatnonzero(problem.may & ~problem.primary)
    if len(candidates) == 0 or not problem.requirements or (problem.cost[candidates] < 0).any():
        return None
    cutting, program = _Cutting(problem, candidates), Covering(problem.cost[candidates].astype(np.float64), solver)
    program.add(cutting.alone())
    solved = _relaxed(cutting, program, limits)
    return None if solved is None else (cutting, program, solved)


def _whole_steps(bound: float) -> int:
    """Costs are whole steps."""
    return max(0, ceil(bound))


def _relaxed(cutting: "_Cutting", program: Covering, limits: Limits) -> Solved | None:
    """The linear program with the cuts that it breaks, until there are no more or the time is over: what it came to
    last, for any multipliers prove something; None: not even the first one was solved."""
    best: Solved | None = None
    besides, last = len(program.cost) <= MANY, 0.0
    for _ in range(ROUNDS):
        solved = program.solve(limits.seconds_left())
        if solved is None:
            return best
        value = float(program.cost @ solved.share)
        besides, last = besides or value - last <= SLOW * value, value
        added = (
            0
            if limits.out_of_time()
            else program.add(_most_broken(cutting.broken(solved.share, besides, limits), solved.share))
        )
        # Cuts that came in since have no multipliers yet.
        best = Solved(solved.share, np.append(solved.multiplier, np.zeros(added)))
        if not added and (besides or limits.out_of_time()):
            break
        besides = besides or not added
    return best


def _most_broken(rows: Iterable[Row], share: Floats) -> list[Row]:
    """Those of some cuts that a choice (float64, candidates) breaks most, in their order."""
    rows = list(rows)
    if len(rows) <= AT_ONCE:
        return rows
    missing = np.array([row.right - float(row.weight @ share[row.candidates]) for row in rows])
    return [rows[k] for k in np.sort(np.argsort(-missing, kind="stable")[:AT_ONCE]).tolist()]


class _Cutting:
    """All blocks of a problem, and its single relations."""

    def __init__(self, problem: Problem, candidates: NDArray[np.int64]) -> None:
        equations = problem.equations
        self._problem, self.candidates = problem, candidates
        self._place = np.full(len(problem.cost), -1, np.int64)
        self._place[candidates] = np.arange(len(candidates))
        self._lonely = Lonely(equations)
        self._short = csr_array(abs(equations.short[:, : equations.cells].sign()).astype(np.float64))
        self._row = np.repeat(np.arange(self._short.shape[0]), np.diff(self._short.indptr))
        self._known = self._short @ problem.primary.astype(np.float64) > 0
        ends = ends_of(problem.requirements, equations.value, equations.cells)
        asked = outsiders(ends, [need.sure for need in problem.requirements])
        self._own = own = blocks(problem)
        entries = sum(min(len(rows), len(cells)) * len(cells) for cells, rows in own)
        self._run = Runner(worth_compiling(entries, shortfalls))
        self._cuts = BlockCuts(problem, own, asked, self._run)
        self._ends = asked

    @property
    def members(self) -> list[NDArray[np.int64]]:
        """int64, the candidates of each block, ascending."""
        found = [np.sort(self._place[cells]) for cells, _ in self._own]
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

    def broken(self, share: Floats, besides: bool, limits: Limits) -> Iterator[Row]:
        """Cuts that a choice breaks (float64, candidates), as far as there is time. besides: also those of cells that
        are withheld for others, by whole blocks."""
        full = self._problem.primary.astype(np.float64)
        full[self.candidates] = share
        yield from self._bridges(full)
        yield from self._cuts.broken(full, self._place, besides=besides, limits=limits)

    def _bridges(self, full: Floats) -> Iterator[Row]:
        """A cell that is withheld needs others in each of its relations that are withheld as far."""
        total, cells = self._short @ full, self._short.indices
        broken = (2 * full[cells] > total[self._row] + BROKEN) & ~self._known[self._row] & (self._place[cells] >= 0)
        for entry in np.flatnonzero(broken).tolist():
            cell = int(cells[entry])
            inside = self._place[self._lonely.others(int(self._row[entry]), cell)]
            inside = inside[inside >= 0]
            yield Row(np.append(inside, self._place[cell]), np.append(np.ones(len(inside)), -1.0), 0.0)
