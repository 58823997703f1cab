"""The master problem: the cheapest pattern that satisfies all cuts found so far.

Its relaxation is kept warm in the linear programming engine; whole patterns are found through PuLP, with HiGHS or any
other solver that is installed.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pulp
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tableseal.audit.decision.cuts import Cut
from tableseal.audit.solvers.protocol import Problem as Program
from tableseal.audit.solvers.protocol import Solver
from tableseal.suppression.search.integer_program import IntegerProgram, Solved, quiet_highs
from tableseal.suppression.search.method import DEFAULT_SOLVER, refuse_missing

NEARLY = 1e-6

ABSOLUTE_GAP = 0.9
"""Costs are whole steps, so that a smaller gap is none."""


@dataclass(frozen=True)
class Row:
    """sum of weight over withheld candidates >= right. candidates: int64, positions among the candidates."""

    candidates: NDArray[np.int64]
    weight: NDArray[np.float64]
    right: float


@dataclass(frozen=True)
class Chosen:
    """A whole pattern of the master, and what it proves. pattern: bool (candidates), None: none was found."""

    pattern: NDArray[np.bool_] | None
    bound: int
    infeasible: bool = False


def _sure(found: Solved, cost: float) -> float:
    """What the solver proves of the least cost, at most `cost`; only what is sure of one that does not tell."""
    if found.bound is not None:
        return max(0.0, min(found.bound, cost)) if np.isfinite(found.bound) else 0.0
    return cost if found.closed else 0.0


class Master:
    """Cuts over the candidates; cells that are always withheld have been put in."""

    def __init__(
        self,
        candidates: NDArray[np.int64],
        always: NDArray[np.bool_],
        cost: NDArray[np.int64],
        solver: Solver,
        integer_solver: str = DEFAULT_SOLVER,
    ) -> None:
        """candidates: positions of the cells that may be withheld; always: bool (cells), withheld in every pattern."""
        self.candidates, self._always = candidates, always
        self.cost = cost[candidates].astype(np.float64)
        self.rows: list[Row] = []
        self._seen: set[bytes] = set()
        self._place = np.full(len(always), -1, dtype=np.int64)
        self._place[candidates] = np.arange(len(candidates))
        self._integer_solver = integer_solver
        count = len(candidates)
        nothing = csr_array((0, count), dtype=np.float64)
        empty = np.empty(0)
        self._warm = solver.warm(Program(nothing, empty, empty, np.zeros(count), np.ones(count)))
        self._sent = 0

    def add(self, cut: Cut) -> bool:
        """Add a cut; False if it is known already, or holds anyhow."""
        right = cut.right - int(cut.weight[self._always[cut.cells]].sum())
        place = self._place[cut.cells]
        inside = place >= 0
        if right <= 0:
            return False
        return self.add_row(Row(place[inside], np.minimum(cut.weight[inside], right) / right, 1.0))

    def add_row(self, row: Row) -> bool:
        """Add any row over candidates; False if it is known already."""
        key = row.candidates.tobytes() + row.weight.tobytes()
        if key in self._seen:
            return False
        self._seen.add(key)
        self.rows.append(row)
        return True

    def relaxed(self) -> tuple[NDArray[np.float64], float, NDArray[np.float64]] | None:
        """(share of each candidate, least cost, reduced cost) of the relaxation; None: no pattern fits."""
        self._send()
        outcome = self._warm.minimise(self.cost)
        if outcome.x is None or outcome.row_dual is None:
            return None
        matrix = self._matrix(self.rows)
        reduced = self.cost - matrix.T @ outcome.row_dual
        return outcome.x, float(self.cost @ outcome.x), reduced

    def _send(self) -> None:
        fresh = self.rows[self._sent :]
        if fresh:
            right = np.array([r.right for r in fresh])
            self._warm.add_rows(self._matrix(fresh), right, np.full(len(fresh), np.inf))
            self._sent = len(self.rows)

    def _matrix(self, rows: list[Row]) -> csr_array:
        indptr = np.concatenate([[0], np.cumsum([len(r.candidates) for r in rows])]).astype(np.int64)
        indices = np.concatenate([np.empty(0, np.int64), *(r.candidates for r in rows)])
        data = np.concatenate([np.empty(0), *(r.weight for r in rows)])
        return csr_array((data, indices, indptr), shape=(len(rows), len(self.candidates)))

    def whole(
        self,
        seconds: float,
        *,
        open_candidates: NDArray[np.bool_],
        gap: float = 0.0,
    ) -> Chosen:
        """The cheapest whole pattern over the open candidates, all others published.

        gap: relative, at which to stop. The best pattern so far is not handed over: HiGHS 1.16 then returns it as the
        point of a better objective.

        Raises
        ------
        InputError: the solver is not installed.
        """
        program = IntegerProgram("secondary_cells")
        chosen = np.flatnonzero(open_candidates).tolist()
        z = {j: program.binary(f"z{j:07d}") for j in chosen}
        program.minimise([(z[j], float(self.cost[j])) for j in z])
        for row in self.rows:
            terms = [(z[j], w) for j, w in zip(row.candidates.tolist(), row.weight.tolist(), strict=True) if j in z]
            if not terms and row.right > NEARLY:
                return Chosen(None, 0, infeasible=True)
            program.at_least(terms, row.right - 1e-9)
        found = program.solve(self._solver(seconds, gap))
        if found.infeasible:
            return Chosen(None, 0, infeasible=True)
        if not found.solution:
            return Chosen(None, whole_bound(_sure(found, np.inf)))
        pattern = np.zeros(len(self.candidates), np.bool_)
        pattern[[j for j, variable in z.items() if (variable.varValue or 0.0) > 0.5]] = True
        cost = float(self.cost[pattern].sum())
        bound = _sure(found, cost)
        if not self._satisfies(pattern):
            return Chosen(None, whole_bound(bound))
        # Costs are whole steps: a solver that has closed the gap means this very pattern.
        closed = gap == 0 and cost - bound <= max(1e-6 * cost, ABSOLUTE_GAP)
        return Chosen(pattern, round(cost) if closed else whole_bound(bound))

    def price(self, pattern: NDArray[np.bool_]) -> int:
        """Cost of a pattern (bool, candidates)."""
        return round(float(self.cost[pattern].sum()))

    def _satisfies(self, pattern: NDArray[np.bool_]) -> bool:
        matrix, right = self._matrix(self.rows), np.array([r.right for r in self.rows])
        return bool((matrix @ pattern.astype(np.float64) >= right - 1e-6).all())

    def _solver(self, seconds: float, gap: float) -> Any:
        seconds = max(seconds, 0.1)
        if self._integer_solver == DEFAULT_SOLVER:
            return quiet_highs(seconds, threads=1, random_seed=0, mip_rel_gap=gap, mip_abs_gap=ABSOLUTE_GAP)
        refuse_missing(self._integer_solver)
        return pulp.getSolver(self._integer_solver, msg=False, timeLimit=seconds, gapRel=gap)


def whole_bound(bound: float) -> int:
    """Costs are whole steps: the bound rounded up, with room for the solver's tolerance."""
    return ceil(bound - 1e-6 * max(1.0, abs(bound)))
