"""All blocks of a problem and its single relations, which break choices that withhold cells in part."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.bounds.component import Limits
from tableseal.audit.compiling import Runner, worth_compiling
from tableseal.audit.decision.ends import ends_of
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.bounds.block_cuts import BlockCuts, outsiders
from tableseal.suppression.bounds.blocks import blocks
from tableseal.suppression.bounds.covering import Covering
from tableseal.suppression.problem.problem import Problem
from tableseal.suppression.search.kernels.shortfalls import shortfalls
from tableseal.suppression.search.master import Row
from tableseal.suppression.search.relations import Lonely

Floats = NDArray[np.float64]

AT_ONCE = 12_000
"""Cuts of a round at most, those that are broken most (241,080 cells: 268,832 after 17 s, 277,932 after 94 s; with all
of them 273,806 after 92 s, 56 s of which for one program)."""

BROKEN = 1e-3
"""By how much a cut has to be broken."""


class Cutting:
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
        self._cuts = BlockCuts(problem, own, asked, Runner(worth_compiling(entries, shortfalls)))
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

    def broken(self, share: Floats, besides: bool, limits: Limits) -> list[Row]:
        """Cuts that a choice breaks most (float64, candidates), as far as there is time. besides: also those of cells
        that are withheld for others, by whole blocks."""
        full = self._problem.primary.astype(np.float64)
        full[self.candidates] = share
        rows = [*self._bridges(full), *self._cuts.broken(full, self._place, besides=besides, limits=limits)]
        if len(rows) <= AT_ONCE:
            return rows
        missing = np.array([row.right - float(row.weight @ share[row.candidates]) for row in rows])
        return [rows[k] for k in np.sort(np.argsort(-missing, kind="stable")[:AT_ONCE]).tolist()]

    def _bridges(self, full: Floats) -> Iterator[Row]:
        """A cell that is withheld needs others in each of its relations that are withheld as far."""
        total, cells = self._short @ full, self._short.indices
        broken = (2 * full[cells] > total[self._row] + BROKEN) & ~self._known[self._row] & (self._place[cells] >= 0)
        for entry in np.flatnonzero(broken).tolist():
            cell = int(cells[entry])
            inside = self._place[self._lonely.others(int(self._row[entry]), cell)]
            inside = inside[inside >= 0]
            yield Row(np.append(inside, self._place[cell]), np.append(np.ones(len(inside)), -1.0), 0.0)


def cuts_alone(problem: Problem, solver: Solver) -> tuple[Cutting, Covering] | None:
    """The cuts of a problem, and the linear program with those of single relations; None: there is nothing to choose,
    or not by cost."""
    candidates = np.flatnonzero(problem.may & ~problem.primary)
    if len(candidates) == 0 or not problem.requirements or (problem.cost[candidates] < 0).any():
        return None
    cutting, program = Cutting(problem, candidates), Covering(problem.cost[candidates].astype(np.float64), solver)
    program.add(cutting.alone())
    return cutting, program
